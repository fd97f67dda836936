"""A broadcast tree that follows its network: what a message passing library calls.

    tree = Tree([[0, 2, 5], [2, 0, 1], [5, 1, 0]])
    tree.children(tree.root)  # whom to send to, in this order
    tree.update_cost(0, 1, 7)
    tree.leave(2)

Whatever happens, the tree is a binomial tree of all its nodes, each once.

Source: paper ADAPT; SPEC section 4.
"""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.broadcast.balanced_path import balanced_path
from syncfabric.models.broadcast.costs import (
    CostFunction,
    Costs,
    FunctionCosts,
    Ints,
    MatrixCosts,
    checked_cost,
)
from syncfabric.models.broadcast.layout import NO_GOAL, Layout, children, parent
from syncfabric.models.broadcast.near import ALL_NODES, Groups, Near, Places
from syncfabric.models.broadcast.policy import (
    Change,
    Goal,
    Policy,
    checked_node,
    checked_nodes,
    joining_costs,
)
from syncfabric.models.broadcast.start_up import NO_START_UP, StartUp
from syncfabric.models.broadcast.strategies import (
    Found,
    Strategy,
    neighbours,
    refine,
    search,
    trials,
)
from syncfabric.models.errors import SpecError

__all__ = ["Change", "Goal", "Groups", "Places", "Policy", "Strategy", "Tree"]


