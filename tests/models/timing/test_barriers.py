"""What barriers take in LogGP: values by hand, and the orders and shapes of paper Reflex."""

from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.multicast_tree import tree_flits
from syncfabric.models.timing.barriers import (
    BARRIERS,
    barrier_ns,
    counter_ns,
    crossover,
    reflex_late_ns,
    reflex_tree_ns,
    rounds_ns,
    wires_ns,
)
from syncfabric.models.timing.loggp import (
    INFINIBAND,
    TILE64,
    TILE64_CYCLE_NS,
    TILE64_MEMORY,
    LogGP,
)
from syncfabric.models.timing.static import tree_bound
from tests.models.timing.exact import ring_latency

BY_HAND = LogGP(L=1_000, o=100, g=10, G=0, h=1)
"""A message over three hops takes 1,203 ns, an access 2,406, a signal in memory 3,609."""

MESHES = {4: 2, 8: 4, 16: 6, 32: 10, 64: 14}
"""By cores the diameter of the squarest mesh with room: 2x2, 3x3, 4x4, 6x6, 8x8."""


@pytest.mark.parametrize(
    ("name", "processes", "by_hand"),
    [
        ("reflex", 5, 2 * 1_200 + 2 * 5),
        ("udn-stn", 5, 4 * 10 + 2 * 3 + 4 * 100),
        ("dissemination", 5, 3 * 1_203),
        ("memory-dissemination", 5, 3 * 3_609),
        ("centralized", 5, 5 * 2_406 + 3_609 + 3 * 10),
        ("tile-spin", 5, 2_406 + 4 * 10 + 3_609 + 3 * 10),
        ("tile-spin-late", 5, 2_406 + 1_203 + 2_406),
        ("tile-spin-late", 300, 3_000 + 1_500 + 3_000),
    ],
)
def test_processes_three_hops_apart(name: str, processes: int, by_hand: float) -> None:
    assert barrier_ns(name, processes, 3, BY_HAND) == by_hand


@pytest.mark.parametrize(
    ("processes", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (64, 6), (65, 7)]
)
def test_dissemination_takes_the_rounded_up_logarithm(processes: int, rounds: int) -> None:
    assert barrier_ns("dissemination", processes, 0, BY_HAND) == rounds * 1_200
    assert barrier_ns("memory-dissemination", processes, 0, BY_HAND) == rounds * 3_600


@pytest.mark.parametrize("latency", [20, 30, 60, 100])
@pytest.mark.parametrize(("cores", "diameter"), MESHES.items())
def test_the_order_does_not_hang_on_the_memory_assumed(
    cores: int, diameter: int, latency: int
) -> None:
    """Centralized > dissemination > Tile Spin > UDN/STN and Reflex."""
    memory = LogGP(
        L=latency * TILE64_CYCLE_NS, o=TILE64_MEMORY.o, g=TILE64_MEMORY.g, G=0, h=TILE64.h
    )
    by_network = (barrier_ns(name, cores, diameter, TILE64) for name in ("udn-stn", "reflex"))
    slowest_first = [
        barrier_ns("centralized", cores, diameter, memory),
        barrier_ns("memory-dissemination", cores, diameter, memory),
        barrier_ns("tile-spin", cores, diameter, memory),
        max(by_network),
    ]
    assert all(slow > fast for slow, fast in pairwise(slowest_first))


def test_one_more_core_costs_reflex_two_hops() -> None:
    for cores in range(2, 200):
        more = barrier_ns("reflex", cores + 1, 0, TILE64) - barrier_ns("reflex", cores, 0, TILE64)
        assert more == pytest.approx(2 * TILE64.h)


def test_a_thousand_cores_cost_a_few_microseconds() -> None:
    """As paper Reflex, section III-A, has it."""
    assert barrier_ns("reflex", 1_064, 0, TILE64) - barrier_ns(
        "reflex", 64, 0, TILE64
    ) == pytest.approx(2_857, abs=1)


@pytest.mark.parametrize(("links", "cycles"), [(4, 14), (16, 38), (64, 134)])
def test_tile64_without_software_takes_what_a_hardware_ring_takes(links: int, cycles: int) -> None:
    """2x2, 4x4 and 8x8 take 2 N + 6 cycles on a ring of N links."""
    assert barrier_ns("reflex", links, 0, TILE64) == pytest.approx(cycles * TILE64_CYCLE_NS)


@pytest.mark.parametrize(
    ("links", "registers", "cycles"),
    [(0, 0, 2), (0, 3, 2), (2, 0, 6), (8, 0, 18), (8, 1, 34), (8, 3, 66), (16, 0, 34)],
)
def test_wires_take_their_links_there_and_back(links: int, registers: int, cycles: int) -> None:
    """8 links from the middle of 8x8 to its corner, 16 on 16x16."""
    assert wires_ns(links, registers, TILE64) == pytest.approx(cycles * TILE64_CYCLE_NS)
    by_hand = 2 * 100 + 2 * links * (1 + registers) * 1
    assert wires_ns(links, registers, BY_HAND) == by_hand


def test_reflex_scales_better_than_udn_stn() -> None:
    """Fig. 6b: perfect against really good; level at 4 cores, and ever further apart."""
    ahead = [
        barrier_ns("udn-stn", cores, diameter, TILE64) - barrier_ns("reflex", cores, 0, TILE64)
        for cores, diameter in MESHES.items()
    ]
    assert ahead[0] == pytest.approx(0)
    assert all(less < more for less, more in pairwise(ahead))


