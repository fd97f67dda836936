"""Routings, one of which is a part of a router: X-Y, by a table, by the source."""

from dataclasses import dataclass
from typing import Any, Protocol

from amaranth import Cat, Const, Module, Mux, Value
from amaranth.lib.wiring import In

from syncfabric.models.layout.flit import table_header, xy_header
from syncfabric.models.messages.layout import Layout
from syncfabric.rtl.messages import struct

__all__ = ["Routing", "SourceRouting", "TableRouting", "XyRouting"]

EAST, NORTH, WEST, SOUTH, LOCAL = range(5)


class Routing(Protocol):
    """What a router asks of its routing. Rules: docs/microarchitecture-engine.md, R3."""

    @property
    def outputs(self) -> tuple[tuple[int, ...], ...]:
        """For each input, the outputs that its packets can take, by rising number."""

    def members(self) -> dict[str, Any]:
        """Return inputs that the router has for it."""

    def place(self, m: Module, router: Any, port: int, flit: Any) -> tuple[Value, Value]:
        """Place the routing of one input.

        Returns
        -------
        Value, Value
            The one-hot route of the head flit that arrives, a bit an output; and the payload of
            any flit as it is stored.
        """


@dataclass(frozen=True)
class XyRouting:
    """Columns first, then rows: five ports, EAST, NORTH, WEST, SOUTH, LOCAL.

    Parameters
    ----------
    x_bits, y_bits : int
        Of the coordinates, which are inputs ``x`` and ``y`` of the router.
    """

    x_bits: int
    y_bits: int

    @property
    def outputs(self) -> tuple[tuple[int, ...], ...]:
        """No packet goes back, or leaves the rows once it has turned."""
        rest = {EAST: (1, 2, 3, 4), NORTH: (3, 4), WEST: (0, 1, 3, 4), SOUTH: (1, 4)}
        return (*(rest[port] for port in range(4)), (0, 1, 2, 3, 4))

    def members(self) -> dict[str, Any]:
        """Return the router's position."""
        return {"x": In(self.x_bits), "y": In(self.y_bits)}

    def place(self, m: Module, router: Any, port: int, flit: Any) -> tuple[Value, Value]:
        """Compare no more than can differ: see :class:`Routing`."""
        layout = xy_header(self.x_bits, self.y_bits)
        header = struct(layout)(flit.payload[: layout.width])
        legal = self.outputs[port]
        east, west = _ways(router.x, header.x, EAST in legal, WEST in legal)
        north, south = _ways(router.y, header.y, NORTH in legal, SOUTH in legal)
        same_x, same_y = ~(east | west), ~(north | south)
        route = Cat(east, north & same_x, west, south & same_x, same_x & same_y)
        return route, flit.payload


def _ways(here: Value, there: Value, up: bool, down: bool) -> tuple[Value, Value]:
    """Return whether to go up and down a dimension, where only some of both is legal."""
    if up and down:
        return there > here, there < here
    other, never = there != here, Const(0, 1)
    return (other if up else never), (other if down else never)


@dataclass(frozen=True)
class TableRouting:
    """The output for each router is a constant; at its own router a packet's header has it.

    Rules: docs/microarchitecture-engine.md, R3 (5, 6); docs/microarchitecture-networks.md, N1 (7).

    Parameters
    ----------
    outputs : tuple
        As of :class:`Routing`.
    routers : int
        Routers of the network.
    """

    outputs: tuple[tuple[int, ...], ...]
    routers: int

    def members(self) -> dict[str, Any]:
        """Return the router's number, and the port for each router; both are constant."""
        router, port = self._header.fields[:2]
        return {"number": In(router.width), "routes": In(self.routers * port.width)}

    def place(self, m: Module, router: Any, port: int, flit: Any) -> tuple[Value, Value]:
        """Choose between header and constants: see :class:`Routing`."""
        header = struct(self._header)(flit.payload[: self._header.width])
        here, elsewhere = header.port, router.routes.word_select(header.router, len(header.port))
        code = Mux(header.router == router.number, here, elsewhere)
        known = header.router < self.routers
        return _decoded(code, self.outputs[port], len(self.outputs), known), flit.payload

    @property
    def _header(self) -> Layout:
        return table_header(self.routers, len(self.outputs))


@dataclass(frozen=True)
class SourceRouting:
    """The head flit begins with the output at each router of its way.

    Parameters
    ----------
    outputs : tuple
        As of :class:`Routing`.
    """

    outputs: tuple[tuple[int, ...], ...]

    def members(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def place(self, m: Module, router: Any, port: int, flit: Any) -> tuple[Value, Value]:
        """Take this router's output off: see :class:`Routing`."""
        width = (len(self.outputs) - 1).bit_length()
        route = _decoded(flit.payload[:width], self.outputs[port], len(self.outputs))
        return route, Mux(flit.head, flit.payload >> width, flit.payload)


def _decoded(code: Value, legal: tuple[int, ...], count: int, known: Value | None = None) -> Value:
    """Return a route; an unknown code, or one of no legal output, is for the last of these."""
    *others, last = legal
    bits: list[Value] = [Const(0, 1)] * count
    for output in others:
        bits[output] = code == output if known is None else known & (code == output)
    bits[last] = ~Cat(bits[output] for output in others).any()
    return Cat(bits)
