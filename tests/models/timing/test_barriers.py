"""What barriers take in LogGP: values by hand, and the orders and shapes paper Reflex tells of."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.barriers import (
    centralized_ns,
    crossover,
    dissemination_ns,
    memory_dissemination_ns,
    reflex_ns,
    tile_spin_ns,
    tile_sync_ns,
    udn_stn_ns,
    wires_ns,
)
from syncfabric.models.timing.loggp import (
    INFINIBAND,
    TILE64,
    TILE64_CYCLE_NS,
    TILE64_MEMORY,
    LogGP,
)
from syncfabric.models.timing.wires import wire_bound

BY_HAND = LogGP(L=1_000, o=100, g=10, G=0, h=1)
"""A message over three hops takes 1,203 ns, an access 2,406, a signal in memory 3,609."""

MESHES = {4: 2, 8: 4, 16: 6, 32: 10, 64: 14}
"""By cores the diameter of the squarest mesh with room: 2x2, 3x3, 4x4, 6x6, 8x8."""


@pytest.mark.parametrize(
    ("found", "by_hand"),
    [
        (reflex_ns(5, BY_HAND), 2 * 1_200 + 2 * 5),
        (udn_stn_ns(5, 3, BY_HAND), 4 * 10 + 2 * 3 + 4 * 100),
        (dissemination_ns(5, 3, BY_HAND), 3 * 1_203),
        (memory_dissemination_ns(5, 3, BY_HAND), 3 * 3_609),
        (centralized_ns(5, 3, BY_HAND), 5 * 2_406 + 3_609 + 3 * 10),
        (tile_spin_ns(5, 3, BY_HAND), 2_406 + 4 * 10 + 3_609 + 3 * 10),
        (tile_sync_ns(5, 3, BY_HAND, wake_ns=7), 5 * 2_406 + 3_609 + 3 * 10 + 7),
    ],
)
def test_five_processes_three_hops_apart(found: float, by_hand: float) -> None:
    assert found == by_hand


@pytest.mark.parametrize(
    ("processes", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6), (65, 7)]
)
def test_dissemination_takes_the_rounded_up_logarithm(processes: int, rounds: int) -> None:
    assert dissemination_ns(processes, 0, BY_HAND) == rounds * 1_200
    assert memory_dissemination_ns(processes, 0, BY_HAND) == rounds * 3_600


def test_one_more_core_costs_reflex_two_hops() -> None:
    for cores in range(2, 200):
        more = reflex_ns(cores + 1, TILE64) - reflex_ns(cores, TILE64)
        assert more == pytest.approx(2 * TILE64.h)


def test_a_thousand_cores_cost_a_few_microseconds() -> None:
    """As paper Reflex, section III-A, has it."""
    assert reflex_ns(1_064, TILE64) - reflex_ns(64, TILE64) == pytest.approx(2_857, abs=1)


@pytest.mark.parametrize(("links", "cycles"), [(4, 14), (16, 38), (64, 134)])
def test_tile64_without_software_takes_what_a_hardware_ring_takes(links: int, cycles: int) -> None:
    """2x2, 4x4 and 8x8 take 2 N + 6 cycles on a ring of N links."""
    assert reflex_ns(links, TILE64) == pytest.approx(cycles * TILE64_CYCLE_NS)


@pytest.mark.parametrize(
    ("links", "registers", "cycles"),
    [(0, 0, 2), (0, 3, 2), (2, 0, 6), (8, 0, 18), (8, 1, 34), (8, 3, 66), (16, 0, 34)],
)
def test_wires_take_their_links_there_and_back(links: int, registers: int, cycles: int) -> None:
    """8 links from the middle of 8x8 to its corner, 16 on 16x16."""
    assert wire_bound(links, registers) == cycles
    assert wires_ns(links, registers, TILE64) == pytest.approx(cycles * TILE64_CYCLE_NS)
    by_hand = 2 * 100 + 2 * links * (1 + registers) * 1
    assert wires_ns(links, registers, BY_HAND) == by_hand


def test_wires_refuse_what_no_link_is() -> None:
    with pytest.raises(PlanError, match=r"^Barrier model: links must be 0 or more, not -1$"):
        wires_ns(-1, 0, BY_HAND)
    message = r"^Barrier model: link_registers must be 0 or more, not -2$"
    with pytest.raises(PlanError, match=message):
        wires_ns(3, -2, BY_HAND)


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


def test_reflex_scales_better_than_udn_stn() -> None:
    """Fig. 6b: perfect against really good; level at 4 cores, and ever further apart."""
    ahead = [
        udn_stn_ns(cores, diameter, TILE64) - reflex_ns(cores, TILE64)
        for cores, diameter in MESHES.items()
    ]
    assert ahead[0] == pytest.approx(0)
    assert all(less < more for less, more in pairwise(ahead))


def test_infiniband_is_linear_for_reflex_and_logarithmic_for_dissemination() -> None:
    """11.38 µs + 0.2 µs a node, against 5.69 µs a round: equal in the eighth round, at 171."""
    assert reflex_ns(4_096, INFINIBAND) == pytest.approx(11_380 + 4_096 * 200)
    assert dissemination_ns(4_096, 0, INFINIBAND) == pytest.approx(12 * 5_690)

    def reflex(nodes: int) -> float:
        return reflex_ns(nodes, INFINIBAND)

    def dissemination(nodes: int) -> float:
        return dissemination_ns(nodes, 0, INFINIBAND)

    assert crossover(reflex, dissemination, 10_000) == 171
    assert reflex(170) <= dissemination(170)
    assert reflex(171) > dissemination(171)


@pytest.mark.parametrize(
    ("slower_at", "most", "found"),
    [
        ({5, 6, 7, 8}, 8, 5),
        ({3, 5, 6, 7, 8}, 8, 5),
        ({2, 3, 4}, 4, 2),
        ({2, 3}, 4, None),
        (set(), 2, None),
    ],
)
def test_crossover_is_where_it_stays_slower(
    slower_at: set[int], most: int, found: int | None
) -> None:
    assert crossover(lambda n: float(n in slower_at), lambda n: 0.0, most) == found


def test_equal_is_not_slower() -> None:
    assert crossover(lambda n: 1.0, lambda n: 1.0, 4) is None


@pytest.mark.parametrize(
    "barrier",
    [
        udn_stn_ns,
        dissemination_ns,
        memory_dissemination_ns,
        centralized_ns,
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


def test_reflex_and_crossover_refuse_fewer_than_two() -> None:
    with pytest.raises(PlanError, match=r"^Barrier model: processes must be 2 or more, not 0;"):
        reflex_ns(0, BY_HAND)
    with pytest.raises(PlanError, match=r"^Barrier model: processes must be 2 or more, not 1;"):
        crossover(lambda n: 1.0, lambda n: 0.0, 1)


@pytest.mark.parametrize("wake", [0, -1, float("nan")])
def test_waking_takes_time(wake: float) -> None:
    with pytest.raises(PlanError, match=rf"^Barrier model: wake_ns must be above 0 ns, not {wake}"):
        tile_sync_ns(4, 2, BY_HAND, wake_ns=wake)
