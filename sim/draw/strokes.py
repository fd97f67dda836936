"""Lines with round bends, their arrowheads in hops, and how trees are drawn with them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from syncfabric.sim.draw.canvas import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Point", "draw_pies", "draw_ways", "head", "rounded", "shortened", "trunk"]

Point = tuple[float, float]


def shortened(lane: Sequence[Point], length: float) -> list[Point]:
    """Cut ``length`` off a lane's end."""
    (ax, ay), (bx, by) = lane[-2:]
    whole = abs(bx - ax) + abs(by - ay)
    part = max(0.0, whole - length) / whole if whole else 0.0
    return [*lane[:-1], (ax + (bx - ax) * part, ay + (by - ay) * part)]


def rounded(lane: Sequence[Point], radius: float = 0.16, steps: int = 5) -> list[Point]:
    """Round a lane's bends."""
    if len(lane) < 3:
        return list(lane)
    points = [lane[0]]
    for before, here, after in zip(lane, lane[1:], lane[2:], strict=False):
        first, last = _towards(here, before, radius), _towards(here, after, radius)
        for step in range(steps + 1):
            t = step / steps
            points.append(
                (
                    (1 - t) ** 2 * first[0] + 2 * t * (1 - t) * here[0] + t**2 * last[0],
                    (1 - t) ** 2 * first[1] + 2 * t * (1 - t) * here[1] + t**2 * last[1],
                )
            )
    return [*points, lane[-1]]


def _towards(here: Point, there: Point, length: float) -> Point:
    whole = abs(there[0] - here[0]) + abs(there[1] - here[1])
    part = min(length, whole / 2) / whole if whole else 0.0
    return here[0] + (there[0] - here[0]) * part, here[1] + (there[1] - here[1]) * part


def head(lane: Sequence[Point], length: float) -> list[Point]:
    """Return an arrowhead's three points, its tip at the lane's end."""
    (ax, ay), (bx, by) = lane[-2:]
    whole = abs(bx - ax) + abs(by - ay) or 1.0
    dx, dy = (bx - ax) / whole, (by - ay) / whole
    backx, backy, half = bx - dx * length, by - dy * length, length * 0.48
    return [
        (bx, by),
        (backx - dy * half, backy + dx * half),
        (backx + dy * half, backy - dx * half),
    ]


def trunk(depth: int, height: int) -> float:
    """Return how broad an edge is, 1 at the leaves: a large tree's trunk stands out."""
    return 1 + 0.5 * (height - depth) / height


def draw_ways(
    axes: "Axes",
    lines: Sequence[Any],
    heads: Sequence[Any],
    inks: Sequence[str],
    widths: Sequence[float],
    cased: Sequence[float],
    layer: int,
    tips: Sequence[str] | None = None,
) -> None:
    """Draw lines over a paler casing, and arrowheads in their colours.

    Parameters
    ----------
    axes : Axes
    lines, heads : sequence of points
        Heads need not be as many as lines: ``tips`` then has their colours.
    inks, widths, cased
        Of each line its colour, and its breadth and its casing's, in points.
    layer : int
        The casing's; lines and heads lie above it.
    tips : sequence of str, optional
    """
    from matplotlib.collections import LineCollection, PolyCollection

    axes.add_collection(LineCollection(lines, colors=PAPER, linewidths=cased, zorder=layer))
    axes.add_collection(LineCollection(lines, colors=inks, linewidths=widths, zorder=layer + 1))
    faces = inks if tips is None else tips
    axes.add_collection(PolyCollection(heads, facecolors=faces, linewidths=0, zorder=layer + 2))


def draw_pies(
    axes: "Axes", inks: Mapping[Any, Sequence[Any]], radius: float, layer: int, ring: float | None
) -> None:
    """Draw pies of equal parts at points, clockwise from the top.

    Parameters
    ----------
    axes : Axes
    inks : mapping of point to sequence of colours
    radius : float
        In hops.
    layer : int
    ring : float, optional
        Breadth of the ring that each is, in hops; None: whole pies.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Wedge

    wedges, colours = [], []
    for middle, shown in inks.items():
        part = 360 / len(shown)
        for turn, ink in enumerate(shown):
            first, last = 90 - (turn + 1) * part, 90 - turn * part
            wedges.append(Wedge(middle, radius, first, last, width=ring))
            colours.append(ink)
    axes.add_collection(PatchCollection(wedges, facecolors=colours, linewidths=0, zorder=layer))
