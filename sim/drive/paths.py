"""Where a packet comes out that a node sends, and what is left of it: worked out on the map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec

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
    """Return the way of a packet (docs/microarchitecture-networks.md).

    Parameters
    ----------
    spec : MessageSpec
    node : int
        The sender.
    flits : sequence of int
        As on its link.
    """
    if isinstance(spec, IrregularSpec) and spec.routing == "source":
        return _brought_way(spec, node, flits)
    header = flits[0] & (1 << spec.layout.header.width) - 1
    end = spec.shape.node_of(header)
    steps = () if end is None else (spec.shape.nodes[end],)
    return Way(end, tuple(flits), steps)


def _brought_way(spec: IrregularSpec, node: int, flits: Sequence[int]) -> Way:
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
