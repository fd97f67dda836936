"""Lines of points, in hops: moved aside, cut, rounded, and the arrows along them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
"""Of shape (n, 2)."""

TIP = 0.15
"""Length of an arrowhead."""
BEND = 0.16
"""Radius of a bend."""
SPACING, BUNDLE = 0.14, 0.34
"""Distance of neighbouring lanes, and width of the widest bundle: more lanes move closer."""
AT_END, AT_BEND = -0.35, 0.25
"""How far a run reaches beyond its end: paths may follow one another, but not share a bend."""

Node = tuple[int, int]


def _units(line: Points) -> Points:
    """Return the direction at each point of a line."""
    along = np.gradient(line, axis=0)
    return np.asarray(along / np.maximum(1e-9, np.hypot(*along.T))[:, None], dtype=np.float64)


def _right(along: Points) -> Points:
    return np.stack([along[..., 1], -along[..., 0]], axis=-1)


def aside(line: Points, distance: float) -> Points:
    """Move a smooth line to its right."""
    return np.asarray(line + distance * _right(_units(line)), dtype=np.float64)


def cut(line: Points, begin: float, end: float) -> Points:
    """Return a line without its first and last lengths."""
    at = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(line, axis=0).T))])
    first = min(begin, float(at[-1]))
    last = max(first, float(at[-1]) - end)
    ends = [[np.interp(here, at, axis) for axis in line.T] for here in (first, last)]
    return np.vstack([ends[0], line[(at > first) & (at < last)], ends[1]])


def rounded(line: Points) -> Points:
    """Round a line's bends."""
    t = np.linspace(0, 1, 6)[:, None]
    parts = [line[:1]]
    for before, here, after in zip(line, line[1:], line[2:], strict=False):
        first, last = (
            here + (there - here) * min(0.5, BEND / max(1e-9, float(np.hypot(*(there - here)))))
            for there in (before, after)
        )
        parts.append((1 - t) ** 2 * first + 2 * t * (1 - t) * here + t**2 * last)
    return np.vstack([*parts, line[-1:]])


def head(line: Points, length: float = TIP) -> Points:
    """Return an arrowhead's three points, its tip at the line's end."""
    along = (line[-1] - line[-2]) / max(1e-9, float(np.hypot(*(line[-1] - line[-2]))))
    back, across = line[-1] - length * along, 0.48 * length * _right(along)
    return np.array([line[-1], back - across, back + across])


def band(line: Points, half: float) -> Points:
    """Return the outline of an arrow of half a breadth, whose head is twice as broad."""
    shaft = cut(line, 0, 3 * half)
    right = half * _right(_units(shaft))
    tip = [shaft[-1] - 2 * right[-1], line[-1], shaft[-1] + 2 * right[-1]]
    return np.concatenate([shaft - right, tip, (shaft + right)[::-1]])


def corners(path: Sequence[Node]) -> Points:
    """Return the ends and bends of a path along columns and rows."""
    points = np.array(path, dtype=np.float64)
    steps = np.sign(np.diff(points, axis=0))
    bends = np.flatnonzero((steps[1:] != steps[:-1]).any(axis=1)) + 1
    return np.asarray(points[[0, *bends, -1]], dtype=np.float64)


def moved(path: Points, away: Sequence[float]) -> Points:
    """Move each straight piece of a path to its right, and join them where they meet.

    Parameters
    ----------
    path : array, shape (n + 1, 2)
        Corners along columns and rows.
    away : sequence of float
        For each of the n pieces how far.
    """
    along = np.sign(np.diff(path, axis=0))
    shift = np.array(away)[:, None] * _right(along)
    points = [path[0] + shift[0]]
    for here, place in enumerate(path[1:-1]):
        before, after = shift[here], shift[here + 1]
        if (along[here] == -along[here + 1]).all():  # back again: around the end
            beyond = place + along[here] * away[here]
            points += [beyond + before, beyond + after]
        else:
            points.append(place + before + after)
    return np.array([*points, path[-1] + shift[-1]])


def lanes(paths: Sequence[Points], edge: float) -> list[Points]:
    """Part paths that run over the same links, like metro lines.

    Straight runs of one column or row that overlap get lanes of their own.

    Parameters
    ----------
    paths : sequence of array, shape (n, 2)
        Corners of each: its two ends, and bends between them.
    edge : float
        Radius of the disc at which a path begins and ends.
    """
    import networkx as nx

    graph: nx.Graph[tuple[int, int]] = nx.Graph()
    spans: dict[tuple[int, int], tuple[float, float]] = {}
    roads: dict[tuple[int, float], list[tuple[int, int]]] = {}
    for number, path in enumerate(paths):
        last = len(path) - 2
        for piece, (a, b) in enumerate(pairwise(path)):
            axis = int(a[0] == b[0])
            reach = [AT_END if end else AT_BEND for end in (piece == 0, piece == last)]
            low, high = (a[axis], b[axis]) if a[axis] < b[axis] else (b[axis], a[axis])
            reach = reach if a[axis] < b[axis] else reach[::-1]
            spans[number, piece] = low - reach[0], high + reach[1]
            roads.setdefault((axis, float(a[1 - axis])), []).append((number, piece))
    for runs in roads.values():
        runs.sort(key=lambda run: (spans[run][0], -spans[run][1]))
        graph.add_nodes_from(runs)
        for place, run in enumerate(runs):
            over = [other for other in runs[:place] if spans[other][1] > spans[run][0]]
            graph.add_edges_from((other, run) for other in over)
    lane = nx.greedy_color(graph, strategy=lambda graph, _: list(graph))
    place_of: dict[tuple[int, int], float] = {}
    for bundle in nx.connected_components(graph):
        count = 1 + max(lane[run] for run in bundle)
        apart = min(SPACING, BUNDLE / max(1, count - 1))
        place_of |= {run: (lane[run] - (count - 1) / 2) * apart for run in bundle}
    found = []
    for number, path in enumerate(paths):
        ahead = np.sign(np.diff(path, axis=0)) @ np.array([-1, 1])
        # To the right of east is south, of north east.
        away = [float(sign) * place_of[number, piece] for piece, sign in enumerate(ahead)]
        begin, end = (max(0.0, edge**2 - aside**2) ** 0.5 for aside in (away[0], away[-1]))
        found.append(cut(moved(path, away), begin, end))
    return found
