"""Schedules carried out by real ranks of MPI."""

import pytest

from syncfabric.models.collectives.collective import kind_of
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.perform import CALLS, prepare
from tests.nightly import nightly_but
from tests.programs import run
from tests.sim.ranks.made import every_kind, one_of, printed

PROGRAM = """
import json
from mpi4py import MPI
from syncfabric.sim.ranks.perform import perform

def show(schedule, size=264):
    done = perform(MPI.COMM_WORLD, lambda: schedule, size=size, repeat=2)
    if done is not None:
        print(json.dumps(done.to_json()), flush=True)
"""


NETWORKS = [
    *((4, "ring-4"), (4, "fat-tree-2x2"), (5, "ring-5"), (9, "mesh-3x3")),
    *((16, "fat-octagon-16"), (16, "hypercube-16")),
]


@pytest.mark.parametrize(("ranks", "name"), nightly_but(NETWORKS[:1], NETWORKS))
def test_every_kind_is_right_by_both_methods(ranks: int, name: str) -> None:
    found = printed(ranks, PROGRAM + "for one in schedules: show(one)", every_kind(name))
    assert {kind_of(row["collective"]): row["library"]["name"] for row in found} == CALLS
    assert len(found) == 2 * len(CALLS)
    for row in found:
        assert row["right"] is True
        assert (row["wrong_count"], row["wrong"]) == (0, [])
        assert (row["ranks"], row["bytes"], row["repeat"]) == (ranks, 264, 2)
        assert row["checked_bytes"] > 0


BROKEN = """
from dataclasses import replace
from unittest import mock
from syncfabric.models.collectives.task import Rules
from tests.sim.ranks.made import one_of
from syncfabric.sim.ranks import perform as module
from syncfabric.sim.ranks.perform import Carrier
from syncfabric.sim.ranks.perform import Library

AAS = one_of("AAS", "ring-4", Rules())
show(AAS, size=13)

def flipped(method, buffer):
    # On rank 2 a bit changes.
    run = method.run
    def broken(self):
        run(self)
        if MPI.COMM_WORLD.rank == 2:
            getattr(self, buffer)[-1][200] ^= 1
    return mock.patch.object(method, "run", broken)

with flipped(Carrier, "_blocks"):
    show(AAS)
with flipped(Library, "_into"):
    show(one_of("AAB", "ring-4", Rules()))

def changed(rank, change):
    # A rank does something else than its part.
    made = module.parts_of
    def parts_of(schedule):
        parts = made(schedule)
        steps = tuple(change(parts[rank].slots, step) for step in parts[rank].steps)
        parts[rank] = replace(parts[rank], steps=steps)
        return parts
    return mock.patch.object(module, "parts_of", parts_of)

def another(slots, step):
    return step._replace(sends=tuple((peer, (slot + 1) % slots) for peer, slot in step.sends))

def forgets(slots, step):
    return step._replace(adds=step.adds[:-1])

with changed(1, another):
    show(one_of("AAB", "ring-4", Rules(1, "strict", "store-and-forward")))
    show(one_of("AAS", "ring-4", Rules()))
with changed(0, forgets):
    show(one_of("AOR", "ring-4", Rules()))
"""


@pytest.mark.nightly
def test_what_is_broken_on_purpose_is_found() -> None:
    right, flipped, by_library, relayed, sent, left_out = printed(4, PROGRAM + BROKEN)
    # Twice for warmth, twice timed; the library hands each rank its own message, too.
    assert right["checked_bytes"] == 4 * 13 * (4 * 3 + 4 * 4)
    assert right["right"] is True

    assert (flipped["right"], flipped["wrong_count"]) == (False, 4)
    places = [(one["rank"], one["way"], one["byte"]) for one in flipped["wrong"]]
    assert places == [(2, "schedule", 200)] * 4

    blocks = [(one["rank"], one["way"], one["message"]) for one in by_library["wrong"]]
    assert blocks == [(2, "Allgather", [3, 3])] * 4

    for row in (relayed, sent):
        assert row["right"] is False
        assert {one["way"] for one in row["wrong"]} == {"schedule"}
        assert all(one["byte"] < 3 for one in row["wrong"])
        assert not any(one["rank"] == 1 for one in row["wrong"])

    sums = [(one["rank"], one["message"]) for one in left_out["wrong"]]
    assert sums == [(0, [0, 0])] * 4


def test_a_rank_that_fails_ends_all() -> None:
    program = """
from syncfabric.sim.ranks.launch import all_end
with all_end(MPI.COMM_WORLD):
    if MPI.COMM_WORLD.rank == 1:
        raise RuntimeError("rank 1 broke off")
    MPI.COMM_WORLD.Barrier()
"""
    done = run("-c", PROGRAM + program, ranks=3, timeout=60)
    assert done.returncode != 0
    assert "rank 1 broke off" in done.stderr


RIGHT = one_of("OAB", "ring-4", Rules())


@pytest.mark.parametrize(
    ("schedule", "ranks", "size", "said"),
    [
        (
            RIGHT,
            3,
            8,
            "the schedule is for the 4 nodes of ring-4, but 3 ranks were started; "
            "use mpiexec -n 4, or --ranks 4",
        ),
        (
            Schedule.of(RIGHT.topology, RIGHT.collective, RIGHT.rules, RIGHT.steps[:1]),
            4,
            8,
            "the schedule is wrong: node 2 never gets the message of node 0",
        ),
        (
            Schedule.of(RIGHT.topology, RIGHT.collective, RIGHT.rules, []),
            4,
            8,
            "the schedule is wrong: node 1 never gets the message of node 0 (and 2 more)",
        ),
        (
            one_of("AAR", "ring-4", Rules()),
            4,
            20,
            "--bytes: reduce-scatter adds up numbers of 8 bytes, so it must be a multiple of 8,"
            " not 20",
        ),
    ],
)
def test_what_cannot_be_performed_is_refused(
    schedule: Schedule, ranks: int, size: int, said: str
) -> None:
    with pytest.raises(SpecError) as error:
        prepare(schedule, ranks, size)
    assert str(error.value) == said
