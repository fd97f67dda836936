"""Packets for nodes' software to send: by the tables, by routes they bring along, or by both."""

import random
from collections.abc import Sequence

from syncfabric.models.networks.spec import IrregularSpec, RegisterSpec
from syncfabric.models.planning.updown import routing_tables
from syncfabric.sim.drive.scenario import Sending

__all__ = ["by_route", "by_table", "draw_sendings"]


def by_table(spec: RegisterSpec, node: int) -> int:
    """Return the header of a packet for a node."""
    names = ("switch", "port") if isinstance(spec, IrregularSpec) else ("x", "y")
    place = spec.topology.node(node)
    return spec.layout.header.pack(dict(zip(names, place, strict=True)))


def by_route(spec: IrregularSpec, ports: Sequence[int]) -> list[int]:
    """Return the route flits for a list of ports."""
    most = spec.layout.route_ports
    parts = [ports[i : i + most] for i in range(0, len(ports), most)]
    return [
        spec.layout.route.pack(
            {
                "by_route": 1,
                "count": len(part),
                **{f"port_{i}": port for i, port in enumerate(part)},
            }
        )
        for part in parts
    ]


def ports_to(spec: IrregularSpec, rng: random.Random, source: int, node: int) -> list[int]:
    """Return the tables' way to a node, by any of parallel links."""
    topology, tables = spec.topology, routing_tables(spec)
    switch, ports = topology.node(source)[0], []
    destination, last = topology.node(node)
    while switch != destination:
        following = topology.across(switch, tables[switch][destination])
        assert following is not None
        parallel = [
            port
            for port in range(spec.ports)
            if (end := topology.across(switch, port)) and end[0] == following[0]
        ]
        ports.append(rng.choice(parallel))
        switch = following[0]
    return [*ports, last]


def draw_sendings(
    spec: RegisterSpec, rng: random.Random, count: int, cycles: int
) -> tuple[Sending, ...]:
    """Draw packets of 1 to 8 words after header or route; a header may be alone, too."""
    nodes, channels = range(len(spec.topology.nodes)), list(range(spec.channels))
    if isinstance(spec, IrregularSpec) and spec.datelines:
        channels = channels[::2]
    drawn = []
    for _ in range(count):
        source, node = rng.choice(nodes), rng.choice(nodes)
        words = [rng.getrandbits(32) for _ in range(rng.randint(1, 8))]
        kind = rng.random()
        if not isinstance(spec, IrregularSpec) or kind < 0.4 or spec.datelines:
            first = [by_table(spec, node)]
            words = words[len(words) < 2 :]
        else:
            ports = ports_to(spec, rng, source, node)
            if kind < 0.6 and len(ports) > 1:  # a part of the way, and then by the tables
                first = [*by_route(spec, ports[: rng.randint(1, len(ports) - 1)])]
                first.append(by_table(spec, node))
            else:
                first = by_route(spec, ports)
        cycle = rng.randrange(cycles)
        drawn.append(Sending(cycle, source, rng.choice(channels), [*first, *words]))
    return tuple(drawn)
