"""Barrier wires: what a group takes alone and beside others, and how fast they are simulated."""

from __future__ import annotations

import random
from collections.abc import Iterator

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MessageSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.drive.backends import measure, plan_of, play
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.experiments.bench.latency import alone, latency_row
from syncfabric.sim.experiments.bench.measures import below, mesh, per_second, planned, timed
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section
from syncfabric.sim.fabric import Fabric, build_fabric

ALONE: dict[str, object] = {"wires": 1, "channels": 0, "setup": "local"}
"""A network without packets."""
SIDES = (4, 8, 16)
CLUSTERS = ("cluster-fig1", "cluster-19", "cluster-75")
REGISTERS = range(4)
RANDOM = {8: 12, 16: 32}
"""Members drawn with seed 1, by the side of their mesh."""
OPTIONS: tuple[dict[str, object], ...] = (
    {"wires": 1, "channels": 0, "check_bits": 8, "data_bits": 32},
    {"wires": 1, "channels": 0, "watchdog": 1000},
    {"wires": 16},
    {"wires": 1, "message_links": "shared"},
)
CROWDED: tuple[tuple[str, int], ...] = (("8x8", 4), ("8x8", 8), ("16x16", 8), ("cluster-75", 4))
"""Networks and their slots; there are as many groups, of random members."""
FEWEST, MOST = 8, 64
EPISODES = 100
LOADS = {"all at once": 0.0, "and packets at 0.05": 0.05}
"""Ordinary traffic, in flits a node a cycle."""


@section
def wire_latency() -> Iterator[Claim]:
    """Barrier wires: latency of one group, exactly the bound (cycles)."""
    for side in SIDES:
        for registers in REGISTERS:
            group = alone(mesh(side, side, {**ALONE, "link_registers": registers}))
            yield latency_row(f"{side}x{side}, all members, link_registers {registers}", group)
        if side in RANDOM:
            network = mesh(side, side, ALONE)
            members = random.Random(1).sample(network.topology.nodes, RANDOM[side])
            group = alone(network, members)
            yield latency_row(f"{side}x{side}, {len(members)} random members", group)
    for name in CLUSTERS:
        for registers in REGISTERS:
            cluster = _cluster(name, {**ALONE, "link_registers": registers})
            some = load(name).groups[0].members if name == "cluster-fig1" else None
            group = alone(cluster, some)
            words = f"{name}, {group.members} members, link_registers {registers}"
            yield latency_row(words, group)
    for keys in OPTIONS:
        words = ", ".join(f"{key} = {value}" for key, value in keys.items())
        group = alone(mesh(8, 8, keys), planner="wires")
        yield latency_row(f"8x8, all members, {words}", group)


@section
def wires_beside() -> Iterator[Claim]:
    """Barrier wires beside others: what other groups and packets add to each episode (cycles)."""
    for name, slots in CROWDED:
        wired = _network(name, {"wires": slots})
        groups = _groups(wired, slots)
        words = f"{name}, {slots} groups of {FEWEST} to {MOST}"
        plan = planned(wired, groups)
        by_itself = [_latencies(part, 0.0)[0] for part in _parts(plan)]
        for what, rate in LOADS.items():
            found = _latencies(plan, rate)
            both = zip(by_itself, found, strict=True)
            same = [one == other for a, b in both for one, other in zip(a, b, strict=True)]
            words_ = f"wires, {words}, {what}: episodes as long as alone"
            yield figure(words_, f"{sum(same):,} of {len(same):,}", "all", all(same))
        plan = planned(_network(name, {}), groups)
        for what, rate in LOADS.items():
            over = [
                cycles - group.bound
                for group, found in zip(plan.groups, _latencies(plan, rate), strict=True)
                for cycles in found
                if group.bound is not None
            ]
            longer = f"{sum(more > 0 for more in over):,} of {len(over):,}, {max(over)} cycles"
            words_ = f"messages, {words}, {what}: longer than ever alone, by how much at most"
            yield figure(words_, longer)


def _cluster(name: str, keys: dict[str, object]) -> IrregularSpec:
    """Return a ready-made network with other keys; all that is about packets as by default."""
    drawn = load(name).network.model_dump()
    shape = {key: drawn[key] for key in ("kind", "ports", "switches", "links", "nodes")}
    return IrregularSpec.model_validate({**shape, **keys})


def _network(name: str, keys: dict[str, object]) -> MessageSpec:
    side = name.partition("x")[0]
    return mesh(int(side), int(side), keys) if side.isdigit() else _cluster(name, keys)


def _groups(network: MessageSpec, count: int) -> tuple[GroupSpec, ...]:
    rng, nodes = random.Random(1), tuple(network.topology.nodes)
    return tuple(
        GroupSpec(id=number, members=tuple(rng.sample(nodes, rng.randint(FEWEST, MOST))))
        for number in range(1, count + 1)
    )


def _parts(plan: BarrierPlan) -> Iterator[BarrierPlan]:
    """Yield each group by itself, its tree and slot as beside the others."""
    for group, drawn in zip(plan.groups, plan.spec.groups, strict=True):
        yield BarrierPlan(plan.spec.model_copy(update={"groups": (drawn,)}), (group,))


def _latencies(plan: BarrierPlan, rate: float) -> list[list[int]]:
    """Return what each episode of each group takes.

    A group's arrivals are drawn by its id and by nothing else: if its latencies are those that it
    has alone, so are its arrivals, and one cycle more anywhere shows in all that follows.
    """
    scenario = Scenario(episodes=EPISODES, policy="mixed", background=rate)
    (outcome,) = measure(plan, [scenario])
    return [group.latency for group in outcome.groups]


COMPARED, LONG, FEW = 200, 4_000, 10
"""Episodes: beside the model, without it, and of the largest network."""
MEMBERS = 8
"""Of a group on the largest network, drawn at random: most tiles then have nothing to do."""
TARGET = 20_000


@section
def wire_speed() -> Iterator[Claim]:
    """Barrier wires simulated under Verilator (cycles a second)."""
    plan = make_plan(load("wires-16x16"))
    name = plan.spec.name
    words = f"{name}, all members, hardware and model compared in every cycle"
    yield per_second(words, run(plan, episodes=COMPARED))
    yield per_second(f"{name}, all members, long run", long_run(plan, episodes=LONG), TARGET)
    large = load("wires-64x64")
    yield from _large(make_plan(large))
    members = random.Random(1).sample(list(large.network.topology.nodes), MEMBERS)
    result = long_run(plan_of(large.network, members), episodes=LONG)
    yield per_second(f"{large.name}, {MEMBERS} members, long run", result)


def _large(plan: BarrierPlan) -> Iterator[Claim]:
    name, network, bound = plan.spec.name, plan.spec.message_network, plan.groups[0].bound
    text, seconds = timed(verilog, network, "mesh")
    yield below(f"{name}: {len(text) / 1e6:.1f} MB of Verilog", seconds, None, 1)
    scenario = Scenario(episodes=FEW, policy="together")
    with Fabric(build_fabric(network)) as fabric:
        outcome, seconds = timed(play, fabric, ScenarioRunner(plan, scenario))
        memory = fabric.peak_memory()
    right = not (outcome.mismatches or outcome.hang) and max(outcome.groups[0].latency) == bound
    words = f"set up and {FEW} episodes, {outcome.cycles:,} cycles compared"
    yield figure(
        f"{name}, {words}: {memory / 2**20:.0f} MiB",
        f"{seconds:.0f} s, {outcome.cycles / seconds:,.0f} a second",
        f"match, {bound} cycles",
        right,
    )
