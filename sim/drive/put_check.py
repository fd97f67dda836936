"""What must hold of packets of nodes' software, judged by what was put and the nodes' links."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.put_port import Put

__all__ = ["PutCheck", "Way", "way_of"]


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


@dataclass
class _Waiting:
    """A packet as far as it has been put."""

    channel: int
    flits: list[int] = field(default_factory=list)


@dataclass
class _Sent:
    """A packet that has gone in, and what shall come of it."""

    source: int
    line: tuple[object, ...]
    """Packets with the same one stay in order: source, channel, way."""
    flits: tuple[int, ...]


class PutCheck:
    """Every flit that is put comes out once, in order, at the right node, unchanged.

    Parameters
    ----------
    spec : MessageSpec

    Attributes
    ----------
    used : bool
        Whether anything has been put.
    injected : int
        Packets that have gone in whole.
    """

    def __init__(self, spec: MessageSpec) -> None:
        self._spec, self._width = spec, LaneMasks(spec).width
        self._mask = (1 << spec.flit_bits) - 1
        self._tail = 1 << spec.layout.flit.offsets["tail"]
        self._waiting: dict[int, deque[_Waiting]] = {}
        self._unclosed: dict[int, _Waiting] = {}
        self._going: dict[int, list[tuple[int, int]]] = {}
        self._sent: dict[int, list[_Sent]] = {}
        self.used = False
        self.injected = 0

    def put(self, put: Put) -> None:
        """Take in a flit that is put."""
        self.used = True
        packet = self._unclosed.get(put.node)
        if packet is None:
            packet = self._unclosed[put.node] = _Waiting(put.channel)
            self._waiting.setdefault(put.node, deque()).append(packet)
        fields = {"payload": put.payload & self._mask, "head": put.head, "tail": put.tail}
        packet.flits.append(self._spec.layout.flit.pack(fields))
        if put.tail:
            del self._unclosed[put.node]

    def inject(self, cycle: int, flit: int, *, lane: int) -> list[tuple[int, int]]:
        """Take in a flit on a node's link, where no packet of the generator is under way.

        Returns
        -------
        list of (cycle, flit)
            Those that are, after all, not software's: the generator's.
        """
        node, channel = divmod(lane, self._width)
        going = self._going.pop(lane, [])
        place = len(going)
        going.append((cycle, flit))
        waiting = self._waiting.get(node)
        first = waiting[0] if waiting else None
        if (
            waiting is None
            or first is None
            or first.channel != channel
            or first.flits[place : place + 1] != [flit]
        ):
            return going
        if flit & self._tail:
            waiting.popleft()
            self._send(node, first)
        else:
            self._going[lane] = going
        return []

    def _send(self, node: int, packet: _Waiting) -> None:
        self.injected += 1
        way = way_of(self._spec, node, packet.flits)
        if way.node is not None:
            line = node, packet.channel, way.steps
            self._sent.setdefault(way.node, []).append(_Sent(node, line, way.flits))

    def eject(self, node: int, flits: list[int]) -> bool | None:
        """Take in a packet that has come out at a node.

        Returns
        -------
        bool or None
            Whether it is in its turn; None if it is not software's.
        """
        expected = self._sent.get(node, [])
        for place, sent in enumerate(expected):
            if list(sent.flits) == flits:
                del expected[place]
                return all(other.line != sent.line for other in expected[:place])
        return None

    def lost(self) -> Iterator[tuple[int, int]]:
        """Yield (source, destination) of packets that were put and never came out whole."""
        for source, waiting in self._waiting.items():
            yield from ((source, -1) for _ in waiting)
        for node, expected in self._sent.items():
            yield from ((sent.source, node) for sent in expected)
