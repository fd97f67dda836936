"""Whether messages of one tree can meet, and so delay each other beyond the bound.

Alone on an idle mesh a message waits only for another that uses the same link: a link carries one
message a cycle, and one of a class every third cycle. Messages of two members one of which is above
the other are never in flight together, for the second is sent because of the first. So no message
ever waits, whatever the arrivals, if

1. the paths of two members to their parents share a link only where one is above the other;
2. no path leads through a member above both its ends.

Why 2: let a message cross a link from u to v in cycle t, and a later one too. Between them lies a
chain of messages from v by some member c to u, at a cycle a link, so the later one crosses at
t + 1 + |v c| + |c u| or after; c is the lower end of the upper path or, between a reduction and a
distribution, the root. The two distances add up to an odd number: to at least 3, which is enough,
or to 1 if c is u or v. Then one of the two paths leads through c, which 2 forbids.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.btm import Tree


@dataclass(frozen=True, eq=False)
class Ancestry:
    """Members numbered so that each comes just before all below it.

    Parameters
    ----------
    number : array of int64, shape (n,)
        Each member's number.
    size : array of int64, shape (n,)
        Members below each, itself included.
    """

    number: Ints
    size: Ints

    @classmethod
    def of(cls, tree: Tree) -> Ancestry:
        """Number a tree's members, level by level."""
        order = np.argsort(tree.depth, kind="stable")
        levels = np.split(order, np.flatnonzero(np.diff(tree.depth[order])) + 1)
        size = np.ones(len(tree), dtype=np.int64)
        for level in levels[:0:-1]:
            np.add.at(size, tree.parent[level], size[level])
        number = np.zeros(len(tree), dtype=np.int64)
        for level in levels[:-1]:
            children = tree.children[level]
            sizes = np.where(children >= 0, size[children], 0)
            first = number[level][:, None] + 1 + np.cumsum(sizes, axis=1) - sizes
            number[children[children >= 0]] = first[children >= 0]
        return cls(number, size)

    def above(self, a: Ints, b: Ints) -> NDArray[np.bool_]:
        """Return where members ``a`` are above members ``b``, or the same."""
        below = self.number[b] - self.number[a]
        found: NDArray[np.bool_] = (below >= 0) & (below < self.size[a])
        return found


@dataclass(frozen=True, eq=False)
class Paths:
    """Every link of the path between each member and its parent, a row for each link.

    Parameters
    ----------
    member : array of int64, shape (links,)
        Position of the member whose path it is.
    x, y : array of int64, shape (links,)
        The node that the link leaves.
    dx, dy : array of int64, shape (links,)
        The step to the node that it leads to.
    """

    member: Ints
    x: Ints
    y: Ints
    dx: Ints
    dy: Ints

    @classmethod
    def of(cls, tree: Tree, *, paper: bool = False) -> Paths:
        """List the links of the distributions, or with ``paper`` of paper BTM's reductions.

        Both go X first to or from the children at +X and -X, Y first to or from the others. The
        mesh's own reductions take the links of the distributions back.
        """
        below = np.flatnonzero(tree.parent >= 0)
        above = tree.parent[below]
        start, end = (below, above) if paper else (above, below)
        dx, dy = tree.x[end] - tree.x[start], tree.y[end] - tree.y[start]
        lengths = np.abs(dx) + np.abs(dy)
        row = np.repeat(np.arange(len(below)), lengths)
        step = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        x_first = (tree.port[below] % 2 == Port.EAST)[row]
        long_x, long_y = np.abs(dx)[row], np.abs(dy)[row]
        gone_x = np.where(x_first, np.minimum(step, long_x), np.maximum(step - long_y, 0))
        along_x = np.where(x_first, step < long_x, step >= long_y)
        sign_x, sign_y = np.sign(dx)[row], np.sign(dy)[row]
        return cls(
            below[row],
            tree.x[start][row] + sign_x * gone_x,
            tree.y[start][row] + sign_y * (step - gone_x),
            np.where(along_x, sign_x, 0),
            np.where(along_x, 0, sign_y),
        )

    @property
    def pairs(self) -> Ints:
        """A number for the two nodes of each link, the same in both directions."""
        return ((2 * self.y + self.dy) << 32) + 2 * self.x + self.dx

    @property
    def links(self) -> Ints:
        """A number for each link, another for the link back."""
        return 2 * self.pairs + (self.dx + self.dy > 0)


def can_meet(tree: Tree) -> bool:
    """Return whether one of the two rules is broken, so that messages may delay each other.

    The reductions are taken to go back over the links of the distributions. The second rule is
    checked for the paper's reductions too.
    """
    ancestry, paths = Ancestry.of(tree), Paths.of(tree)
    first, second, _ = _on_one_link(paths.pairs, paths.member, ancestry)
    if not ancestry.above(first, second).all():
        return True
    return any(_leads_back(tree, ancestry, some) for some in (paths, Paths.of(tree, paper=True)))


def _on_one_link(links: Ints, member: Ints, ancestry: Ancestry) -> tuple[Ints, Ints, Ints]:
    """Return each two members next in number of those on one link, and the link.

    If all of a link are above one another, so are all of these, and only then.
    """
    order = np.lexsort((ancestry.number[member], links))
    links, member = links[order], member[order]
    same = links[1:] == links[:-1]
    return member[:-1][same], member[1:][same], links[1:][same]


def _leads_back(tree: Tree, ancestry: Ancestry, paths: Paths) -> bool:
    """Return whether some path leads through a member above both its ends."""
    places = (tree.y << 32) + tree.x
    order = np.argsort(places)
    passed = (paths.y << 32) + paths.x
    found = order[np.searchsorted(places[order], passed) % len(tree)]
    inside = (places[found] == passed) & (found != paths.member)
    inside &= found != tree.parent[paths.member]
    return bool(ancestry.above(found[inside], paths.member[inside]).any())
