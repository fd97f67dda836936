"""Drawn networks, and a link of a tree that gets slower."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.broadcast.balanced_path import balanced_path
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.positions import parent
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.strategies import Found, Strategy, search, trials

__all__ = ["SlowLink", "drawn"]


def drawn(dice: np.random.Generator, nodes: int, farthest: int) -> NDArray[np.int64]:
    """Return a symmetric matrix of distances from 1 to ``farthest``."""
    upper = np.triu(dice.integers(1, farthest + 1, (nodes, nodes)), 1)
    matrix: NDArray[np.int64] = upper + upper.T
    return matrix


@dataclass
class SlowLink:
    """A tree by Balanced-Path on a drawn network, one of its links, and what is added to it."""

    costs: MatrixCosts
    before: Layout
    """Never changed; its costs are shared, so it must not be asked for those of the link."""
    child: int
    """The position below the link."""

    @classmethod
    def draw(cls, seed: int, nodes: int, farthest: int = 10) -> SlowLink:
        """Return that of a seed. Distances are integers from 1, and all links are as likely."""
        dice = np.random.default_rng(seed)
        costs = MatrixCosts(drawn(dice, nodes, farthest))
        before = Layout(costs, balanced_path(costs, np.arange(nodes), 0))
        return cls(costs, before, int(dice.integers(1, nodes)))

    def counting(self, start_up: StartUp) -> SlowLink:
        """Return the same with start-ups in the tree's cost; to be called before ``slow``."""
        return replace(self, before=Layout(self.costs, self.before.at, start_up))

    def slow(self, factor: int) -> Layout:
        """Return the tree with ``factor`` added to the link, and change the costs so."""
        cost = self.before.link(self.child) + factor
        node, above = (int(self.before.at[x]) for x in (self.child, parent(self.child)))
        self.costs.change(node, {above: cost})
        raised = self.before.copy()
        raised.price(self.child, cost)
        return raised

    def swap(self, strategy: Strategy, raised: Layout) -> tuple[Layout, Found]:
        """Return the tree after a strategy's swap; without a search if its cost did not rise."""
        after = raised.copy()
        if raised.cost <= self.before.cost:
            return after, Found(0, None)
        blocks = trials(strategy, after, parent(self.child), self.child)
        return after, search(after, blocks, self.before.cost)

    def rebuild(self) -> Layout:
        """Return what Balanced-Path makes of the costs as they are now."""
        nodes = np.arange(self.before.size)
        return Layout(self.costs, balanced_path(self.costs, nodes, 0))
