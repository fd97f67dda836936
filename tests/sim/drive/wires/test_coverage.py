"""What runs on networks with barrier wires have met, of all that they could."""

import random
from collections import Counter as Tally
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import GroupSpec, RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.coverage import coverage_of, holes, percent, universe
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lines import EMPTY, Line
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.drive.wires.notes import Loose, Whole
from tests.sim.drive.clusters import drawn
from tests.sim.drive.networks import members, mesh, plan_of
from tests.sim.drive.wires.nets import modelled

THRESHOLD = 97.0
SCENARIOS = (
    Scenario(episodes=8, jitter=4),
    Scenario(episodes=12, policy="mixed", seed=2, jitter=4, noise=True, background=0.3),
    Scenario(episodes=12, policy="mixed", seed=3, jitter=4, noise=True),
    Scenario(episodes=4, policy="together", seed=4, background=1.0, cycles=2_500),
    Scenario(episodes=4, seed=5, jitter=4, hasty=True),
    Scenario(episodes=4, policy="mixed", seed=6, jitter=4, breaks=6),
)
"""Each is run on groups of its own, and there are so many rounds of it."""
ROUNDS = 3

NETWORKS: dict[str, RegisterSpec] = {
    "mesh": mesh(5, 4, sync="wires", parity=True, data_bits=3),
    "mesh, shared, both": mesh(5, 4, sync="both", wires="shared", data_bits=2),
    "mesh, alone": mesh(5, 5, sync="wires", channels=0, link_registers=1),
    "irregular": drawn(6, 6, 3, 10, 6, sync="wires", link_registers=1),
    "irregular, shared, alone": drawn(
        6, 6, 3, 10, 6, sync="wires", channels=0, wires="shared", parity=True
    ),
}


def groups_of(network: RegisterSpec, rng: random.Random) -> BarrierPlan:
    """Return a plan of groups of all sizes; groups on wires first, then some of messages."""
    nodes, groups = network.topology.nodes, []
    sizes = [len(nodes), 1, 2, *(rng.randint(2, len(nodes)) for _ in range(2))]
    for number, size in enumerate(sizes[: network.barrier_registers]):
        chosen = tuple(rng.sample(nodes, size))
        op: Any = ("or", "and", "xor")[number % 3]
        groups.append(GroupSpec(id=number, members=chosen, planner="wires", op=op))
        if network.has_messages:
            groups.append(GroupSpec(id=number + 50, members=chosen, planner="btm"))
    return plan_of(network, *groups)


QUICK = "mesh, alone"


@pytest.mark.parametrize(
    "name",
    [QUICK, *(pytest.param(name, marks=pytest.mark.long) for name in NETWORKS if name != QUICK)],
)
def test_a_regression_covers(name: str) -> None:
    network, rng = NETWORKS[name], random.Random(name)
    hits: Tally[str] = Tally()
    for turn in range(ROUNDS):
        for scenario in SCENARIOS:
            if network.channels or not scenario.background:
                run = replace(scenario, seed=scenario.seed + 10 * turn, lead_in=100)
                outcome = modelled(groups_of(network, rng), run, coverage=True)
                assert outcome.mismatches == []
                assert outcome.hang is None
                hits.update(outcome.coverage)
    bins = set(universe(network))
    if network.has_messages:  # those have a regression of their own
        bins = {one for one in bins if "slot" in one or "data" in one}
    assert percent(hits, bins) >= THRESHOLD, holes(hits, bins)


PLAN = plan_of(
    mesh(3, 1, sync="wires", data_bits=0, parity=True),
    members(6, (0, 0), (1, 0), (2, 0)),
    members(7, (0, 0), (1, 0), (2, 0)),
)
"""Two groups whose roots are in the middle."""


def line(cycle: int, *wires: tuple[int, int], release: int = 0) -> Line:
    results = [0] * release.bit_count()
    return Line(cycle, Record(0, 0, (), release, results, wires))


def test_levels_and_pulses_of_two_groups_in_one_unit() -> None:
    coverage = coverage_of(PLAN)
    levels, pulses = (f"two slots of a unit: {what} in one cycle" for what in ("levels", "pulses"))
    coverage.note(line(4, (0, 0b01)), 0)  # of the west node, to the middle
    coverage.note(line(5, (0, 0b11), (10, 0b01)), 0)
    assert coverage.hits[levels] == 0
    coverage.note(line(6, (0, 0), (10, 0)), 0)
    coverage.note(line(7, (0, 0b11)), 0)
    assert coverage.hits[levels] == 1
    assert coverage.hits[pulses] == 0
    low = PLAN.spec.register_network.barrier_registers
    coverage.note(line(8, (6, 0b11 << low), (4, 0b11 << low)), 0)  # from the middle to both
    assert coverage.hits[pulses] == 1
    assert coverage.hits["parity: 0"] > 0


def test_arrivals_together_and_before_the_tree_is_whole() -> None:
    coverage = coverage_of(PLAN)
    together = [Arrival(5, 1, member, 0) for member in (0, 1, 2)]
    early = [Arrival(9, 0, 0, 0), Arrival(10, 0, 1, 0), Arrival(20, 0, 2, 0)]
    coverage.begin(Chunk(0, arrivals=[*together, *early], notes=[Loose(7, 0), Whole(15, 0)]))
    for cycle in (6, 11, 21):
        coverage.note(line(cycle), 0)
    assert coverage.hits["slot: all members arrive in one cycle"] == 1
    assert coverage.hits["slot: arrival before all slots are set up"] == 2


def test_a_release_counts_the_roles_of_all_units() -> None:
    coverage = coverage_of(PLAN)
    per_node = PLAN.spec.register_network.port_registers
    coverage.note(line(8, release=1), 0, Line(8, EMPTY, observed=()))
    assert coverage.hits["slot: root with 2 kids"] == 1
    assert coverage.hits["slot: member below with 0 kids"] == 2
    broken = 1 << 5  # of slot 0 of the second node
    after = Line(9, EMPTY, observed=((1, broken),))
    coverage.note(line(9, release=1 << per_node), 0, after)
    assert coverage.hits["slot: broken release"] == 1
    assert coverage.hits["slot: root with 2 kids"] == 1