class Tree:
    """A binomial tree, built by Balanced-Path.

    Parameters
    ----------
    costs : array_like or callable
        A symmetric matrix of shape (N, N), of which a copy is made; or a function of two int64
        arrays of nodes, of shape (k), the first ones lower, that returns k costs.
    one_way : bool
        Whether costs from one node to another differ from those back. The matrix has that from i
        to j at [i, j], and the function returns those from its first array to the second.
    root : int
    nodes : iterable of int, optional
        Those in the tree, in any order; by default all of the matrix.
    order : iterable of int, optional
        The node at each position, the root first: in place of ``root`` and ``nodes``, and of
        Balanced-Path. ``range(N)`` is the plain binomial tree.
    near : Places, Groups, "all" or None
        How Balanced-Path finds a parent's nearest node. ``"all"`` looks at all that are left, as in
        the paper, and so does None up to 8,192 nodes; beyond, None looks at some, and then swaps
        (``refine``). See ``near.py``.
    policy : Policy
    start_up : StartUp, optional
        What messages cost besides their links, and one after another. With it ``cost`` is the time
        in which the last node has the message; Balanced-Path looks at links only. By default none,
        as in the paper.

    Raises
    ------
    SpecError
        What is given does not fit together, or holds what is no cost or no node.
    """

    def __init__(
        self,
        costs: ArrayLike | CostFunction,
        *,
        one_way: bool = False,
        root: int | None = None,
        nodes: Iterable[int] | None = None,
        order: Iterable[int] | None = None,
        near: Near = None,
        policy: Policy | None = None,
        start_up: StartUp = NO_START_UP,
    ) -> None:
        self.policy = policy or Policy()
        self._one_way = one_way
        known: Costs = (
            FunctionCosts(costs, one_way) if callable(costs) else MatrixCosts(costs, one_way)
        )
        guessed = False
        if order is not None and (nodes is not None or root is not None):
            raise SpecError("tree: give either an order, or nodes and a root")
        if order is None:
            if nodes is None:
                if isinstance(known, FunctionCosts):
                    raise SpecError("tree: with a cost function, nodes or an order must be given")
                nodes = range(known.known)
            members = checked_nodes(nodes, known.known)
            first = 0 if root is None else root
            if first not in members:
                raise SpecError(f"root {first}: it is not among the nodes")
            order = balanced_path(known, np.array(members, dtype=np.int64), first, near).tolist()
            guessed = near is None and len(members) > ALL_NODES
        self._layout = Layout(known, checked_nodes(order, known.known), start_up)
        self._costs = known
        self._where = {int(node): x for x, node in enumerate(self.nodes)}
        self._free: list[int] = []
        self._next = 0
        """Lower numbers are in the tree or in the heap, which has some of the tree, too."""
        if guessed:
            self.refine()
        self._initial = self.cost

    def __len__(self) -> int:
        return self._layout.size

    def __contains__(self, node: object) -> bool:
        return node in self._where

    @property
    def root(self) -> int:
        """The node that broadcasts."""
        return int(self._layout.at[0])

    @property
    def nodes(self) -> tuple[int, ...]:
        """All nodes, by their positions."""
        return tuple(self._layout.at[: self._layout.size].tolist())

    @property
    def cost(self) -> float:
        """Of the costliest path from the root to a leaf."""
        return self._layout.cost

    @property
    def initial(self) -> float:
        """The cost when the tree was built."""
        return self._initial

    @property
    def layout(self) -> Layout:
        """The tree by positions, for reading."""
        return self._layout

    def position(self, node: int) -> int:
        """Return where a node stands.

        Raises
        ------
        SpecError
            It is not in the tree.
        """
        try:
            return self._where[node]
        except (KeyError, TypeError):
            raise SpecError(f"node {node!r}: it is not in the tree") from None

    def children(self, node: int) -> tuple[int, ...]:
        """Return whom a node sends to, in this order: from the highest position down.

        In a whole tree that is from the largest subtree to the smallest.

        Raises
        ------
        SpecError
            The node is not in the tree.
        """
        below = children(self.position(node), len(self))
        return tuple(int(self._layout.at[x]) for x in reversed(below))

    def parent(self, node: int) -> int | None:
        """Return the node that a node receives from; None: it is the root.

        Raises
        ------
        SpecError
            The node is not in the tree.
        """
        x = self.position(node)
        return int(self._layout.at[parent(x)]) if x else None

    def paths(self) -> dict[int, float]:
        """Return the cost of the path to each leaf, the leaves by their positions."""
        layout = self._layout
        return {int(layout.at[x]): layout.path(x) for x in layout.leaves()}

    def refine(self, searches: int = 64) -> Change:
        """Swap nodes of the costliest path with leaves, at most so often, as long as that helps.

        Ours: Balanced-Path serves the last parents with what is left, and that costs most.
        """
        before, steps = self.cost, 0
        for found in refine(self._layout, searches):
            steps += found.steps
            self._changed(before, before, found)
        return Change(before, before, self.cost, steps, None)

    def update_cost(self, node: int, other: int, cost: float) -> Change:
        """Take a new cost between two nodes, and swap as the policy says.

        With one-way costs it is that from ``node`` to ``other``.

        If the link is not in the tree, it is only noted down, but for swaps on a fall. A rise that
        leaves the tree's cost as it was takes no step.

        Raises
        ------
        SpecError
            A node is not in the tree, they are the same, or it is no cost.
        """
        x, y = self.position(node), self.position(other)
        if x == y:
            raise SpecError(f"node {node}: it has no link to itself")
        value = checked_cost(cost, f"cost between {node} and {other}")
        before, old = self.cost, float(self._costs.between(*_pairs(node, [other]))[0])
        self._costs.change(node, {other: value})
        b = y if self._one_way else max(x, y)
        in_tree = b != 0 and parent(b) == x + y - b
        if in_tree:
            self._layout.price(b, value)
        raised, policy = self.cost, self.policy
        found = Found(0, None)
        if raised > before and policy.rise is not None:
            blocks = trials(policy.rise, self._layout, parent(b), b, policy.most)
            found = search(self._layout, blocks, before)
        elif value < old and policy.fall is not None:
            blocks = (
                trials(policy.fall, self._layout, parent(b), b, policy.most)
                if in_tree
                else neighbours(self._layout, x, y)
            )
            found = search(self._layout, blocks, NO_GOAL)
        return self._changed(before, raised, found)

    def join(
        self,
        costs: Mapping[int, float] | None = None,
        node: int | None = None,
        back: Mapping[int, float] | None = None,
    ) -> Change:
        """Let a node join, at the next position, and swap as the policy says.

        Parameters
        ----------
        costs : mapping of int to float, optional
            From each node of the tree to the cost between it and the new one. Without it the costs
            that the tree was built with must know the node; a matrix knows those that left, too.
        node : int, optional
            Its number; by default the lowest that is free.
        back : mapping of int to float, optional
            With one-way costs, from the new node to each; ``costs`` are then those to it.

        Raises
        ------
        SpecError
            It is in the tree already, costs are missing or too many, or one is no cost.
        """
        if (back is not None) != (self._one_way and costs is not None):
            raise SpecError("join: costs back are given with one-way costs, and only then")
        if node is None:
            node = self._lowest()
        limit = self._costs.known if costs is None else self._costs.limit
        node = checked_node(node, limit)
        if node in self._where:
            raise SpecError(f"node {node}: it is in the tree already")
        if costs is not None:
            both = [
                joining_costs(node, some, self._where) for some in (costs, back) if some is not None
            ]
            for some, inward in zip(both, (True, False), strict=False):
                self._costs.change(node, some, inward)
        elif not self._costs.knows(node, self._layout.at[: len(self)]):
            raise SpecError(f"node {node}: its costs to the nodes of the tree are not known")
        before = self.cost
        self._layout.append(node)
        x = self._where[node] = len(self) - 1
        return self._swap_around(before, self.policy.join, x, node)

    def _lowest(self) -> int:
        """Return the lowest free number, in O(log N) amortized."""
        while self._free and self._free[0] in self._where:
            heappop(self._free)
        if self._free:
            return self._free[0]
        while self._next in self._where:
            self._next += 1
        return self._next

    def leave(self, node: int) -> Change:
        """Take a node away; the last one fills its place, and swaps follow as the policy says.

        Raises
        ------
        SpecError
            The node is not in the tree, it is the only one, or it is the root and the policy lets
            no new one be elected.
        """
        hole = self.position(node)
        if len(self) == 1:
            raise SpecError(f"node {node}: it is the only one of the tree")
        if hole == 0 and not self.policy.new_root:
            raise SpecError(f"node {node}: it is the root, which may leave only with new_root")
        before = self.cost
        last = self._layout.drop()
        try:
            if hole == 0:
                hole = self._layout.elect(last)
            elif hole < len(self):
                self._layout.put(hole, hole, last, last)
        except Exception:
            self._layout.undrop()
            raise
        del self._where[node]
        if node < self._next:
            heappush(self._free, node)
        self._costs.forget(node)
        self._where |= {int(self._layout.at[x]): x for x in (0, hole) if x < len(self)}
        filled = 0 < hole < len(self)
        return self._swap_around(before, self.policy.leave if filled else None, hole, node)

    def _swap_around(self, before: float, strategy: Strategy | None, x: int, node: int) -> Change:
        """Swap around position ``x`` until the policy's goal is met."""
        raised = self.cost
        goal = self._initial if self.policy.goal == "initial" else before
        found = Found(0, None)
        if raised > goal and strategy is not None:
            blocks = trials(strategy, self._layout, x, x, self.policy.most)
            found = search(self._layout, blocks, goal)
        return self._changed(before, raised, found, node)

    def _changed(
        self, before: float, raised: float, found: Found, node: int | None = None
    ) -> Change:
        """Return what became of an event, and note who stands where."""
        swapped = None
        if found.swap is not None:
            p, q = found.swap
            swapped = int(self._layout.at[q]), int(self._layout.at[p])
            self._where[swapped[0]], self._where[swapped[1]] = q, p
        return Change(before, raised, self.cost, found.steps, swapped, node)


def _pairs(node: int, others: Iterable[int]) -> tuple[Ints, Ints]:
    """Return a node as often as there are others, and these."""
    found = np.array(list(others), dtype=np.int64)
    return np.full(len(found), node), found
