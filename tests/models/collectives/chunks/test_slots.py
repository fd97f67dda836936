"""Schedules in the fewest slots, and what has none."""

import random
from fractions import Fraction

import pytest

from syncfabric.models.collectives.chunks.checker import check
from syncfabric.models.collectives.chunks.schedule import Exchange, Schedule
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.chunks.slots import in_slots
from syncfabric.models.collectives.clock import Clock, TimeUpError
from syncfabric.models.collectives.files import load_topology
from syncfabric.models.collectives.topology import Link, Topology, linked
from tests.models.collectives.chunks.drawn import drawn


@pytest.mark.parametrize(
    ("name", "parts", "slots"),
    [("hypercube-8", 3, 7), ("mesh-3x3", 1, 4), ("ring-5", 2, 4)],
)
def test_the_bound_is_met(name: str, parts: int, slots: int) -> None:
    topology = linked(load_topology(name), Fraction(0), Fraction(1))
    exchange = Exchange("allgather", topology.nodes, parts, parts)
    sends = in_slots(topology, exchange, False, slots, 1)
    assert sends is not None
    assert check(Schedule(topology, exchange, tuple(sends))) == (Fraction(slots), (), 0)
    assert in_slots(topology, exchange, False, slots - 1, 1) is None


def test_lanes_and_one_way_links() -> None:
    """Right wherever there is one, and no slot is left out that a cut demands."""
    rng, found = random.Random(5), 0
    for _ in range(12):
        topology = drawn(rng, rng.randint(2, 4))
        links = tuple(Link(Fraction(0), Fraction(1), link.lanes) for link in topology.links)
        topology = Topology("drawn", topology.nodes, 0, topology.channels, links)
        exchange = Exchange("allgather", topology.nodes, 2, 2)
        if sends := in_slots(topology, exchange, False, None, 1):
            assert check(Schedule(topology, exchange, tuple(sends))).broken == 0
            found += 1
    assert found > 6


def test_what_is_not_for_slots() -> None:
    for name in ("dgx-1-pair", "dgx-a100", "torus-16x16"):
        topology = linked(load_topology(name), Fraction(0), Fraction(1))
        exchange = Exchange("allgather", topology.nodes, 1)
        assert in_slots(topology, exchange, False, None, 1) is None

    with Clock(60, lambda: True).rules(), pytest.raises(TimeUpError):
        in_slots(topology, Exchange("scatter", 256, 1), False, None, 1)


def test_past_switches_a_path_takes_a_slot() -> None:
    """Two switches with two ranks each: four shares cross their link each way, one a slot."""
    ends = ((0, 4), (1, 4), (2, 5), (3, 5), (4, 5))
    channels = tuple(sorted((*ends, *((b, a) for a, b in ends))))
    link = Link(Fraction(0), Fraction(1))
    pair = Topology("pair", 4, 2, channels, (link,) * len(channels))
    for parts in (1, 2):
        exchange = Exchange("alltoall", 4, 48, parts)
        sends = in_slots(pair, exchange, False, None, 1)
        assert sends is not None
        assert check(Schedule(pair, exchange, tuple(sends))) == (4 * exchange.share, (), 0)
        assert in_slots(pair, exchange, False, 4 * parts - 1, 1) is None
    assert in_slots(pair, Exchange("allgather", 4, 48), False, None, 1) is None


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "parts", "ratio"), [("fat-octagon-16", 1, 1.001), ("coated-mesh-4x4", 2, 1.04)]
)
def test_alltoall_past_switches_is_close_to_the_bound(name: str, parts: int, ratio: float) -> None:
    topology = linked(load_topology(name), Fraction(1000), Fraction(1))
    found = search(topology, "alltoall", 2**26, (parts,), methods=("exact",), time_limit=600)
    assert 1 <= found.best.time / found.bound <= ratio
