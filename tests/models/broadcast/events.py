"""Random events on a tree, and on a plain reference beside it."""

import random
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from syncfabric.models.broadcast.costs import Ints
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.tree import Change, Policy, Tree
from tests.models.broadcast.golden import GoldenTree, parent


def drawn_costs(draw: random.Random, nodes: int, most: int) -> list[list[int]]:
    """Return a symmetric matrix of integers from 0 to ``most``."""
    costs = [[0] * nodes for _ in range(nodes)]
    for i in range(nodes):
        for j in range(i):
            costs[i][j] = costs[j][i] = draw.randint(0, most)
    return costs


def broken(tree: Tree) -> str | None:
    """Return what is wrong with a tree, everything being worked out anew, or None."""
    nodes, size = tree.nodes, len(tree)
    if len(set(nodes)) != size or tree.root != nodes[0]:
        return f"nodes {nodes}"
    links = {}
    for x, node in enumerate(nodes):
        if tree.position(node) != x or node not in tree:
            return f"position of {node}"
        above = nodes[parent(x)] if x else None
        if tree.parent(node) != above:
            return f"parent of {node}"
        links[node] = above
    heard = [(node, child) for node in nodes for child in tree.children(node)]
    if sorted(heard) != sorted((above, node) for node, above in links.items() if above is not None):
        return "children"
        if any(tree.position(a) < tree.position(b) for a, b in pairwise(tree.children(node))):
            return f"order of the children of {node}"
    reach, between = {nodes[0]: 0.0}, tree.layout.costs.between
    for node in nodes[1:]:
        above = links[node]
        assert above is not None
        reach[node] = reach[above] + float(between(_one(node), _one(above))[0])
    if tree.cost != max(reach.values()):
        return f"cost {tree.cost}, not {max(reach.values())}"
    paths = {node: reach[node] for node in nodes if not tree.children(node)}
    return None if list(tree.paths().items()) == list(paths.items()) else "paths"


def _one(node: int) -> Ints:
    return np.array([node])


@dataclass
class Events:
    """A source of random events.

    Parameters
    ----------
    tree : Tree
    draw : random.Random
    least, most : int
        Nodes.
    highest : int
        Cost.
    golden : GoldenTree, optional
        Has the same events.
    """

    tree: Tree
    draw: random.Random
    least: int = 1
    most: int = 24
    highest: int = 12
    golden: GoldenTree | None = None

    def step(self) -> Change:
        """Let one happen."""
        kind = self.draw.choice(["link", "link", "any", "join", "leave"])
        size = len(self.tree)
        if kind == "leave" and size <= self.least:
            kind = "join"
        if kind == "join" and size >= self.most:
            kind = "leave"
        if size == 1 or kind == "join":
            return self._join()
        if kind == "leave":
            root = self.tree.policy.new_root
            node = self.draw.choice(self.tree.nodes[0 if root else 1 :])
            if self.golden:
                self.golden.leave(node)
            return self.tree.leave(node)
        i, j = self.draw.sample(self.tree.nodes, 2)
        above = self.tree.parent(i)
        if kind == "link" and above is not None:
            j = above
        cost = self.draw.randint(0, self.highest)
        if self.golden:
            self.golden.update_cost(i, j, cost)
        return self.tree.update_cost(i, j, cost)

    def _join(self) -> Change:
        costs: dict[int, float] = {
            node: self.draw.randint(0, self.highest) for node in self.tree.nodes
        }
        named = self.draw.random() < 0.3
        free = [node for node in range(2 * self.most) if node not in self.tree]
        node = self.draw.choice(free) if named else min(free)
        if self.golden:
            self.golden.join(node, costs)
        return self.tree.join(costs, node if named else None)


def pair(draw: random.Random, policy: Policy, nodes: int, highest: int) -> Events:
    """Return a tree with a reference beside it."""
    costs = drawn_costs(draw, nodes, highest)
    start_up = draw.choice([(0, 0), (draw.randint(0, 9), draw.randint(1, 9))])
    root = draw.randrange(nodes)
    tree = Tree(costs, root=root, policy=policy, start_up=StartUp(*start_up))
    golden = GoldenTree(
        list(tree.nodes),
        {frozenset((i, j)): float(costs[i][j]) for i in range(nodes) for j in range(i)},
        policy.rise,
        policy.fall,
        policy.join,
        policy.leave,
        policy.goal,
        start_up,
    )
    return Events(tree, draw, highest=highest, golden=golden)
