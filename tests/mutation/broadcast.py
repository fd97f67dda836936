"""Mutants of the trees of broadcasts."""

from tests.mutation.mutant import Mutant

_FOLDER = "models/broadcast"
_TESTS = "tests/models/broadcast"
TABLES = "tests/sim/experiments/papers/test_adapt_more.py"


def _broken(name: str, part: str, old: str, new: str, *tests: str) -> Mutant:
    """Return a fault that a tree's own tests must notice."""
    found = tuple(t if "/" in t else f"{_TESTS}/test_{t}.py" for t in (*tests, "events"))
    return Mutant(name, f"{_FOLDER}/{part}.py", old, new, found)


BROADCAST = (
    _broken(
        "Balanced-Path serves the shallower of two parents",
        "balanced_path",
        "-depth[parents]",
        "depth[parents]",
        "balanced_path",
    ),
    _broken(
        "Balanced-Path serves the later of two parents",
        "balanced_path",
        "(created[parents],",
        "(-created[parents],",
        "balanced_path",
    ),
    _broken(
        "the index forgets that a node is taken",
        "near_kernel",
        "order[i] = -1 - rank",
        "pass",
        "near",
    ),
    _broken(
        "of equal distances the index returns a node of any number",
        "near_kernel",
        "while at and (total, x) < (away[at - 1], found[row, at - 1]):",
        "while at and total < away[at - 1]:",
        "near",
    ),
    _broken(
        "a cost one way is that back, too",
        "layout",
        "value = self.costs.between(above, below)\n        tree =",
        "value = self.costs.between(below, above)\n        tree =",
        "one_way",
    ),
    _broken(
        "a dropped pair ends the search for others",
        "costs",
        "while keys[place] != key and keys[place] != FREE:",
        "while keys[place] != key and keys[place] >= 0:",
        "costs",
    ),
    _broken(
        "a swap forgets the links below one of its two nodes",
        "layout",
        "for twice in range(2 if p[k] != q[k] else 1):",
        "for twice in range(1):",
        TABLES,
    ),
    _broken(
        "the path above the lower of two swapped nodes is stale",
        "layout",
        "        if q == x:\n            q &= q - 1\n",
        "        if q == x:\n            q = 0\n",
        TABLES,
    ),
    _broken(
        "a trial leaves a link's cost behind",
        "layout",
        "edge[place[link]] = old_edge[link - begin]",
        "pass",
        TABLES,
    ),
    _broken(
        "a trial leaves a height behind",
        "layout",
        "height[path[up]] = old_height[up]",
        "pass",
        TABLES,
    ),
    _broken(
        "a trial that meets the goal does not end the search",
        "layout",
        "        if best <= goal:\n            return k + 1, found, best\n",
        "",
        TABLES,
    ),
    _broken(
        "the last of the cheapest trials is carried out, not the first",
        "layout",
        "        if height[0] < best:\n",
        "        if height[0] <= best:\n",
        "strategies",
    ),
    _broken(
        "Path goes down the shortest path",
        "layout",
        "            if cost > most:\n",
        "            if cost < most or most < 0:\n",
        "strategies",
    ),
    _broken(
        "Position looks to the left first",
        "strategies",
        "np.stack([x + away, x - away], axis=1)",
        "np.stack([x - away, x + away], axis=1)",
        "strategies",
    ),
    _broken(
        "Family looks at the parent first",
        "strategies",
        "order = [*children(b, layout.size), above, *siblings]",
        "order = [above, *children(b, layout.size), *siblings]",
        "strategies",
    ),
    _broken(
        "Leaf forgets the last position",
        "strategies",
        "leaves = (last + 1) // 2 + (last % 2 == 0)",
        "leaves = (last + 1) // 2",
        "strategies",
    ),
    _broken(
        "heights do not follow a position that is taken away",
        "layout",
        "        self.size -= 1\n        self._renew(parent(self.size))\n",
        "        self.size -= 1\n",
        TABLES,
    ),
    _broken(
        "a swap is not noted in the nodes' places",
        "tree",
        "self._where[swapped[0]], self._where[swapped[1]] = q, p",
        "self._where[swapped[0]], self._where[swapped[1]] = p, q",
    ),
    _broken(
        "a rise is searched down to the cost after it",
        "tree",
        "found = search(self._layout, blocks, before)",
        "found = search(self._layout, blocks, raised)",
    ),
    _broken(
        "the first child of a root that leaves is elected, whatever the tree costs",
        "layout",
        'self.try_moves(p, q, one, other, float("inf"), NO_GOAL)',
        'self.try_moves(p, q, one, other, float("inf"), float("inf"))',
    ),
)
