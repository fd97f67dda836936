"""Routings, one of which is a part of a router: X-Y, by a table, by the source."""

from dataclasses import dataclass
from typing import Any, Protocol

from amaranth import Cat, Const, Module, Mux, Value
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In

from syncfabric.models.layout.flit import xy_header
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
    """The output for each destination is in LUT RAM.

    Parameters
    ----------
    outputs : tuple
        As of :class:`Routing`.
    destinations : int
        Entries of the table.
    """

    outputs: tuple[tuple[int, ...], ...]
    destinations: int

    def members(self) -> dict[str, Any]:
        """Return the port that writes all inputs' tables."""
        return {
            "table_write": In(1),
            "table_destination": In(range(self.destinations)),
            "table_output": In(range(len(self.outputs))),
        }

    def place(self, m: Module, router: Any, port: int, flit: Any) -> tuple[Value, Value]:
        """Look the destination up: see :class:`Routing`."""
        depth = max(2, self.destinations)
        m.submodules[f"table_{port}"] = table = Memory(
            shape=range(len(self.outputs)), depth=depth, init=[]
        )
        write, read = table.write_port(), table.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(router.table_write),
            write.addr.eq(router.table_destination),
            write.data.eq(router.table_output),
            read.addr.eq(flit.payload),
        ]
        return _decoded(read.data, self.outputs[port], len(self.outputs)), flit.payload


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


def _decoded(code: Value, legal: tuple[int, ...], count: int) -> Value:
    """Return a route; what is for none of the legal outputs is for the last of them."""
    *others, last = legal
    bits: list[Value] = [Const(0, 1)] * count
    for output in others:
        bits[output] = code == output
    bits[last] = ~Cat(bits[output] for output in others).any()
    return Cat(bits)
