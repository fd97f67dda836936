"""Searches: every schedule right, none below its bound, known optima met."""

import random
from fractions import Fraction
from itertools import pairwise
from time import monotonic
from types import SimpleNamespace

import pytest

from syncfabric.models.collectives.chunks.checker import Outcome, check
from syncfabric.models.collectives.chunks.schedule import (
    CHUNKED,
    Chunked,
    Exchange,
    Schedule,
    chunked_kind,
)
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.methods import searches
from syncfabric.models.collectives.topology import Link, Topology, linked
from syncfabric.models.errors import SpecError
from tests.models.collectives.chunks.drawn import drawn

SIZE = 2**26


@pytest.mark.parametrize("kind", CHUNKED)
def test_any_topology(kind: Chunked) -> None:
    rng = random.Random(kind)
    for _ in range(6):
        topology = drawn(rng, rng.randint(2, 6), switches=rng.randint(0, 2))
        root = rng.randrange(topology.nodes) if Exchange(kind, 1, 1).rooted else 0
        result = search(topology, kind, rng.choice((60, 6000)), (1, 3), root=root)
        for found in result.found:
            assert not check(found.schedule).broken
            assert found.time >= result.bound
        assert result.best.time == min(found.time for found in result.found)


@pytest.mark.parametrize(
    ("name", "kind", "chunks", "ratio"),
    [
        ("ring-8", "allreduce", 2, 1.001),
        ("torus-4x4", "allgather", 4, 1.002),
        ("torus-4x4", "allreduce", 4, 1.002),
        pytest.param("torus-8x8", "allreduce", 4, 1.01, marks=pytest.mark.nightly),
        ("mesh-4x4", "allgather", 2, 1.001),
        ("hypercube-16", "reduce-scatter", 16, 1.03),
        ("dgx-1-pair", "allgather", 24, 1.02),
        pytest.param("dgx-1", "allreduce", 6, 1.02, marks=pytest.mark.nightly),
        ("fat-tree-2x4", "allgather", 1, 1.001),
        ("fat-tree-2x4", "allreduce", 1, 1.003),
    ],
)
def test_close_to_the_bound(name: str, kind: Chunked, chunks: int, ratio: float) -> None:
    topology = linked(load_topology(name), Fraction(1000), Fraction(1))
    result = search(topology, kind, SIZE, (chunks,))
    assert 1 <= result.best.time / result.bound <= ratio


@pytest.mark.parametrize(
    ("name", "method", "chunks", "ratio"),
    [
        ("torus-8x8", "trees", 4, 1.01),
        ("mesh-4x4", "spanning", 32, 1.07),
        ("dgx-1", "exact", 6, 1.02),
    ],
)
def test_a_method_close_to_the_bound(name: str, method: str, chunks: int, ratio: float) -> None:
    topology = linked(load_topology(name), Fraction(1000), Fraction(1))
    result = search(topology, "allreduce", SIZE, (chunks,), methods=(method,))
    assert 1 <= result.best.time / result.bound <= ratio


def test_the_front_trades_latency_for_bandwidth() -> None:
    topology = linked(load_topology("torus-4x4"), Fraction(1000), Fraction(1))
    result = search(topology, "allgather", SIZE, (1, 2, 4, 8))
    assert len(result.front) > 1
    front = [(one.latency or 0, one.time_of_a_byte or 0) for one in result.front]
    for one, other in pairwise(front):
        assert 0 < one[0] < other[0]
        assert one[1] > other[1] > 0
    small = search(topology, "allgather", 16, (1, 2, 4, 8))
    assert small.best.parts < result.best.parts


def test_methods_and_numbers_of_chunks() -> None:
    topology = linked(load_topology("ring-4"), Fraction(1), Fraction(1))
    result = search(topology, "allreduce", 64, (1, 2), methods=("spanning",))
    assert {found.method for found in result.found} == {"spanning"}
    reports: list[str] = []
    search(topology, "allgather", 64, (1,), progress=reports.append)
    assert reports == [f"{method}, 1 chunks" for method in searches(in_chunks=True)[1:]]
    assert search(topology, "allgather", 64, (1, 10**6)).left_out == (10**6,)
    assert search(topology, "allgather", 64, (1, 2), seed=2).best.time


