"""Barrier wires: what a group takes alone, and that others add no cycle to it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.figures.latency import everybody, latency_row, measure
from syncfabric.sim.figures.row import Row

__all__ = ["wire_latency", "wires_beside"]

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


def wire_latency() -> Iterator[Row]:
    """Barrier wires: latency of one group, exactly the bound (cycles)."""
    for side in SIDES:
        for registers in REGISTERS:
            network = _mesh(side, {**ALONE, "link_registers": registers})
            group = measure(network, everybody(network))
            yield latency_row(f"{side}x{side}, all members, link_registers {registers}", group)
        if side in RANDOM:
            network = _mesh(side, ALONE)
            members = tuple(random.Random(1).sample(network.topology.nodes, RANDOM[side]))
            group = measure(network, (GroupSpec(id=1, members=members),))
            yield latency_row(f"{side}x{side}, {len(members)} random members", group)
    for name in CLUSTERS:
        drawn = load(name)
        for registers in REGISTERS:
            cluster = _cluster(name, {**ALONE, "link_registers": registers})
            members = drawn.groups[0].members if name == "cluster-fig1" else cluster.nodes
            group = measure(cluster, (GroupSpec(id=1, members=members),))
            words = f"{name}, {len(members)} members, link_registers {registers}"
            yield latency_row(words, group)
    for keys in OPTIONS:
        network = _mesh(8, keys)
        words = ", ".join(f"{key} = {value}" for key, value in keys.items())
        yield latency_row(
            f"8x8, all members, {words}", measure(network, everybody(network, "wires"))
        )


def wires_beside() -> Iterator[Row]:
    """Barrier wires beside others: what other groups and packets add to each episode (cycles)."""
    for name, slots in CROWDED:
        wired = _network(name, {"wires": slots})
        groups = _groups(wired, slots)
        words = f"{name}, {slots} groups of {FEWEST} to {MOST}"
        plan = _plan(wired, groups)
        alone = [_latencies(part, 0.0)[0] for part in _parts(plan)]
        for what, rate in LOADS.items():
            found = _latencies(plan, rate)
            pairs = [
                pair for both in zip(alone, found, strict=True) for pair in zip(*both, strict=True)
            ]
            same = sum(one == other for one, other in pairs)
            yield Row(
                f"wires, {words}, {what}: episodes as long as alone",
                f"{same:,} of {len(pairs):,}",
                "all",
                same == len(pairs),
            )
        plan = _plan(_network(name, {}), groups)
        for what, rate in LOADS.items():
            over = [
                cycles - group.bound
                for group, found in zip(plan.groups, _latencies(plan, rate), strict=True)
                for cycles in found
                if group.bound is not None
            ]
            yield Row(
                f"messages, {words}, {what}: longer than ever alone, by how much at most",
                f"{sum(more > 0 for more in over):,} of {len(over):,}, {max(over)} cycles",
            )


def _mesh(side: int, keys: dict[str, object]) -> MeshSpec:
    return MeshSpec.model_validate({"kind": "mesh", "width": side, "height": side, **keys})


def _cluster(name: str, keys: dict[str, object]) -> IrregularSpec:
    """Return a ready-made network with other keys; all that is about packets as by default."""
    drawn = load(name).network.model_dump()
    shape = {key: drawn[key] for key in ("kind", "ports", "switches", "links", "nodes")}
    return IrregularSpec.model_validate({**shape, **keys})


def _network(name: str, keys: dict[str, object]) -> MessageSpec:
    side = name.partition("x")[0]
    return _mesh(int(side), keys) if side.isdigit() else _cluster(name, keys)


def _groups(network: MessageSpec, count: int) -> tuple[GroupSpec, ...]:
    rng, nodes = random.Random(1), tuple(network.topology.nodes)
    return tuple(
        GroupSpec(id=number, members=tuple(rng.sample(nodes, rng.randint(FEWEST, MOST))))
        for number in range(1, count + 1)
    )


def _plan(network: MessageSpec, groups: tuple[GroupSpec, ...]) -> BarrierPlan:
    return make_plan(NetworkSpec(name="figure", network=network, groups=groups))


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
    job = Job(((plan, scenario),))
    (outcome,) = simulate_tiles(job, build_fabric(plan.spec.message_network)).outcomes
    if outcome.mismatches or outcome.hang:
        raise RuntimeError(str(outcome.hang or outcome.mismatches[0]))
    return [group.latency for group in outcome.groups]
