"""What barriers in shared memory take in LogGP: values by hand, and paper Reflex's order."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.barriers import reflex_ns, udn_stn_ns
from syncfabric.models.timing.loggp import TILE64, TILE64_CYCLE_NS, TILE64_MEMORY, LogGP
from syncfabric.models.timing.memory_barriers import (
    centralized_ns,
    counter_ns,
    memory_dissemination_ns,
    tile_spin_late_ns,
    tile_spin_ns,
    tile_sync_ns,
)

BY_HAND = LogGP(L=1_000, o=100, g=10, G=0, h=1)
"""A message over three hops takes 1,203 ns, an access 2,406, a signal in memory 3,609."""

MESHES = {4: 2, 8: 4, 16: 6, 32: 10, 64: 14}
"""By cores the diameter of the squarest mesh with room: 2x2, 3x3, 4x4, 6x6, 8x8."""


@pytest.mark.parametrize(
    ("found", "by_hand"),
    [
        (memory_dissemination_ns(5, 3, BY_HAND), 3 * 3_609),
        (centralized_ns(5, 3, BY_HAND), 5 * 2_406 + 3_609 + 3 * 10),
        (tile_spin_ns(5, 3, BY_HAND), 2_406 + 4 * 10 + 3_609 + 3 * 10),
        (tile_sync_ns(5, 3, BY_HAND, wake_ns=7), 5 * 2_406 + 3_609 + 3 * 10 + 7),
        (tile_spin_late_ns(5, 3, BY_HAND), 2_406 + 1_203 + 2_406),
        (tile_spin_late_ns(300, 3, BY_HAND), 3_000 + 1_500 + 3_000),
    ],
)
def test_processes_three_hops_apart(found: float, by_hand: float) -> None:
    assert found == by_hand


@pytest.mark.parametrize(
    ("processes", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6), (65, 7)]
)
def test_dissemination_takes_the_rounded_up_logarithm(processes: int, rounds: int) -> None:
    assert memory_dissemination_ns(processes, 0, BY_HAND) == rounds * 3_600


def test_each_counts_over_its_own_way() -> None:
    """1, 0 and 2 hops there, 3, 0 and 4 back: the last stores over 2, the first reads over 4."""
    ways = [(0, 0), (1, 3), (2, 4)]
    updates = 3 * 2_400 + 4 + 6
    assert counter_ns(ways, BY_HAND) == updates + 1_202 + 2_404 + 10


@pytest.mark.parametrize("processes", [2, 3, 8])
def test_with_one_distance_it_is_the_formula(processes: int) -> None:
    ways = [(5, 5)] * processes
    assert counter_ns(ways, BY_HAND) == pytest.approx(centralized_ns(processes, 5, BY_HAND))


def test_a_counter_is_for_two() -> None:
    with pytest.raises(PlanError, match=r"^Barrier model: processes must be 2 or more, not 1;"):
        counter_ns([(0, 0)], BY_HAND)


@pytest.mark.parametrize("latency", [20, 30, 60, 100])
@pytest.mark.parametrize(("cores", "diameter"), MESHES.items())
def test_the_order_does_not_hang_on_the_memory_assumed(
    cores: int, diameter: int, latency: int
) -> None:
    """Tile Sync > centralized > dissemination > Tile Spin > UDN/STN and Reflex."""
    memory = LogGP(
        L=latency * TILE64_CYCLE_NS, o=TILE64_MEMORY.o, g=TILE64_MEMORY.g, G=0, h=TILE64.h
    )
    slowest_first = [
        tile_sync_ns(cores, diameter, memory),
        centralized_ns(cores, diameter, memory),
        memory_dissemination_ns(cores, diameter, memory),
        tile_spin_ns(cores, diameter, memory),
        max(udn_stn_ns(cores, diameter, TILE64), reflex_ns(cores, TILE64)),
    ]
    assert all(slow > fast for slow, fast in pairwise(slowest_first))


@pytest.mark.parametrize(
    "barrier",
    [
        memory_dissemination_ns,
        centralized_ns,
        tile_spin_late_ns,
        tile_spin_ns,
        tile_sync_ns,
    ],
)
def test_impossible_sizes_are_refused(barrier: Callable[[int, int, LogGP], float]) -> None:
    message = (
        r"^Barrier model: processes must be 2 or more, not 1; a process alone needs no barrier$"
    )
    with pytest.raises(PlanError, match=message):
        barrier(1, 3, BY_HAND)
    message = (
        r"^Barrier model: diameter must be 0 hops or more, not -1; "
        r"on a mesh it is width \+ height - 2$"
    )
    with pytest.raises(PlanError, match=message):
        barrier(2, -1, BY_HAND)


@pytest.mark.parametrize("wake", [0, -1, float("nan")])
def test_waking_takes_time(wake: float) -> None:
    with pytest.raises(PlanError, match=rf"^Barrier model: wake_ns must be above 0 ns, not {wake}"):
        tile_sync_ns(4, 2, BY_HAND, wake_ns=wake)
