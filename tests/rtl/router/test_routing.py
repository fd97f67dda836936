"""X-Y routing of the largest mesh: every bit of a coordinate counts, at every input."""

from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.router.routing import XyRouting
from tests.rtl.support import evaluate

EAST, NORTH, WEST, SOUTH, LOCAL = range(5)
BITS = 10


class Routed(wiring.Component):
    """The route of a head at one input."""

    def __init__(self, port: int) -> None:
        self._port, self._routing = port, XyRouting(BITS, BITS)
        flit = data.StructLayout({"payload": 2 * BITS + 1})
        super().__init__({**self._routing.members(), "flit": In(flit), "route": Out(5)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        here: Any = self
        route, _ = self._routing.place(m, here, self._port, here.flit)
        m.d.comb += here.route.eq(route)
        return m


def output(x: int, y: int, to_x: int, to_y: int) -> int:
    """Return the output by the rule: the column first, then the row."""
    if to_x != x:
        return EAST if to_x > x else WEST
    if to_y != y:
        return NORTH if to_y > y else SOUTH
    return LOCAL


def comes_by(port: int, way: int) -> bool:
    """Return whether a packet that leaves by ``way`` can have come by ``port``: see the rule."""
    if port == LOCAL:
        return True
    if port in (NORTH, SOUTH):
        return way not in (EAST, WEST, port)
    return way != port


@pytest.mark.parametrize("port", range(5))
def test_all_bits_of_a_coordinate_are_compared(port: int) -> None:
    places = [0, *(1 << bit for bit in range(BITS)), (1 << BITS) - 1]
    pairs = [(here, there) for here in places for there in places]
    cases = [(x, 5, to_x, 5) for x, to_x in pairs] + [(9, y, 9, to_y) for y, to_y in pairs]
    cases += [(x, 3, to_x, 8) for x, to_x in pairs]
    legal = [case for case in cases if comes_by(port, output(*case))]
    rows = [{"x": x, "y": y, "flit": to_x | to_y << BITS} for x, y, to_x, to_y in legal]
    seen = [row["route"] for row in evaluate(Routed(port), rows)]
    assert seen == [1 << output(*case) for case in legal]
