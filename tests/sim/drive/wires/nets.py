"""Networks with barrier wires, their groups, and runs on them."""

from typing import Any, Literal

from syncfabric.models.networks.spec import GroupSpec, RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.conduct import Conductor, conduct_model
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh, plan_of

__all__ = [
    "COMBINATIONS",
    "Kind",
    "conducted",
    "judge",
    "modelled",
    "network_of",
    "scenarios_of",
    "wired",
]

Kind = Literal["mesh", "irregular"]

KINDS: tuple[Kind, ...] = ("mesh", "irregular")
KEYS: dict[str, dict[str, Any]] = {
    "wires": {},
    "wires, no data, far": {"data_bits": 0, "link_registers": 2, "parity": True},
    "wires, shared": {"wires": "shared", "link_registers": 1, "parity": True},
    "wires alone": {"channels": 0, "link_registers": 3},
    "wires alone, shared": {"channels": 0, "wires": "shared", "data_bits": 9, "watchdog": 80},
    "wires, managers": {"setup": "manager", "watchdog": 120},
    "wires, managers, shared": {"setup": "manager", "wires": "shared", "parity": True},
    "both": {"sync": "both", "watchdog": 100},
    "both, shared": {"sync": "both", "wires": "shared", "link_registers": 1},
    "both, managers": {"sync": "both", "setup": "manager", "parity": True, "watchdog": 150},
}
COMBINATIONS = {f"{kind}, {name}": (kind, keys) for kind in KINDS for name, keys in KEYS.items()}

SCENARIOS = (
    Scenario(episodes=6, jitter=4),
    Scenario(episodes=12, policy="mixed", seed=3, jitter=4, background=0.1, lead_in=50),
    Scenario(episodes=20, policy="mixed", seed=4, jitter=4, noise=True),
    Scenario(episodes=6, policy="mixed", seed=6, jitter=4, breaks=8),
)
HASTY = Scenario(episodes=6, seed=5, jitter=4, hasty=True)


def network_of(kind: Kind, **keys: Any) -> RegisterSpec:
    """Return a small network with barrier wires, by default with nothing else for barriers."""
    keys = {"sync": "wires", **keys}
    return mesh(3, 2, **keys) if kind == "mesh" else irregular(SMALL, **keys)


def wired(network: RegisterSpec) -> BarrierPlan:
    """Plan groups on wires that share routers; where there are messages, one of these too."""
    nodes = tuple(network.topology.nodes)
    groups = [
        GroupSpec(id=3, members=nodes, planner="wires"),
        GroupSpec(id=5, members=nodes[: len(nodes) // 2], planner="wires", op="and"),
        GroupSpec(id=9, members=(nodes[0], nodes[-1]), planner="wires", op="xor"),
        GroupSpec(id=12, members=nodes[-1:], planner="wires"),
    ]
    if network.has_messages:
        planner = "btm" if network.kind == "mesh" else "btin"
        groups.append(GroupSpec(id=20, members=nodes[1:], planner=planner))
    return plan_of(network, *groups)


def scenarios_of(network: RegisterSpec) -> tuple[Scenario, ...]:
    """Return what can be run on a network; a hasty member may wait longer than a watchdog does."""
    kept = [each for each in SCENARIOS if network.channels or not each.background]
    return (*kept, *([] if network.watchdog else [HASTY]))


def modelled(plan: BarrierPlan, scenario: Scenario, *, coverage: bool = False) -> Outcome:
    """Run a scenario with the golden model alone, by the rules."""
    return conducted(plan, scenario, coverage=coverage).outcome(None)


def conducted(plan: BarrierPlan, scenario: Scenario, *, coverage: bool = False) -> Conductor:
    """Return who has conducted a scenario with the golden model alone."""
    conductor = conduct_model(plan, scenario, Job(((plan, scenario),), coverage=coverage))
    assert isinstance(conductor, Conductor)
    return conductor


def judge(plan: BarrierPlan, scenario: Scenario, outcome: Outcome) -> None:
    """See that nothing went wrong, and that no barrier on wires took longer than planned."""
    told = f"{plan.spec.network}, {scenario}"
    assert outcome.mismatches == [], told
    assert outcome.hang is None, told
    for seen in outcome.groups:
        assert len(seen.latency) >= scenario.episodes, told
        assert seen.latency == seen.model_latency, told
    for wires in plan.wire_groups:
        (seen,) = (group for group in outcome.groups if group.id == wires.id)
        assert scenario.hasty or max(seen.latency) <= wires.bound, told
    assert outcome.counters is not None, told
    overflow, stray, refused_arrive, refused_write = outcome.counters
    assert overflow == 0, told
    if scenario.noise:
        assert refused_arrive, told
        assert refused_write, told
    else:
        assert refused_arrive == refused_write == 0, told
        assert scenario.breaks or stray == 0, told
