"""Speed of the simulation of barrier wires alone, and how large their networks can be."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.drive.conduct import conductor_of
from syncfabric.sim.drive.long_run import long_run
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.tiles import play
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.figures.row import Row

__all__ = ["wire_speed"]

COMPARED, LONG, FEW = 200, 4_000, 10
"""Episodes: beside the model, without it, and of the largest network."""
MEMBERS = 8
"""Of a group on the largest network, drawn at random: most tiles then have nothing to do."""
TARGET = 20_000


def wire_speed() -> Iterator[Row]:
    """Barrier wires simulated under Verilator (cycles a second)."""
    plan = make_plan(load("wires-16x16"))
    words = f"{plan.spec.name}, all members"
    result = run(plan, episodes=COMPARED)
    yield Row(
        f"{words}, hardware and model compared in every cycle",
        f"{result.cycles / result.seconds.run:,.0f}",
        "match",
        result.ok,
    )
    result = long_run(plan, episodes=LONG)
    rate = result.cycles / result.seconds.run
    yield Row(f"{words}, long run", f"{rate:,.0f}", f">= {TARGET:,}", rate >= TARGET and result.ok)
    large = load("wires-64x64")
    yield from _large(make_plan(large))
    members = random.Random(1).sample(list(large.network.topology.nodes), MEMBERS)
    group = GroupSpec(id=1, members=tuple(members))
    few = NetworkSpec(name=large.name, network=large.network, groups=(group,))
    result = long_run(make_plan(few), episodes=LONG)
    rate = result.cycles / result.seconds.run
    yield Row(f"{large.name}, {MEMBERS} members, long run", f"{rate:,.0f}", "match", result.ok)


def _large(plan: BarrierPlan) -> Iterator[Row]:
    words = plan.spec.name
    network, bound = plan.spec.message_network, plan.groups[0].bound
    begin = time.perf_counter()
    size = len(verilog(network, "mesh"))
    seconds = time.perf_counter() - begin
    yield Row(f"{words}: {size / 1e6:.1f} MB of Verilog", f"{seconds:.1f} s")
    built = build_fabric(network)
    scenario = Scenario(episodes=FEW, policy="together")
    begin = time.perf_counter()
    with Fabric(built) as fabric:
        outcome = play(fabric, conductor_of(plan, scenario, Job(((plan, scenario),))))
        memory = fabric.peak_memory()
    seconds = time.perf_counter() - begin
    right = not (outcome.mismatches or outcome.hang) and max(outcome.groups[0].latency) == bound
    yield Row(
        f"{words}, set up and {FEW} episodes, {outcome.cycles:,} cycles compared: "
        f"{memory / 2**20:.0f} MiB",
        f"{seconds:.0f} s, {outcome.cycles / seconds:,.0f} a second",
        f"match, {bound} cycles",
        right,
    )
