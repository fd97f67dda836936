"""Packets for nodes' software to send: by the tables, or by routes they bring along."""

import random
from collections.abc import Sequence

from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.models.planning.updown import routing_tables
from syncfabric.sim.drive.scenario import Sending


def by_table(spec: MessageSpec, node: int) -> int:
    """Return the header of a packet for a node."""
    place = spec.topology.node(node)
    names = ("x", "y") if spec.kind == "mesh" else ("router", "port")
    return spec.layout.header.pack(dict(zip(names, place, strict=True)))


def route_of(spec: IrregularSpec, ports: Sequence[int]) -> int:
    """Return the header that leads by a list of ports, the first in the lowest bits (R3)."""
    width = (spec.ports - 1).bit_length()
    return sum(port << width * place for place, port in enumerate(ports))


def ports_to(spec: IrregularSpec, rng: random.Random, source: int, node: int) -> list[int]:
    """Return the tables' path to a node, by any of parallel links."""
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
    spec: MessageSpec, rng: random.Random, count: int, cycles: int
) -> tuple[Sending, ...]:
    """Draw packets of 1 to 8 words after header or route; a header may be alone, too."""
    nodes, channels = range(len(spec.topology.nodes)), list(range(spec.channels))
    if isinstance(spec, IrregularSpec) and spec.datelines:
        channels = channels[::2]
    drawn = []
    for _ in range(count):
        source, node = rng.sample(nodes, 2)  # no router leads a packet back
        words = [rng.getrandbits(32) for _ in range(rng.randint(1, 8))]
        if isinstance(spec, IrregularSpec) and spec.routing == "source":
            first = route_of(spec, ports_to(spec, rng, source, node))
        else:
            first = by_table(spec, node)
        words = words[len(words) < 2 :]
        cycle = rng.randrange(cycles)
        drawn.append(Sending(cycle, source, rng.choice(channels), [first, *words]))
    return tuple(drawn)
