"""``syncfabric bcast``: broadcasts between real ranks of MPI."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.programs import run


def bcast(ranks: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run("-m", "syncfabric", "bcast", *arguments, ranks=ranks, outlive=True)


def test_every_rank_gets_every_byte_and_links_hold_back() -> None:
    done = bcast(4, "--rounds", 2, "--latency", 3000, "--bytes", 9999, "--timeout", 20, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert (found["ranks"], found["bytes"], found["right"]) == (4, 9999, True)
    # The library's calls, two of them for warmth, and four broadcasts a round along each tree.
    assert found["checked_bytes"] == 3 * 9999 * (2 + 2 + 2 * 2 * 4)
    assert (found["lost"], found["wrong"]) == ([], [])
    for row in found["rounds"]:
        assert sorted(row["order"]) == [0, 1, 2, 3]
        assert row["order"][0] == 0
        # Two links one after the other.
        assert min(row["adaptive"], row["fixed"], row["cost"]) >= 0.006
    assert len(found["library"]["seconds"]) == 2


BROKEN = """
import os, signal, sys
from syncfabric.cli import main
from syncfabric.sim.ranks.broadcast import member
{patch}
sys.argv = ["syncfabric", "bcast", *sys.argv[1:]]
main()
"""


def broken(patch: str, ranks: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run it with another program on the ranks."""
    program = BROKEN.format(patch=patch)
    return run("-c", program, *arguments, ranks=ranks, outlive=True)


@pytest.mark.nightly
def test_a_wrong_byte_is_code_1_and_says_where() -> None:
    patch = """
from syncfabric.sim.ranks.broadcast.post import Post
send = Post.send
def wrong(self, to, kind, value=None, *, held=False):
    if kind.name == "DATA" and to == 2:
        value = value.copy()
        value[-1] ^= 1
    send(self, to, kind, value, held=held)
Post.send = wrong
"""
    done = broken(patch, 3, "--rounds", 1, "--latency", 100, "--timeout", 20)
    assert done.returncode == 1
    assert "wrong      payload of round 0 on rank 2, from byte 1,023 on" in done.stdout
    assert done.stdout.splitlines()[-1] == "verdict    8 payloads wrong"


@pytest.mark.nightly
def test_ranks_leave_die_and_join() -> None:
    events = ("--leave", "3@1", "--kill", "1@2", "--join", "2@2", "--join", "3@3")
    done = bcast(5, "--rounds", 5, "--timeout", 3, "--bytes", 100_000, *events, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["lost"] == [{"rank": 3, "round": 1}, {"rank": 1, "round": 2}]
    assert found["right"] is True
    ranks = [sorted(row["order"]) for row in found["rounds"]]
    assert ranks == [[0, 1, 3, 4], [0, 1, 3, 4], [0, 1, 2, 4], [0, 2, 3, 4], [0, 2, 3, 4]]
    # Of the library, before, in and after the rounds in which ranks went.
    assert found["checked_bytes"] == 100_000 * (4 * (2 + 5) + 8 * (3 + 2 + 2 + 3 + 3))


@pytest.mark.nightly
def test_a_rank_that_is_killed_ends_no_other() -> None:
    patch = "member.os._exit = lambda code: os.kill(os.getpid(), signal.SIGKILL)"
    arguments = ("--rounds", 3, "--timeout", 3, "--kill", "2@1")
    done = broken(patch, 4, *arguments)
    # What mpiexec says of it; all others were there to the end.
    assert done.returncode == 128 + 9
    assert "rank 2 is lost: no answer in 3 s; the tree is repaired" in done.stdout
    assert done.stdout.splitlines()[-1].endswith(" bytes right, on every rank that is left")


@pytest.mark.nightly
def test_a_death_that_was_not_asked_for_is_code_1() -> None:
    patch = """
from syncfabric.sim.ranks.broadcast.member import Member
take = Member._take
def dies(self, data, body):
    if self.rank == 1 and data.turn == 1:
        os._exit(0)
    take(self, data, body)
Member._take = dies
"""
    done = broken(patch, 4, "--rounds", 3, "--timeout", 3)
    assert done.returncode == 1
    assert "rank 1 is lost: no answer in 3 s; the tree is repaired" in done.stdout


@pytest.mark.nightly
def test_ranks_do_not_wait_for_a_dead_root() -> None:
    patch = """
from syncfabric.sim.ranks.broadcast.run import Root
def dies(self, turn):
    os._exit(0)
Root._round = dies
"""
    done = broken(patch, 3, "--timeout", 0.5)
    assert done.returncode == 1
    assert sorted(done.stderr.splitlines()) == [
        f"rank {rank}: no word from the root in 12 s" for rank in (1, 2)
    ]


@pytest.mark.nightly
def test_at_least_half_of_what_a_slow_link_takes_comes_back() -> None:
    # Of 120 ms before, and of 480 ms with it: so long that shared processors do not decide.
    slow = ("--latency", 40_000, "--slow", "path:10@4", "--rounds", 12, "--timeout", 10)
    done = bcast(8, *slow, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (slow_link,) = found["slow"]
    assert slow_link["hit"] >= 0.4
    assert slow_link["recovered"] >= 0.5
    assert found["right"] is True


@pytest.mark.parametrize("command", [("bcast",), ("perform", "s.json")])
def test_another_number_of_ranks_than_mpiexec_has_started_is_refused(
    call: Call, here: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PMI_SIZE", "4")
    result = call(*command, "--ranks", 5)
    assert (result.exit_code, result.stderr) == (
        2,
        "error: --ranks: 5, but mpiexec has started 4\n",
    )
