"""Functional coverage of a regression: on the model, and on tiles."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.setup import COMMAND, Operation
from syncfabric.models.layout.words import (
    ManagerWord,
    RouterWord,
    config_address,
)
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.set_up import Epochs, set_up_command
from syncfabric.sim.assemble.network import link_wires
from syncfabric.sim.drive.backends import Simulation, run_job
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.checker import Checker
from syncfabric.sim.drive.coverage import EngineCoverage
from syncfabric.sim.drive.lanes import ledger_of
from syncfabric.sim.drive.recovery.run import RecoveryRunner
from syncfabric.sim.drive.recovery.scenario import RecoveryScenario, plan_after
from syncfabric.sim.drive.runner import ScenarioRunner, Session
from syncfabric.sim.drive.scenario import Job, Policy, Scenario
from syncfabric.sim.drive.stimulus import driver_of
from tests.models.golden.static_bench import mesh_of
from tests.models.planning.static_paths import disjoint_groups
from tests.nightly import nightly_but
from tests.sim.drive.clusters import drawn, ring
from tests.sim.drive.coverage import covered, lifecycle_universe, static_universe, universe
from tests.sim.drive.networks import (
    SCENARIOS,
    SEED,
    check,
    irregular,
    make_job,
    members,
    mesh,
    plan_of,
)
from tests.sim.drive.static.networks import SMALL
from tests.sim.fabric.faulty import random_faults

ROUNDS = 2
"""Times that the scenarios are run, with other groups and seeds each time."""
NETWORKS: dict[str, MessageSpec] = {
    "mesh": mesh(4, 4),
    "mesh, wires, shared links": mesh(4, 4, wires=2, message_links="shared"),
    "mesh, routed": mesh(4, 4, transport="routed"),
    "irregular": drawn(2, switches=8, extra=5, nodes=16, ports=6, channels=2, buffer_flits=2),
}


@pytest.mark.parametrize("tiles", [False, pytest.param(True, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("name", nightly_but(["mesh, wires, shared links", "irregular"], NETWORKS))
def test_a_regression_covers(
    name: str, tiles: bool, record_property: Callable[[str, object], None]
) -> None:
    network = NETWORKS[name]
    scenarios = [
        replace(each, seed=each.seed + 10 * turn) for turn in range(ROUNDS) for each in SCENARIOS
    ]
    job = make_job(network, random.Random(f"coverage {name}/{SEED}"), scenarios, coverage=True)
    simulation: Simulation
    simulation = run_job(job, "verilator") if tiles else run_job(job, "model")
    check(job, simulation)
    record_property(
        "coverage",
        covered(f"{name} ({network.topology})", simulation.outcomes, set(universe(network))),
    )


MANAGED: dict[str, Any] = {"setup": "manager", "check_bits": 8, "watchdog": 300, "groups": 8}
CHURNED: dict[str, tuple[MessageSpec, str]] = {
    "mesh, managers, check bits": (mesh(3, 3, managers=((0, 0), (2, 2)), **MANAGED), "1,1-2,1"),
    "irregular, managers, check bits": (irregular(ring(5, 2).topology, **MANAGED), "2"),
}
"""Networks, and what dies."""
PEACE = 2000
"""Cycle after which no link of `_strike` fails; it ends 1,600 later."""


@pytest.mark.nightly
@pytest.mark.parametrize("name", CHURNED)
def test_groups_that_end_and_links_that_fail_cover(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    """Illegal stimuli, groups that come and go, something that dies, and links that fail."""
    (network, dies), rng = CHURNED[name], random.Random(f"lives {name}/{SEED}")
    nodes, bins = network.topology.nodes, {*universe(network), *lifecycle_universe(network)}
    job = make_job(network, rng, SCENARIOS[2:], coverage=True)
    simulation = run_job(job, "model")
    check(job, simulation)
    plan = plan_of(network, members(1, *nodes), members(2, nodes[0], nodes[-1]))
    scenario = Scenario(episodes=2, seed=SEED, churn=20)
    churn = ScenarioRunner(plan, scenario, replace(job, runs=())).run_model()
    assert not churn.mismatches
    measure = EngineCoverage(plan, ledger_of(network))
    _let_die(plan, dies, measure)
    _strike(plan, measure, rng)
    outcomes = [*simulation.outcomes, churn]
    record_property("coverage", covered(name, outcomes, bins, more=measure.hits))


def _let_die(plan: BarrierPlan, name: str, measure: EngineCoverage) -> None:
    """Let a link or router die, and bring the groups back around it."""
    network = plan.spec.message_network
    dead = Dead.of(network.topology, [name])
    scenario = RecoveryScenario(dead, at=100, timeout=500, episodes=3, seed=SEED, limit=60_000)
    runner = RecoveryRunner(plan, plan_after(plan, scenario), scenario)
    runner.checker = Checker(network, [BarrierCheck(plan), measure])
    result = runner.run_model()
    assert result.ok, result
    assert result.costs


def _strike(plan: BarrierPlan, measure: EngineCoverage, rng: random.Random) -> None:
    """Corrupt flits and lose credits; then give managers vain commands, and read all counters."""
    network = plan.spec.message_network
    session = Session(
        driver_of(plan, Scenario(episodes=10**6, policy="mixed", seed=SEED, background=0.05)),
        Scenario.limit,
    )
    requests = [*_vain_commands(plan), *_reads(network)]
    session.driver.port.requests.appendleft(_status(plan))
    # The last fault is a drop; without it no message is lost, and all barriers go on.
    cycles = sorted(rng.sample(range(PEACE - 1500, PEACE), 300))
    faults = random_faults(network, rng, [*cycles, PEACE + 1500], [FaultKind.CREDIT])
    flit = (1 << link_wires(network)["flit"]) - 1
    faults = [
        replace(fault, kind=FaultKind.FLIP, mask=flit & 1 << rng.randrange(16))
        if rng.random() < 0.8
        else fault
        for fault in faults
    ]
    faults[-1] = replace(faults[-1], kind=FaultKind.DROP, mask=0)
    session.driver.model.inject(faults)
    sides = Checker(network, [measure])
    while session.cycle < PEACE + 1600:
        assert not session.finished, session.hang
        if session.cycle > PEACE:
            session.driver.port.requests.extend(requests)
            requests = []
        chunk = session.advance(100)
        chunk.faults += [fault for fault in faults if chunk.first <= fault.cycle < chunk.end]
        sides.follow(chunk, chunk.lines)


def _status(plan: BarrierPlan) -> ConfigRequest:
    """Return a read of the first manager's status."""
    node = plan.spec.message_network.shape.managers[0]
    return ConfigRequest(node, config_address(ManagerWord.STATUS), False)


