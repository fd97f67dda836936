"""Dimension-order routing as logic."""

from amaranth import Cat, Value
from amaranth.lib import data

__all__ = ["HERE", "legal_outputs", "route"]

HERE = 4
"""Bit of a route that means this router; for ordinary packets the LOCAL port."""


def route(x: Value, y: Value, destination: data.View, *, y_first: bool) -> Value:
    """Return the one-hot route (EAST, NORTH, WEST, SOUTH, HERE) towards ``destination``."""
    east, west = destination.x > x, destination.x < x
    north, south = destination.y > y, destination.y < y
    same_x, same_y = ~(east | west), ~(north | south)
    if y_first:
        return Cat(east & same_y, north, west & same_y, south, same_x & same_y)
    return Cat(east, north & same_x, west, south & same_x, same_x & same_y)


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
