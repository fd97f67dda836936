"""Where a packet comes out that a node sends, and what is left of it: worked out on the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import (
    EngineIrregularSpec,
    EngineSpec,
    IrregularSpec,
    MessageSpec,
)

__all__ = ["Way", "way_of"]


class Way(NamedTuple):
    """Where a packet comes out.

    Parameters
    ----------
    node : int or None
        Number of the node; None if it ends in a switch's sink, or nowhere.
    flits : tuple of int
        What comes out, as on the wires.
    steps : tuple
        What tells this way from others to the node.
    """

    node: int | None
    flits: tuple[int, ...]
    steps: tuple[Place, ...]


def way_of(spec: MessageSpec, node: int, flits: Sequence[int]) -> Way:
    """Return the way of a packet (docs/microarchitecture.md, sections 2 and I2).

    Parameters
    ----------
    spec : MeshSpec or IrregularSpec
    node : int
        The sender.
    flits : sequence of int
        As on its link.
    """
    if isinstance(spec, EngineIrregularSpec) and spec.routing == "source":
        return _brought_way(spec, node, flits)
    if isinstance(spec, EngineSpec):
        header = flits[0] & (1 << spec.layout.header.width) - 1
        end = spec.shape.node_of(header)
        steps = () if end is None else (spec.shape.nodes[end],)
        return Way(end, tuple(flits), steps)
    if isinstance(spec, IrregularSpec):
        return _irregular_way(spec, node, flits)
    fields = spec.layout.header.unpack(flits[0] & (1 << spec.layout.header.width) - 1)
    place = fields["x"], fields["y"]
    there = spec.topology.contains(place)
    return Way(spec.topology.index(place) if there else None, tuple(flits), (place,))


def _brought_way(spec: EngineIrregularSpec, node: int, flits: Sequence[int]) -> Way:
    """Return the way of a packet that brings its route (docs/microarchitecture-engine.md, R3)."""
    shape, width = spec.shape, spec.layout.header.fields[0].width
    left = flits[0] & (1 << spec.flit_bits) - 1
    beside = flits[0] ^ left
    place, steps = shape.nodes[node], list[Place]()
    while left or place not in steps:  # without a route it goes round
        router, entered = place
        outputs, output = shape.router.outputs[entered], left & (1 << width) - 1
        output, left = output if output in outputs else outputs[-1], left >> width
        place = router, output
        if place in shape.node_at:
            return Way(shape.node_at[place], (beside | left, *flits[1:]), (*steps, place))
        if place not in shape.ends:
            break
        steps.append(place)
        place = shape.ends[place]
    return Way(None, (), tuple(steps))


def _irregular_way(spec: IrregularSpec, node: int, flits: Sequence[int]) -> Way:
    layout, topology, left = spec.layout, spec.topology, list(flits)
    switch, steps = topology.node(node)[0], list[Place]()
    while True:
        fields = layout.header.unpack(left[0] & (1 << layout.header.width) - 1)
        by_route = fields["by_route"]
        if by_route:
            port = _next_port(spec, left)
        else:
            switch, port = fields["switch"], fields["port"]
        if port >= spec.ports or switch >= spec.switches:
            return Way(None, (), tuple(steps))
        steps.append((switch, port))
        end = topology.node_at(switch, port)
        if end is not None:
            return Way(end, tuple(left), tuple(steps))
        across = topology.across(switch, port)
        # A header that names a port to another switch leads to and fro for ever.
        if across is None or not by_route:
            return Way(None, (), tuple(steps))
        switch = across[0]


def _next_port(spec: IrregularSpec, left: list[int]) -> int:
    """Take the next port off a packet's route; the switch's sink if it takes the packet."""
    layout = spec.layout
    head, tail = (1 << layout.flit.offsets[name] for name in ("head", "tail"))
    mask = (1 << layout.route.width) - 1
    fields = layout.route.unpack(left[0] & mask)
    count, port = fields["count"], fields["port_0"]
    if count == 0 or (count == 1 and left[0] & tail):
        return spec.ports
    if count == 1:
        del left[0]
        left[0] |= head
        return port
    ports = [fields[f"port_{i}"] for i in range(1, layout.route_ports)] + [0]
    moved = {f"port_{i}": port for i, port in enumerate(ports)}
    left[0] = left[0] & ~mask | layout.route.pack({"by_route": 1, "count": count - 1, **moved})
    return port
