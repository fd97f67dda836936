"""Dimension-order routing as logic."""

from collections.abc import Collection

from amaranth import Cat, Const, Value
from amaranth.lib import data

__all__ = ["HERE", "legal_outputs", "route"]

HERE = 4
"""Bit of a route that means this router; for ordinary packets the LOCAL port."""


def route(
    x: Value,
    y: Value,
    destination: data.View,
    *,
    y_first: bool,
    legal: Collection[int] = (0, 1, 2, 3, HERE),
) -> Value:
    """Return the one-hot route (EAST, NORTH, WEST, SOUTH, HERE) towards ``destination``.

    Only ``legal`` outputs come into question: a flit from EAST that has not the column it is for
    goes on to WEST, and no more is compared.
    """
    east, west = _ways(x, destination.x, 0 in legal, 2 in legal)
    north, south = _ways(y, destination.y, 1 in legal, 3 in legal)
    same_x, same_y = ~(east | west), ~(north | south)
    if y_first:
        return Cat(east & same_y, north, west & same_y, south, same_x & same_y)
    return Cat(east, north & same_x, west, south & same_x, same_x & same_y)


def _ways(here: Value, there: Value, up: bool, down: bool) -> tuple[Value, Value]:
    """Return whether to go up and down a dimension, where only some of both is legal."""
    if up and down:
        return there > here, there < here
    other, never = there != here, Const(0, 1)
    return (other if up else never), (other if down else never)


def legal_outputs(port: int, *, y_first: bool) -> tuple[int, ...]:
    """Return the outputs that dimension order allows a flit from input ``port``, HERE included.

    Ports are EAST 0, NORTH 1, WEST 2, SOUTH 3, LOCAL 4. A flit never goes back where it came
    from, and after its turn never returns to the first dimension.
    """
    if port == HERE:
        return (0, 1, 2, 3, 4)
    turned = port % 2 != (1 if y_first else 0)
    straight = (port + 2) % 4
    outputs = {straight, HERE} if turned else {0, 1, 2, 3, HERE} - {port}
    return tuple(sorted(outputs))