def test_infiniband_is_linear_for_reflex_and_logarithmic_for_dissemination() -> None:
    """11.38 µs + 0.2 µs a node, against 5.69 µs a round: equal in the eighth round, at 171."""
    assert barrier_ns("reflex", 4_096, 0, INFINIBAND) == pytest.approx(11_380 + 4_096 * 200)
    assert barrier_ns("dissemination", 4_096, 0, INFINIBAND) == pytest.approx(12 * 5_690)

    reflex, dissemination = (
        partial(barrier_ns, name, diameter=0, times=INFINIBAND)
        for name in ("reflex", "dissemination")
    )
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


@pytest.mark.parametrize("name", BARRIERS)
def test_impossible_sizes_are_refused(name: str) -> None:
    message = (
        r"^Barrier model: processes must be 2 or more, not 1; a process alone needs no barrier$"
    )
    with pytest.raises(PlanError, match=message):
        barrier_ns(name, 1, 3, BY_HAND)
    message = (
        r"^Barrier model: diameter must be 0 hops or more, not -1; "
        r"on a mesh it is width \+ height - 2$"
    )
    with pytest.raises(PlanError, match=message):
        barrier_ns(name, 2, -1, BY_HAND)


def test_counters_and_crossovers_are_for_two() -> None:
    message = r"^Barrier model: processes must be 2 or more, not 1;"
    with pytest.raises(PlanError, match=message):
        counter_ns(np.array([(0, 0)]), BY_HAND)
    with pytest.raises(PlanError, match=message):
        crossover(lambda n: 1.0, lambda n: 0.0, 1)


@pytest.mark.parametrize(("late", "by_hand"), [(0, 2_410), (1, 2_409), (4, 2_406)])
def test_a_late_process_saves_the_hops_that_the_notify_has_passed(late: int, by_hand: int) -> None:
    assert reflex_late_ns(5, late, BY_HAND) == by_hand


def test_one_late_is_as_in_hardware_but_for_a_cycle() -> None:
    network = StaticSpec(kind="static", width=4, height=4)
    for late in range(16):
        cycles = reflex_late_ns(16, late, TILE64) / TILE64_CYCLE_NS
        assert cycles == pytest.approx(ring_latency(16, late, network) + 1)


@pytest.mark.parametrize("late", [-1, 5])
def test_no_other_is_late(late: int) -> None:
    with pytest.raises(PlanError, match=rf"^Barrier model: late must be 0 to 4, not {late}$"):
        reflex_late_ns(5, late, BY_HAND)


def test_a_tree_sends_its_flits_as_one_message() -> None:
    """9 flits of 4 bytes, the last 8 words behind the first; or every second time."""
    machine = LogGP(L=1_000, o=100, g=10, G=0.5, h=1)
    assert reflex_tree_ns(2, 9, machine) == 1_200 + 2 + 8 * 4 * 0.5
    assert reflex_tree_ns(2, 9, machine, streams=False) == 1_200 + 2 + 16 * 4 * 0.5


@pytest.mark.parametrize("places", [1, 2, 4])
@pytest.mark.parametrize("links", [1, 4, 8])
def test_a_tree_takes_two_cycles_more_than_hardware(links: int, places: int) -> None:
    names = ("switch_buffer", "core_buffer", "injection_buffer")
    buffers: dict[str, Any] = dict.fromkeys(names, places)
    network = StaticSpec(kind="static", width=2, height=2, **buffers)
    flits = tree_flits(links, network)
    found = reflex_tree_ns(links, flits, TILE64, streams=places > 1) / TILE64_CYCLE_NS
    assert found == pytest.approx(tree_bound(links, flits, network) + 2)


@pytest.mark.parametrize("processes", [2, 3, 8, 13])
def test_with_one_distance_known_hops_take_what_the_formula_says(processes: int) -> None:
    hops = np.full(((processes - 1).bit_length(), processes), 5)
    formula = barrier_ns("dissemination", processes, 5, BY_HAND)
    assert rounds_ns(hops, BY_HAND) == pytest.approx(formula)
    formula = barrier_ns("centralized", processes, 5, BY_HAND)
    assert counter_ns(np.full((processes, 2), 5), BY_HAND) == pytest.approx(formula)


def test_each_counts_over_its_own_path() -> None:
    """1, 0 and 2 hops there, 3, 0 and 4 back: the last stores over 2, the first reads over 4."""
    hops = np.array([(0, 0), (1, 3), (2, 4)])
    updates = 3 * 2_400 + 4 + 6
    assert counter_ns(hops, BY_HAND) == updates + 1_202 + 2_404 + 10


def test_a_far_signal_holds_up_its_receiver_alone() -> None:
    """Of four, 0 to 1 takes 50 hops in the first round: 1 is through at 1,250; then 3, at 2,450."""
    hops = np.array([[50, 0, 0, 0], [0, 0, 0, 0]])
    assert rounds_ns(hops, BY_HAND) == 1_250 + 1_200
    hops = np.array([[50, 0, 0, 0], [0, 0, 40, 0]])
    assert rounds_ns(hops, BY_HAND) == 1_250 + 1_200
    hops = np.array([[50, 0, 0, 0], [0, 40, 0, 0]])
    assert rounds_ns(hops, BY_HAND) == 1_250 + 1_240


def test_who_is_late_spends_o_on_each_signal_all_the_same() -> None:
    """Of eight, 1 is through the first round late, the second 2 o later; then its path is long."""
    hops = np.zeros((3, 8), dtype=np.int64)
    hops[0, 0] = hops[2, 1] = 10_000
    assert rounds_ns(hops, BY_HAND) == 11_200 + 200 + 11_200
