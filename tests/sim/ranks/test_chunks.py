"""Schedules in chunks carried out by real ranks of MPI."""

from fractions import Fraction
from typing import Any

import pytest

from syncfabric.models.collectives.chunks.schedule import CHUNKED, Exchange, Schedule, Send
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import linked
from syncfabric.models.errors import SpecError
from syncfabric.sim.ranks.parts import PartStep, chunk_parts
from syncfabric.sim.ranks.perform import prepare
from tests.nightly import nightly_but
from tests.sim.ranks.made import in_chunks, printed

PROGRAM = """
import json
from mpi4py import MPI
from syncfabric.sim.ranks.perform import Carrier, perform

def show(schedule):
    done = perform(MPI.COMM_WORLD, lambda: schedule, repeat=2)
    if done is not None:
        print(json.dumps(done.to_json()), flush=True)
"""
CALLS = {
    "broadcast": "Bcast",
    "reduce": "Reduce",
    "allgather": "Allgather",
    "reduce-scatter": "Reduce_scatter_block",
    "allreduce": "Allreduce",
    "scatter": "Scatter",
    "gather": "Gather",
    "alltoall": "Alltoall",
}


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("scatter", [(1, 0), (1, 2)]),
        ("gather", [(0, 1), (2, 1)]),
        ("alltoall", [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]),
    ],
)
def test_a_share_is_named_by_its_sender_and_its_receiver(
    kind: Any, names: list[tuple[int, int]]
) -> None:
    """As messages of the library's call are: both fill and check the same data."""
    topology = linked(named("ring-3"), Fraction(0), Fraction(1))
    root = 0 if kind == "alltoall" else 1
    parts = chunk_parts(search(topology, kind, 48, (1,), root=root).best.schedule)
    for some in ([part.own for part in parts], [part.wanted for part in parts]):
        found = {name for own in some for _, name in own}
        assert sorted(name for name in found if name[0] != name[1]) == names


NETWORKS = [(4, "fat-tree-2x2"), (6, "mesh-3x2"), (8, "dgx-1"), (16, "dgx-1-pair")]


@pytest.mark.parametrize(("ranks", "name"), nightly_but(NETWORKS[:1], NETWORKS))
def test_every_collective_is_right_by_both_methods(ranks: int, name: str) -> None:
    schedules = (one for kind in CHUNKED for one in in_chunks(kind, name))
    found = printed(ranks, PROGRAM + "for one in schedules: show(one)", schedules)
    assert {row["collective"]: row["library"]["name"] for row in found} == CALLS
    assert len(found) >= len(CALLS)
    for row in found:
        assert row["right"] is True
        assert (row["wrong_count"], row["ranks"], row["repeat"]) == (0, ranks, 2)
        assert row["checked_bytes"] > 0


@pytest.mark.nightly
def test_a_wrong_bit_is_seen() -> None:
    program = """
whole = Carrier.run
def broken(self):
    whole(self)
    if MPI.COMM_WORLD.rank == 2:
        self._blocks[self._part.wanted[-1][0]][5] ^= 1
Carrier.run = broken
show(*schedules)
"""
    (row,) = printed(4, PROGRAM + program, [next(in_chunks("allreduce", "ring-4"))])
    assert row["right"] is False
    # In each of four times on one rank, one share of the schedule's own.
    assert row["wrong_count"] == 4
    assert {(wrong["rank"], wrong["way"]) for wrong in row["wrong"]} == {(2, "schedule")}


def test_moves_keep_the_order() -> None:
    topology = next(in_chunks("broadcast", "ring-4")).topology
    sends = (Send(0, (0, 1), False), Send(0, (0, 3), False), Send(0, (1, 2), False))
    parts = chunk_parts(Schedule(topology, Exchange("broadcast", 4, 8), sends))
    assert parts[0].steps == (PartStep((), ((1, 0),)), PartStep((), ((3, 0),)))
    come = PartStep(((0, 1),), (), copies=((0, 1),))
    assert parts[1].steps == (come, PartStep((), ((2, 0),)))
    assert parts[2].steps == (PartStep(((1, 1),), (), copies=((0, 1),)),)


@pytest.mark.parametrize("kind", CHUNKED)
def test_sizes_that_do_not_divide(kind: str) -> None:
    schedule = next(in_chunks(kind, "ring-4"))
    odd = Exchange(schedule.exchange.kind, 4, 20, 3)
    with pytest.raises(SpecError, match=r"bytes must be a multiple of (3|12|24|96), "):
        chunk_parts(Schedule(schedule.topology, odd, ()))


def test_what_is_not_performed() -> None:
    schedule = next(in_chunks("allgather", "ring-4"))
    with pytest.raises(SpecError, match="for the 4 nodes of ring-4, but 3 ranks were started"):
        prepare(schedule, 3, None)
    wrong = Schedule(schedule.topology, schedule.exchange, schedule.sends[:-1])
    with pytest.raises(SpecError, match=r"the schedule is wrong: rank . ends without"):
        prepare(wrong, 4, None)
    with pytest.raises(SpecError, match="--bytes: a schedule in chunks has its own"):
        prepare(schedule, 4, 1024)
