"""Routings, one of which is a part of a router: by dimensions, by a table, by the source."""

from dataclasses import dataclass
from typing import Any, Protocol

from amaranth import Cat, Const, Module, Mux, Value
from amaranth.lib.wiring import In

from syncfabric.models.layout.flit import dimension_header, table_header
from syncfabric.models.messages.layout import Layout
from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.messages import struct
from syncfabric.rtl.router.adaptive import Adaptation

EAST, NORTH, WEST, SOUTH, LOCAL = range(5)


class Routing(Protocol):
    """What a router asks of its routing. Rules: docs/microarchitecture-engine.md, R3."""

    @property
    def outputs(self) -> tuple[tuple[int, ...], ...]:
        """For each input, the outputs that its packets can take, by rising number."""

    def members(self) -> dict[str, Any]:
        """Return inputs that the router has for it."""

    def turns(self, port: int, output: int) -> bool:
        """Return whether a packet gets back to even channels from input to output."""

    def common(self, channels: int, *, dated: bool) -> Adaptation | None:
        """Return what inputs need if packets choose among outputs; None: they do not."""

    def place(
        self, m: Module, router: Any, port: int, flit: Any, plain: Value | None = None
    ) -> tuple[Value, Value]:
        """Place the routing of one input.

        Parameters
        ----------
        m : Module
        router : Router
        port : int
            The input.
        flit : Signal
        plain : Value, optional
            The flit must not go over a link that closes a ring.

        Returns
        -------
        Value, Value
            The route of the head flit that arrives, a bit an output, one-hot but of adaptive
            routing; and the payload of any flit as it is stored.
        """


@dataclass(frozen=True)
class DimensionRouting:
    """The dimensions in their order, in each straight on; then a node port.

    Rules: docs/microarchitecture-engine.md, R3 (1 to 6), R4.

    Parameters
    ----------
    grid : Grid
        Coordinates, which are inputs of the router by their names.
    ports : int
        Of the router; those that are no dimension's are node ports.
    own : bool
        The last port is the process's, and all packets are for it.
    adaptive : range
        Channels in which packets may take any minimal port, all of which are then in a route; not
        that of the first dimension alone. Those below are escape channels.
    """

    grid: Grid
    ports: int
    own: bool = True
    adaptive: range = range(0)

    @property
    def outputs(self) -> tuple[tuple[int, ...], ...]:
        """No packet goes back, or in order to a dimension before that by which it has come."""
        axes, nodes, found = self.grid.axes, range(self.grid.ports, self.ports), []
        for port in range(self.ports):
            axis = self.grid.axis_of(port)
            first = 0 if self.adaptive else axis or 0
            onward = {*nodes, *(p for pair in axes[first:] for p in pair)}
            back = {port} if port < self.grid.ports or not self.own else set()
            found.append(tuple(sorted(onward - back)))
        return tuple(found)

    def members(self) -> dict[str, Any]:
        """Return the router's coordinates."""
        return {name: In(bits) for name, bits in zip(self.grid.names, self.grid.bits, strict=True)}

    def turns(self, port: int, output: int) -> bool:
        """Return whether the output is of a dimension, and the input is not of the same."""
        axis = self.grid.axis_of(output)
        return axis is not None and axis != self.grid.axis_of(port)

    def common(self, channels: int, *, dated: bool) -> Adaptation | None:
        """Return what inputs need if packets choose."""
        if not self.adaptive:
            return None
        return Adaptation(self.grid, self.ports, channels, self.adaptive, dated)

    def place(
        self, m: Module, router: Any, port: int, flit: Any, plain: Value | None = None
    ) -> tuple[Value, Value]:
        """Compare no more than can differ: see :class:`Routing`."""
        grid, legal = self.grid, self.outputs[port]
        layout = dimension_header(grid, 0 if self.own else self.ports)
        header = struct(layout)(flit.payload[: layout.width])
        route: list[Value] = [Const(0, 1)] * self.ports
        arrived: Value | None = None
        for axis, name in enumerate(grid.names):
            up, down = grid.axes[axis]
            here, there = getattr(router, name), getattr(header, name)
            if grid.rings[axis] and up in legal and down in legal:
                goes = _around(here, there, grid.sides[axis], plain)
            else:
                goes = _along(here, there, up in legal, down in legal and down != up)
            for output, go in ((down, goes[1]), (up, goes[0])):
                route[output] = go if arrived is None or self.adaptive else go & arrived
            same = ~(goes[0] | goes[1])
            arrived = same if arrived is None else arrived & same
        assert arrived is not None
        if self.own:
            route[-1] = arrived
        else:
            for output in range(grid.ports, self.ports):
                route[output] = arrived & (header.port == output)
            none = ~Cat(route[output] for output in legal[:-1]).any()
            route[legal[-1]] = route[legal[-1]] | none if self.adaptive else none
        return Cat(route), flit.payload


def _along(here: Value, there: Value, up: bool, down: bool) -> tuple[Value, Value]:
    """Return whether to go up and down a dimension, where only some of both is legal."""
    if up and down:
        return there > here, there < here
    other, never = there != here, Const(0, 1)
    return (other if up else never), (other if down else never)


def _around(here: Value, there: Value, side: int, plain: Value | None) -> tuple[Value, Value]:
    """Return whether to go up and down a ring, halfway by parity; plain: as on a line."""
    ahead = there - here
    twice = Cat(here[0], ahead).as_signed()
    up = ((ahead > 0) & (twice <= side)) | (twice <= -side)
    down = (ahead != 0) & ~up
    if plain is None:
        return up, down
    return Mux(plain, there > here, up), Mux(plain, there < here, down)


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

    def turns(self, port: int, output: int) -> bool:
        """Return that there are none."""
        return False

    def common(self, channels: int, *, dated: bool) -> Adaptation | None:
        """Return that packets do not choose."""
        return None

    def place(
        self, m: Module, router: Any, port: int, flit: Any, plain: Value | None = None
    ) -> tuple[Value, Value]:
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
    """The head flit begins with the output at each router of its path.

    Parameters
    ----------
    outputs : tuple
        As of :class:`Routing`.
    """

    outputs: tuple[tuple[int, ...], ...]

    def members(self) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def turns(self, port: int, output: int) -> bool:
        """Return that there are none."""
        return False

    def common(self, channels: int, *, dated: bool) -> Adaptation | None:
        """Return that packets do not choose."""
        return None

    def place(
        self, m: Module, router: Any, port: int, flit: Any, plain: Value | None = None
    ) -> tuple[Value, Value]:
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
