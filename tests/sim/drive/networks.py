"""Networks, groups and scenarios for the benches of whole networks, fixed ones and random ones."""

import os
import random
from collections.abc import Sequence
from typing import Any

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
)
from syncfabric.models.networks.table import Operation
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.backends import Simulation
from syncfabric.sim.drive.runner import Session
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.stimulus import driver_of
from syncfabric.sim.drive.trace import Chunk

SEED = int(os.environ.get("SEED", "1"))
"""Of networks, groups and scenarios; set the variable ``SEED`` for others."""

SCENARIOS = (
    Scenario(episodes=12, policy="last"),
    Scenario(episodes=20, policy="back_to_back", seed=2),
    Scenario(episodes=20, policy="mixed", seed=3, background=0.1, noise=True),
    Scenario(episodes=12, policy="skew", seed=4, background=1.0, lead_in=300),
    Scenario(episodes=20, policy="mixed", seed=5, noise=True),
)
"""Arrivals of every kind, traffic from none to far beyond saturation, and what is refused."""


def mesh(width: int, height: int, **keys: Any) -> MeshSpec:
    """Return a mesh; ``keys`` are those of the network file."""
    return MeshSpec(kind="mesh", width=width, height=height, **{"groups": 4, **keys})


def irregular(topology: Irregular, **keys: Any) -> IrregularSpec:
    """Return an irregular network; ``keys`` are those of the network file, but none has managers.

    Set-up by packets makes the hardware larger; those tests that are about it ask for it.
    """
    return IrregularSpec(
        kind="irregular",
        ports=topology.ports,
        switches=topology.switches,
        links=topology.links,
        nodes=topology.nodes,
        **{"groups": 4, "setup": "local", **keys},
    )


def plan_of(network: MessageSpec, *groups: GroupSpec) -> BarrierPlan:
    """Plan groups on a network."""
    return make_plan(NetworkSpec(name="net", network=network, groups=groups))


def members(gid: int, *nodes: tuple[int, int], op: Operation = "or") -> GroupSpec:
    """Return a group."""
    return GroupSpec(id=gid, members=nodes, op=op)


def session_of(plan: BarrierPlan, scenario: Scenario) -> Session:
    """Return the model's side of a run."""
    return Session(driver_of(plan, scenario), scenario.limit)


def played(plan: BarrierPlan, scenario: Scenario, cycles: int = 256) -> list[Chunk]:
    """Return all chunks of a scenario, as the model plays it."""
    session, chunks = session_of(plan, scenario), []
    while not session.finished:
        chunks.append(session.advance(cycles))
    return chunks


def random_keys(rng: random.Random) -> dict[str, Any]:
    """Draw keys that networks of both kinds share."""
    shared = rng.random() < 0.3
    packets = {
        "flit_bits": rng.choice((24, 32, 64, 100)),
        "buffer_flits": rng.choice((1, 2, 3, 8)),
        "channels": rng.choice((1, 1, 2, 4)),
        "message_links": "shared" if shared else "own",
    }
    return {
        **(packets if rng.random() < 0.8 else {"channels": 0}),
        "data_bits": rng.choice((0, 1, 4, 8, 32)),
        "groups": rng.choice((1, 2, 4)),
        "operations": rng.choice(("bitwise", "all")),
        "engine_stages": rng.choice((0, 0, 2)),
        "output_register": rng.random() < 0.3,
        "link_registers": rng.choice((0, 0, 1)),
        "check_bits": rng.choice((0, 0, 4)),
    }


def random_network(rng: random.Random, largest: int) -> MeshSpec:
    """Draw a mesh of at most ``largest`` nodes a side, with options of all kinds."""
    while True:
        width, height = rng.randint(1, largest), rng.randint(1, largest)
        transport, wires = rng.choice(("link", "routed")), rng.choice((0, 0, 2))
        try:
            return mesh(width, height, transport=transport, wires=wires, **random_keys(rng))
        except SpecError:  # keys that do not go together: draw again
            continue


def random_groups(network: MessageSpec, rng: random.Random) -> tuple[GroupSpec, ...]:
    """Everybody, one member alone, and random others: as many as a router has entries.

    Groups that routed messages cannot have beside the others are cut to a few members.
    """
    nodes = network.topology.nodes
    operations: list[Operation] = ["or", "and", "xor"]
    groups: tuple[GroupSpec, ...] = ()
    for number in range(network.groups):
        fixed = number < 2 or len(nodes) == 1
        size = (len(nodes), 1)[min(number, 1)] if fixed else rng.randint(2, len(nodes))
        some = tuple(rng.sample(nodes, size))
        gid = rng.randrange(number * 20, number * 20 + 20)
        planner = rng.choice(network.planners)
        serial = network.operations == "all" and planner != "wires"
        op = rng.choice(operations + (["max", "min", "sum"] if serial else []))
        for count in (size, 2, 2, 2, 1):
            drawn = GroupSpec(id=gid, members=some[:count], planner=planner, op=op)
            try:
                groups = plan_of(network, *groups, drawn).spec.groups
                break
            except PlanError:
                rng.shuffle(names := list(some))
                some = tuple(names)
    return groups


def make_job(
    network: MessageSpec,
    rng: random.Random,
    scenarios: Sequence[Scenario] = SCENARIOS,
    *,
    coverage: bool = False,
) -> Job:
    """Return a job of all scenarios, each with groups of its own."""
    runs = [(plan_of(network, *random_groups(network, rng)), each) for each in scenarios]
    return Job(tuple(runs), coverage=coverage)


def check(job: Job, simulation: Simulation) -> None:
    """See that hardware and model agreed in every run, and that every barrier was made."""
    for (plan, scenario), outcome in zip(job.runs, simulation.outcomes, strict=True):
        what = f"{plan.spec.network}, {scenario}, groups {[group.id for group in plan.groups]}"
        assert not outcome.mismatches, f"{what}: {outcome.mismatches[:5]}"
        assert outcome.hang is None, f"{what}: {outcome.hang}"
        for group in outcome.groups:
            assert len(group.latency) == scenario.episodes, what
            assert group.latency == group.model_latency, what
        members = sum(len(group.members) for group in plan.groups)
        assert outcome.releases == members * scenario.episodes, what
        assert outcome.counters is not None, what
        if not scenario.noise:
            assert outcome.counters == (0, 0, 0, 0), what
        if scenario.background:
            network = plan.spec.message_network
            some = network.channels > 0 and len(network.topology.nodes) > 1
            assert (outcome.traffic.packets > 0) == some, what
