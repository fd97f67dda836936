"""A plain, slow tree, written from paper ADAPT and SPEC section 4: it recomputes everything.

It shares nothing with the tree under test. Costs are looked up by pairs; a tree is a list of nodes
by position.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

Pair = tuple[int, int]
Cost = Callable[[int, int], float]


def parent(x: int) -> int:
    """Clear the last 1 of the number in binary."""
    digits = f"{x:b}"
    last = digits.rindex("1")
    return int(digits[:last] + "0" + digits[last + 1 :], 2)


def children(x: int, size: int) -> list[int]:
    return [y for y in range(x + 1, size) if parent(y) == x]


def depth(x: int) -> int:
    return f"{x:b}".count("1")


def subtree(x: int, size: int) -> list[int]:
    found = [x]
    for y in children(x, size):
        found += subtree(y, size)
    return found


def leaves(size: int) -> list[int]:
    return [x for x in range(size) if not children(x, size)]


def path_cost(nodes: Sequence[int], x: int, cost: Cost, start_up: Pair = (0, 0)) -> float:
    """A message takes the first of the two besides its link; the next one follows by the second."""
    total = 0.0
    while x:
        total += cost(nodes[x], nodes[parent(x)]) + start_up[0]
        total += start_up[1] * len([y for y in children(parent(x), len(nodes)) if y > x])
        x = parent(x)
    return total


def tree_cost(nodes: Sequence[int], cost: Cost, start_up: Pair = (0, 0)) -> float:
    return max(path_cost(nodes, x, cost, start_up) for x in leaves(len(nodes)))


def balanced_path(nodes: Iterable[int], root: int, cost: Cost) -> list[int]:
    left = sorted(set(nodes) - {root})
    size = len(left) + 1
    placed, order = {0: root}, [0]
    while left:
        undefined = {x: [y for y in children(x, size) if y not in placed] for x in order}
        most = max(len(slots) for slots in undefined.values())
        tied = [x for x in order if len(undefined[x]) == most]
        deepest = max(depth(x) for x in tied)
        chosen = next(x for x in tied if depth(x) == deepest)
        slot = max(undefined[chosen])
        nearest = min(left, key=lambda node: (cost(placed[chosen], node), node))
        placed[slot] = nearest
        order.append(slot)
        left.remove(nearest)
    return [placed[x] for x in range(size)]


def swapped(nodes: Sequence[int], p: int, q: int) -> list[int]:
    after = list(nodes)
    after[p], after[q] = after[q], after[p]
    return after


def trials(
    strategy: str, nodes: Sequence[int], a: int, b: int, cost: Cost, start_up: Pair = (0, 0)
) -> list[Pair]:
    """All trials around the link from position a to b, or around a node, where a is b."""
    size = len(nodes)
    if strategy == "family":
        above = parent(b)
        others = [x for x in children(above, size) if x != b]
        return [(b, x) for x in [*children(b, size), above, *others] if x != 0]
    if strategy == "path":
        up, down, x = [], [], a
        while x != 0 and parent(x) != 0:
            x = parent(x)
            up.append((a, x))
        x = b
        while below := children(x, size):
            # The longest path down by cost; of equal ones with the higher position.
            ends = {y: [z for z in subtree(y, size) if not children(z, size)] for y in below}
            reach = {y: max(path_cost(nodes, z, cost, start_up) for z in ends[y]) for y in below}
            x = max(y for y in below if reach[y] == max(reach.values()))
            down.append((b, x))
        order = []
        while up or down:
            order += [side.pop(0) for side in (up, down) if side]
        return order
    if strategy == "leaf":
        movers = [a, b] if a != b else [a]
        return [(m, x) for x in leaves(size) for m in movers if m != 0 and m != x]
    x = a if a != 0 else b
    order = []
    for away in range(1, size):
        order += [(x, y) for y in (x + away, x - away) if 0 < y < size]
    return order


@dataclass
class GoldenTree:
    """What the tree under test must be after every event."""

    nodes: list[int]
    costs: dict[frozenset[int], float]
    rise: str | None = "path"
    fall: str | None = None
    join_by: str | None = "position"
    leave_by: str | None = "path"
    goal: str = "initial"
    start_up: Pair = (0, 0)
    initial: float = field(init=False)
    steps: int = 0
    """Of the last event."""
    raised: float = 0.0

    def __post_init__(self) -> None:
        self.initial = self.cost

    def between(self, i: int, j: int) -> float:
        return self.costs[frozenset((i, j))]

    @property
    def cost(self) -> float:
        return tree_cost(self.nodes, self.between, self.start_up)

    def paths(self) -> dict[int, float]:
        found = leaves(len(self.nodes))
        return {self.nodes[x]: path_cost(self.nodes, x, self.between, self.start_up) for x in found}

    def search(self, order: list[Pair], goal: float) -> None:
        best, swap = self.cost, None
        for p, q in order:
            self.steps += 1
            cost = tree_cost(swapped(self.nodes, p, q), self.between, self.start_up)
            if cost < best:
                best, swap = cost, (p, q)
            if cost <= goal:
                break
        if swap is not None:
            self.nodes = swapped(self.nodes, *swap)

    def around(self, strategy: str, a: int, b: int) -> list[Pair]:
        return trials(strategy, self.nodes, a, b, self.between, self.start_up)

    def update_cost(self, i: int, j: int, cost: float) -> None:
        before, old = self.cost, self.between(i, j)
        self.costs[frozenset((i, j))] = cost
        self.steps, self.raised = 0, self.cost
        x, y = self.nodes.index(i), self.nodes.index(j)
        a, b = min(x, y), max(x, y)
        linked = parent(b) == a
        if self.raised > before:
            if self.rise is not None:
                self.search(self.around(self.rise, a, b), before)
        elif cost < old and self.fall is not None:
            if linked:
                order = self.around(self.fall, a, b)
            else:
                order = self.next_to(y, x) + self.next_to(x, y)
            self.search(order, -1)

    def next_to(self, mover: int, still: int) -> list[Pair]:
        """Trials that bring the mover under or above the other."""
        places = children(still, len(self.nodes)) + ([parent(still)] if still else [])
        return [(mover, x) for x in places if x != 0 and mover != 0 and x != mover]

    def swap_around(self, before: float, strategy: str | None, x: int) -> None:
        goal = self.initial if self.goal == "initial" else before
        self.steps, self.raised = 0, self.cost
        if strategy is not None and self.raised > goal:
            self.search(self.around(strategy, x, x), goal)

    def join(self, node: int, costs: dict[int, float]) -> None:
        before = self.cost
        self.costs |= {frozenset((node, other)): cost for other, cost in costs.items()}
        self.nodes.append(node)
        self.swap_around(before, self.join_by, len(self.nodes) - 1)

    def leave(self, node: int) -> None:
        before, hole = self.cost, self.nodes.index(node)
        last = self.nodes.pop()
        if hole == 0:
            hole = self.elect(last)
        elif hole < len(self.nodes):
            self.nodes[hole] = last
        filled = 0 < hole < len(self.nodes)
        self.swap_around(before, self.leave_by if filled else None, hole)

    def elect(self, last: int) -> int:
        """The child of the root with which the tree is cheapest; of equal ones the first.

        Returns the position that the last node filled.
        """
        candidates = {}
        for x in children(0, len(self.nodes) + 1):
            after = [*self.nodes, last]
            after[0], after[x] = after[x], last
            candidates[x] = after[: len(self.nodes)]
        best = min(candidates, key=lambda x: tree_cost(candidates[x], self.between, self.start_up))
        self.nodes = candidates[best]
        return best
