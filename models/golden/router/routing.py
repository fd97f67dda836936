"""What a router's inputs make of a flit, R3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Protocol, TypeAlias

__all__ = ["XY", "Pairs", "Port", "Routing", "Source", "Table", "all_pairs"]

Pairs: TypeAlias = Mapping[int, Sequence[int]]
"""By input, the outputs to which its flits may go, in rising order."""


class Port(IntEnum):
    """Ports of a mesh router."""

    EAST, NORTH, WEST, SOUTH, LOCAL = range(5)


def all_pairs(ports: int) -> Pairs:
    """Return all pairs of a router with so many ports."""
    return {i: range(ports) for i in range(ports)}


class Routing(Protocol):
    """A routing; ``pairs`` are those that it allows."""

    pairs: Pairs

    def route(self, port: int, payload: int) -> tuple[int, int]:
        """Return a head flit's output, by its input, and its payload in the buffer."""


class XY:
    """First along the row, then along the column.

    Parameters
    ----------
    x_bits, y_bits : int
        Bits of the header's parts.
    x, y : int
        Column and row of the router.
    """

    def __init__(self, x_bits: int, y_bits: int, x: int, y: int) -> None:
        self._x_bits, self._x, self._y = x_bits, x, y
        self._mask = (1 << x_bits + y_bits) - 1
        self._known: dict[tuple[int, int], Port] = {}
        columns = [Port.NORTH, Port.SOUTH, Port.LOCAL]
        self.pairs: Pairs = {
            Port.EAST: sorted([Port.WEST, *columns]),
            Port.NORTH: [Port.SOUTH, Port.LOCAL],
            Port.WEST: sorted([Port.EAST, *columns]),
            Port.SOUTH: [Port.NORTH, Port.LOCAL],
            Port.LOCAL: list(Port),
        }

    def route(self, port: int, payload: int) -> tuple[int, int]:
        """Return a head flit's output, and its payload."""
        header = payload & self._mask
        output = self._known.get((port, header))
        if output is None:
            x, y = header & (1 << self._x_bits) - 1, header >> self._x_bits
            output = self._known[port, header] = xy_output(port, x - self._x, y - self._y)
        return output, payload


def xy_output(port: int, dx: int, dy: int) -> Port:
    """Return the output towards a router that is so many columns and rows away."""
    if port in (Port.NORTH, Port.SOUTH):
        return Port.LOCAL if dy == 0 else Port((port + 2) % 4)
    if dx:
        if port == Port.LOCAL:
            return Port.EAST if dx > 0 else Port.WEST
        return Port((port + 2) % 4)
    if dy:
        return Port.NORTH if dy > 0 else Port.SOUTH
    return Port.LOCAL


class Table:
    """The header is the destination's router, then its port; elsewhere a table says the output.

    Parameters
    ----------
    ports : int
    pairs : Pairs
    number : int
        This router's.
    routes : sequence of int
        The output for each router.
    """

    def __init__(self, ports: int, pairs: Pairs, number: int, routes: Sequence[int]) -> None:
        self.pairs = pairs
        self._router_bits = max(1, (len(routes) - 1).bit_length())
        self._port_bits = max(1, (ports - 1).bit_length())
        self._number, self._routes = number, routes

    def route(self, port: int, payload: int) -> tuple[int, int]:
        """Return a head flit's output, and its payload; an output that there is not is -1."""
        router = payload & (1 << self._router_bits) - 1
        if router == self._number:
            return payload >> self._router_bits & (1 << self._port_bits) - 1, payload
        return self._routes[router] if router < len(self._routes) else -1, payload


class Source:
    """The header's lowest bits are the output, and are shifted out.

    Parameters
    ----------
    ports : int
    pairs : Pairs
    """

    def __init__(self, ports: int, pairs: Pairs) -> None:
        self.pairs = pairs
        self._bits = (ports - 1).bit_length()

    def route(self, port: int, payload: int) -> tuple[int, int]:
        """Return a head flit's output, and what is left of its payload."""
        return payload % (1 << self._bits), payload >> self._bits