def _vain_commands(plan: BarrierPlan) -> Iterator[ConfigRequest]:
    """Yield commands that routers refuse, one that is ended by ABORT, and one of no requests."""
    shape = plan.spec.message_network.shape
    node, group = shape.managers[0], plan.engine_groups[0]
    # The entries of a group that is set up, and others that are free; both by a wrong epoch.
    for places in (group.placement, dict.fromkeys(group.placement, 3)):
        epochs = Epochs()
        for place in places.items():
            epochs[place] = 2
        asked = replace(group, placement=places)
        for address, word in set_up_command(asked, shape, epochs):
            yield ConfigRequest(node, address, True, word)
        for _ in range(40):
            yield _status(plan)
    address = config_address(ManagerWord.COMMAND)
    for operation, count in (
        (Operation.KILL, 1),
        *[(Operation.ABORT, 0)] * 2,
        (Operation.SETUP, 0),
        (Operation.KILL, 0),
    ):
        command = COMMAND.pack({"operation": operation, "count": count})
        yield ConfigRequest(node, address, True, command)


def _reads(network: MessageSpec) -> Iterator[ConfigRequest]:
    """Yield reads of what every router's guards have counted, and a write that opens its fences."""
    for router in range(network.shape.routers):
        for word in (RouterWord.CORRUPT, RouterWord.LOST, RouterWord.FENCE):
            address = config_address(word)
            yield ConfigRequest(network.shape.target_of(router), address, word == RouterWord.FENCE)


POLICIES: tuple[Policy, ...] = ("last", "together", "back_to_back", "skew", "mixed")
RUNS = 30
STAR = GroupSpec(id=1, members=((1, 1), (0, 1), (2, 1), (1, 0), (1, 2)), planner="tree")
"""Its root feeds all four neighbours."""


def planned(spec: StaticSpec, rng: random.Random) -> BarrierPlan:
    """Return random rings and trees that find room side by side."""
    while True:
        groups = tuple(disjoint_groups(mesh_of(spec), rng, ("ring", "tree")))
        try:
            return make_plan(NetworkSpec(name="drawn", network=spec, groups=groups))
        except PlanError:
            continue


@pytest.mark.nightly
def test_a_regression_of_a_static_network_covers(
    record_property: Callable[[str, object], None],
) -> None:
    rng = random.Random(f"static coverage/{SEED}")
    star = NetworkSpec(name="star", network=SMALL, groups=(STAR,))
    plans = [make_plan(star), *(planned(SMALL, rng) for _ in range(RUNS))]
    job = Job(
        tuple(
            (
                plan,
                Scenario(
                    episodes=8,
                    seed=rng.getrandbits(16),
                    policy=POLICIES[number % len(POLICIES)],
                    noise=number % 2 > 0,
                ),
            )
            for number, plan in enumerate(plans)
        ),
        coverage=True,
    )
    simulation = run_job(job, "verilator")
    check(job, simulation)
    record_property(
        "coverage",
        covered(
            f"static ({SMALL.topology})", simulation.outcomes, set(static_universe()), alone=True
        ),
    )


def met(*groups: GroupSpec) -> set[str]:
    """Return the bins that one barrier of these groups meets on a 3x3 network."""
    spec = StaticSpec(kind="static", width=3, height=3)
    plan = make_plan(NetworkSpec(name="one", network=spec, groups=groups))
    scenario = Scenario(episodes=1, policy="together")
    outcome = ScenarioRunner(plan, scenario, Job(((plan, scenario),), coverage=True)).run_model()
    return {name for name, count in outcome.coverage.items() if count}


def test_a_ring_around_a_square_meets_what_rings_meet() -> None:
    hits = met(GroupSpec(id=1, members=((0, 0), (1, 0), (0, 1)), planner="ring"))
    assert {"released: RING", "released: RING_ROOT", "passing a nonmember: ring"} <= hits
    assert "an input feeds 2 outputs" in hits
    assert not {"released: TREE", "an input feeds 3 outputs", "an input feeds 4 outputs"} & hits
    assert "two groups in a switch in one cycle" not in hits


def test_a_star_feeds_all_its_outputs_at_once() -> None:
    hits = met(STAR)
    assert {"released: TREE", "released: TREE_ROOT", "an input feeds 4 outputs"} <= hits
    assert not {"passing a nonmember: tree", "released: RING", "released: ALONE"} & hits