def test_a_ring_of_one_way() -> None:
    channels = tuple((rank, (rank + 1) % 6) for rank in range(6))
    link = Link(Fraction(1), Fraction(1))
    ring = Topology("one-way", 6, 0, channels, (link,) * 6)
    for kind in ("allgather", "reduce-scatter", "allreduce"):
        result = search(ring, chunked_kind(kind), 6000, (1,), methods=("ring",))
        assert result.best.time / result.bound < 1.02
    with pytest.raises(SpecError, match="method spanning: it does not fit allreduce"):
        search(ring, "allreduce", 6000, (1,), methods=("spanning",))


def test_nothing_found_is_an_error() -> None:
    topology = linked(load_topology("ring-4"), Fraction(1), Fraction(1))
    with pytest.raises(SpecError, match="no schedule of allgather was found"):
        search(topology, "allgather", 64, (10**6,))
    with pytest.raises(SpecError, match="no schedule of allgather was found in time"):
        search(topology, "allgather", 64, (1,), methods=("greedy",), stop=lambda: True)
    with pytest.raises(SpecError, match="bytes must be 1"):
        search(topology, "allgather", 0, (1,))
    with pytest.raises(SpecError, match="root must be a rank"):
        search(topology, "broadcast", 1, (1,), root=4)
    alone = Topology("alone", 1, 0, ())
    with pytest.raises(SpecError, match="a rank alone"):
        search(alone, "allgather", 64, (1,))


def test_what_was_tried_is_not_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = linked(load_topology("ring-4"), Fraction(1), Fraction(1))
    monkeypatch.setattr("syncfabric.models.collectives.chunks.search.MOST_SENDS", 1)
    with pytest.raises(SpecError, match=r"sends at most; take a longer time limit$"):
        search(ring, "alltoall", 2**20, (1,), methods=("shortest",))
    with pytest.raises(
        SpecError, match=r"take fewer chunks, a longer time limit, or the method sh"
    ):
        search(ring, "alltoall", 2**20, (1, 2), methods=("paths",))


@pytest.mark.parametrize("kind", CHUNKED)
def test_there_is_a_schedule_without_time(kind: Chunked) -> None:
    """The first method asks for no time, and a bound needs no search."""
    for name in ("dgx-a100-pair", "mesh-3x3", "coated-mesh-4x4"):
        topology = linked(load_topology(name), Fraction(1000), Fraction(1))
        result = search(topology, kind, SIZE, (1, 2), stop=lambda: True)
        assert [(found.method, found.parts) for found in result.found] == [("shortest", 1)]
        assert result.front == [result.best]
        assert result.best.latency is None
        assert 0 < result.bound <= result.best.time
        assert set(result.left_out) == {1, 2}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("hypercube-64", "allgather"), ("dragonfly-2x4x2", "alltoall"), ("mesh-8x8", "scatter")],
)
def test_a_time_limit_is_kept(name: str, kind: Chunked) -> None:
    topology = linked(load_topology(name), Fraction(1000), Fraction(1))
    begun = monotonic()
    result = search(topology, kind, SIZE, (1, 2, 4, 8, 16), time_limit=0.3)
    assert result.left_out
    assert monotonic() - begun < 20


def test_what_comes_after_a_search_is_within_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a schedule that takes long to check, the file takes long to write."""
    now = [0.0]

    def slowly(schedule: Schedule) -> Outcome:
        outcome = check(schedule)
        now[0] += 8
        return outcome

    monkeypatch.setattr("syncfabric.models.collectives.chunks.search.check", slowly)
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("syncfabric.models.collectives.clock.time", clock)
    topology = linked(load_topology("ring-8"), Fraction(1000), Fraction(1))
    result = search(topology, "allgather", SIZE, (1,), time_limit=10)
    assert [found.method for found in result.found] == ["shortest"]
    assert result.left_out == (1,)
