"""Streams of groups for the benches of whole networks, drawn at random."""

import random
from dataclasses import replace

from syncfabric.models.layout.streams import Type, built
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Scenario, Streaming
from tests.sim.drive.networks import plan_of

SIZE = {Type.INT8: 1, Type.INT16: 2, Type.BF16: 2}
"""Bytes of a number, where it is not 4."""


def drawn_plan(rng: random.Random, network: MessageSpec, barriers: int = 1) -> BarrierPlan:
    """Return a plan of a group for each channel of streams, and of some without a stream."""
    nodes, groups = list(network.topology.nodes), []
    for gid in range(network.streams + barriers):
        count = len(nodes) if gid == 0 else rng.randint(1, len(nodes))
        members = tuple(rng.sample(nodes, count))
        streams = gid < network.streams
        planner = "wires" if streams else "shortest"
        groups.append(GroupSpec(id=gid, members=members, stream=streams, planner=planner))
    return plan_of(network, *groups)


def drawn_streams(
    rng: random.Random, plan: BarrierPlan, count: int, most: int, instance: int = 0, gid: int = -1
) -> list[Streaming]:
    """Return streams of all groups that have them, or of one, of all kinds and lengths."""
    network = plan.spec.message_network
    groups = [g for g in plan.groups if g.stream_bound is not None and gid in (-1, g.id)]
    operations = sorted(built(network.stream_operations))
    streams = []
    for _ in range(count):
        group, (function, kind) = rng.choice(groups), rng.choice(operations)
        members = range(len(group.members))
        gives, takes = (
            sorted(rng.sample(members, rng.choice((1, len(members), rng.choice(members)))))
            for _ in range(2)
        )
        words = rng.choice((1, 2, rng.randint(1, most), rng.randint(1, most)))
        size = SIZE.get(kind, 4) * rng.randrange(network.stream_bits // 8 // SIZE.get(kind, 4))
        what = group.id, int(function), int(kind), words, size, gives, takes
        streams.append(Streaming(*what, rng.getrandbits(32), instance))
    return streams


def drawn_scenario(
    rng: random.Random, plan: BarrierPlan, *, kill: bool = False, count: int = 12, most: int = 100
) -> Scenario:
    """Return a scenario of such streams, beside barriers and perhaps packets."""
    network = plan.spec.message_network
    loads = (0.1, 1.0) if network.stream_links == "shared" else (0.0, 0.1)
    rates = rng.choice(((0, 0), (60, 0), (0, 60), (120, 120), (250, 250)))
    scenario = Scenario(
        episodes=rng.randint(1, 4),
        seed=rng.randrange(1000),
        policy="skew",
        jitter=rng.choice((0, 10, 60)),
        background=rng.choice(loads) if network.channels else 0.0,
        lead_in=10,
        streams=tuple(drawn_streams(rng, plan, count, most)),
        stalls=rates,
    )
    if kill:
        gid = scenario.streams[0].gid
        again = drawn_streams(rng, plan, 3, most, 1, gid)
        scenario = replace(
            scenario,
            kills=((gid, rng.randint(1, 300)),),
            streams=(*scenario.streams, *again),
        )
    return scenario
