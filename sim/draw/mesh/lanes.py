"""Lanes for messages' paths, so that those over the same links run side by side, like metro lines.

Pure geometry: no drawing here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from syncfabric.models.networks.mesh import Node
from syncfabric.sim.draw.strokes import Point

__all__ = ["corners", "lay_out"]

SPACING = 0.14
"""Distance of neighbouring lanes, in hops."""
BUNDLE = 0.34
"""Widest bundle of lanes; more of them move closer together."""
AT_END, AT_BEND = -0.35, 0.25
"""How far a run reaches beyond its end: paths may follow one another, but not share a bend."""


@dataclass
class _Run:
    """A straight piece of a path along one row or column."""

    path: int
    piece: int
    low: float
    high: float
    lane: int = 0


def corners(path: Sequence[Node]) -> list[Node]:
    """Return a path's ends and bends."""
    kept = list(path[:1])
    for before, here, after in zip(path, path[1:], path[2:], strict=False):
        if (here[0] - before[0], here[1] - before[1]) != (after[0] - here[0], after[1] - here[1]):
            kept.append(here)
    return kept + list(path[1:][-1:])


def lay_out(paths: Sequence[Sequence[Node]], radius: float) -> list[list[Point]]:
    """Give every path a lane in each row and column that it follows.

    Parameters
    ----------
    paths : sequence of sequence of Node
        Corners of each path: its two ends, and bends between them.
    radius : float
        Radius of a node's disc; a path starts and ends on the rim of it.

    Returns
    -------
    list of list of Point
        The corners moved to their lanes, in hops.
    """
    roads: dict[tuple[bool, int], list[_Run]] = {}
    for number, path in enumerate(paths):
        for piece, (a, b) in enumerate(pairwise(path)):
            level = a[1] == b[1]
            along = 0 if level else 1
            reach = [AT_END if piece == 0 else AT_BEND]
            reach.append(AT_END if piece == len(path) - 2 else AT_BEND)
            if a[along] > b[along]:
                reach.reverse()
            low, high = sorted((a[along], b[along]))
            run = _Run(number, piece, low - reach[0], high + reach[1])
            roads.setdefault((level, a[1 - along]), []).append(run)
    shift: dict[tuple[int, int], float] = {}
    for runs in roads.values():
        _share(runs, shift)
    return [_shifted(path, number, shift, radius) for number, path in enumerate(paths)]


def _share(runs: list[_Run], shift: dict[tuple[int, int], float]) -> None:
    """Colour the runs of one row or column, bundle by bundle."""
    runs.sort(key=lambda run: (run.low, -run.high))
    bundle: list[_Run] = []
    end = float("-inf")
    for run in [*runs, _Run(0, 0, float("inf"), 0)]:
        if run.low >= end and bundle:
            lanes = 1 + max(done.lane for done in bundle)
            spacing = min(SPACING, BUNDLE / max(1, lanes - 1))
            for done in bundle:
                shift[done.path, done.piece] = (done.lane - (lanes - 1) / 2) * spacing
            bundle, end = [], float("-inf")
        taken = {other.lane for other in bundle if other.high > run.low}
        run.lane = next(lane for lane in range(len(taken) + 1) if lane not in taken)
        bundle.append(run)
        end = max(end, run.high)


def _shifted(
    path: Sequence[Node], number: int, shift: dict[tuple[int, int], float], radius: float
) -> list[Point]:
    points = [[float(x), float(y)] for x, y in path]
    last = len(path) - 2
    for piece, (a, b) in enumerate(pairwise(path)):
        along = 0 if a[1] == b[1] else 1
        aside = shift[number, piece]
        for point in points[piece : piece + 2]:
            point[1 - along] += aside
        rim = max(0.0, radius**2 - aside**2) ** 0.5
        forward = 1 if b[along] > a[along] else -1
        if piece == 0:
            points[0][along] += forward * rim
        if piece == last:
            points[-1][along] -= forward * rim
    return [(x, y) for x, y in points]
