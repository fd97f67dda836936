"""Latency in nanoseconds as paper BTM models it, for its tree and for the one it compares with.

Source: paper BTM, section 4.1. Readings: d and h are those of one path, the worst; the d of the
CS tree is the greatest distance from the root, for its paths go X-then-Y straight to the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.planning.tree import Tree
from syncfabric.models.timing.times import Ranges, Times

__all__ = ["Timing", "cs_depth", "cs_formula_ns", "formula_ns", "way_ns"]


@dataclass(frozen=True)
class Timing(Times):
    """Times in nanoseconds.

    The paper's figures take the defaults and sweep t_s 1,000 to 10,000, t_p and t_rn 5 to 15, and
    t_rm 20 to 60.

    Parameters
    ----------
    t_s : float
        Start-up of a message in software, 0 to 100,000.
    t_p : float
        Propagation over a link, 0 to 1,000.
    t_rn : float
        Routing at a node outside the tree, 0 to 1,000.
    t_rm : float
        Routing at a member: look-up, merging or replication; 0 to 10,000.

    Raises
    ------
    PlanError
        A time is out of its range.
    """

    RANGES_NS: ClassVar[Ranges] = {
        "t_s": (0, 100_000),
        "t_p": (0, 1_000),
        "t_rn": (0, 1_000),
        "t_rm": (0, 10_000),
    }

    ORIGIN = "paper BTM's formula"
    SOFTWARE = True

    t_s: float = 1_000
    t_p: float = 5
    t_rn: float = 5
    t_rm: float = 30


PAPER = Timing()


def way_ns(hops: ArrayLike, stops: ArrayLike, timing: Timing = PAPER) -> float:
    """Return t_s + d t_p + (d - h) t_rn + (h + 1) t_rm of the worst of several ways.

    Parameters
    ----------
    hops, stops : int or array of int
        Of each way the links d, and the nodes h behind the first that look a register up.
    timing : Timing
        The times; the paper's by default.
    """
    d, h, t = np.asarray(hops), np.asarray(stops), timing
    return t.t_s + float(np.max(d * t.t_p + (d - h) * t.t_rn + (h + 1) * t.t_rm))


def formula_ns(tree: Tree, timing: Timing = PAPER) -> float:
    """Return t_b = 2 (t_s + d t_p + (d - h) t_rn + (h + 1) t_rm) of the tree's worst path.

    Parameters
    ----------
    tree : Tree
        A barrier tree of members.
    timing : Timing
        The times; the paper's by default.
    """
    return 2 * way_ns(tree.hops, tree.depth, timing)


def cs_depth(tree: Tree) -> int:
    """Return the depth in hops of the CS tree over the same members and root."""
    root = tree.root_position
    return int((np.abs(tree.x - tree.x[root]) + np.abs(tree.y - tree.y[root])).max())


def cs_formula_ns(tree: Tree, timing: Timing = PAPER) -> float:
    """Return t_c = 2 (t_s + d t_p + (d + 1) t_rm), d the depth of the CS tree in hops."""
    d = cs_depth(tree)
    return 2 * (timing.t_s + d * timing.t_p + (d + 1) * timing.t_rm)
