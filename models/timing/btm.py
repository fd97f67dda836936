"""Latency in nanoseconds as paper BTM models it, for its tree and for the one it compares with.

Source: paper BTM, section 4.1. Readings: d and h are those of one path, the worst; the d of the
CS tree is the greatest distance from the root, for its paths go X-then-Y straight to the root.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.planning.btm import Tree
from syncfabric.models.timing.times import Times, ns


@dataclass(frozen=True)
class Timing(Times):
    """Times of paper BTM, whose figures take the defaults; units and errors as of `Times`."""

    ORIGIN = "paper BTM's formula"
    SOFTWARE = True

    t_s: float = ns(1_000, 100_000, "start-up of a message, ns; paper 1,000 to 10,000")
    t_p: float = ns(5, 1_000, "propagation over a link, ns; paper 5 to 15")
    t_rn: float = ns(5, 1_000, "routing at a node outside the tree, ns; paper 5 to 15")
    t_rm: float = ns(30, 10_000, "routing at a member, ns; paper 30 to 60")


PAPER = Timing()


def path_ns(hops: ArrayLike, stops: ArrayLike, timing: Timing = PAPER) -> float:
    """Return t_s + d t_p + (d - h) t_rn + (h + 1) t_rm of the worst of several paths.

    Parameters
    ----------
    hops, stops : int or array of int
        Of each path the links d, and the nodes h behind the first that look a register up.
    timing : Timing
        The times; the paper's by default.
    """
    d, h, t = np.asarray(hops), np.asarray(stops), timing
    return t.t_s + float(np.max(d * t.t_p + (d - h) * t.t_rn + (h + 1) * t.t_rm))


def formula_ns(tree: Tree, timing: Timing = PAPER) -> float:
    """Return t_b of a barrier tree of members: there and back on its worst path."""
    return 2 * path_ns(tree.hops, tree.depth, timing)


def cs_formula_ns(tree: Tree, timing: Timing = PAPER) -> float:
    """Return t_c of the CS tree over the same members and root: a register at every hop."""
    root = tree.root_position
    hops = np.abs(tree.x - tree.x[root]) + np.abs(tree.y - tree.y[root])
    return 2 * path_ns(hops, hops, timing)
