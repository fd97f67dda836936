"""Rings as a linear program: how long they must be at least, and whether a shorter one exists.

A variable for each step from link to link says whether a ring takes it. What enters a link leaves
it, a link is used once at most, every member is entered, and some link leads out of every set of
switches with members within and without. These last rows are added where a solution breaks them.
With fractions allowed the least length is a bound; in whole numbers it is that of a ring.

Source: subtour elimination, G. Dantzig, R. Fulkerson, S. Johnson, Solution of a Large-Scale
Traveling-Salesman Problem, Operations Research 2 (4), 1954, here with links in place of cities.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, vstack
from scipy.sparse.csgraph import connected_components

from syncfabric.models.planning.free_links import FreeLinks

Bools: TypeAlias = NDArray[np.bool_]

CUTS = 6
"""Times that a solution in fractions is cut off; later ones add little."""
ROUNDS = 60
"""Times that a solution of several parts is cut off."""
NODES = 400
"""Nodes of the solver's search each time: unlike seconds, the same on every machine."""
USED = 1e-6
OPTIMAL, INFEASIBLE = 0, 2
"""What scipy says of a solution, and of there being none."""


class Verdict(NamedTuple):
    """What a search found: a ring, or none; and whether it looked at all there are."""

    links: list[int] | None
    sure: bool


class RingModel:
    """The rings through some members over free links.

    Parameters
    ----------
    links : FreeLinks
    members : sequence of int
        Two switches or more.

    Attributes
    ----------
    steps : int
        Its size: steps from link to link.
    """

    def __init__(self, links: FreeLinks, members: Sequence[int]) -> None:
        self._numbers = [link for link, free in enumerate(links.free) if free]
        place = {link: i for i, link in enumerate(self._numbers)}
        pairs = [
            (i, place[after])
            for i, link in enumerate(self._numbers)
            for after in links.after(link)
            if after in place
        ]
        self.steps, count = len(pairs), len(self._numbers)
        self._from, self._to = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        self._tail = np.array([link // links.ports for link in self._numbers], dtype=np.int64)
        self._head = np.array([links.head(link) for link in self._numbers], dtype=np.int64)
        # One variable more: half the length, where all rings have an even number of links.
        self._even = 1 + (links.graph.colours is not None)
        columns, shape = np.arange(self.steps), (count, self.steps + 1)
        ones = np.ones(self.steps)
        self._used = csr_array((ones, (self._from, columns)), shape=shape)
        self._kept = csr_array((ones, (self._to, columns)), shape=shape) - self._used
        self._member = np.zeros(links.graph.switches, dtype=bool)
        self._member[list(members)] = True
        self._rows: list[Any] = []
        self._least: list[float] = []
        for member in members:
            self._ask(self._links_used(self._head == member), 1)

    def relaxed(self) -> float:
        """Return a length that no ring goes below; infinite if there is no ring."""
        bound = 0.0
        for _ in range(CUTS):
            result = self._solve(len(self._numbers), whole=False)
            if result.x is None:
                return np.inf
            bound = float(result.fun)
            if not self._cut(self._used @ result.x > USED):
                break
        return bound

    def shorter(self, most: int) -> Verdict:
        """Look for a shortest ring of at most ``most`` links."""
        for _ in range(ROUNDS):
            result = self._solve(most, whole=True)
            if result.x is None:
                return Verdict(None, sure=result.status == INFEASIBLE)
            subtours = self._subtours(result.x[:-1] > 0.5)
            if len(subtours) == 1:
                links = [self._numbers[i] for i in subtours[0]]
                return Verdict(links, sure=result.status == OPTIMAL)
            used = np.zeros(len(self._numbers), dtype=bool)
            used[np.concatenate(subtours)] = True
            if not self._cut(used):
                self._divide(subtours)
        return Verdict(None, sure=False)

    def _solve(self, most: int, *, whole: bool) -> Any:
        """Return scipy's answer: the least length of what keeps all rows."""
        # The solver takes a while to import, which other networks need not wait for.
        from scipy.optimize import Bounds, LinearConstraint, milp

        cost = np.ones(self.steps + 1)
        cost[-1] = 0
        total = cost.copy()
        total[-1] = -self._even
        highest = np.ones(self.steps + 1)
        highest[-1] = most // self._even
        return milp(
            cost,
            integrality=np.full(self.steps + 1, int(whole)),
            bounds=Bounds(0, highest),
            constraints=[
                LinearConstraint(self._kept, 0, 0),
                LinearConstraint(self._used, 0, 1),
                LinearConstraint(total[None, :], 0, 0),
                LinearConstraint(vstack(self._rows, format="csr"), self._least, np.inf),
            ],
            options={"node_limit": NODES},
        )

    def _subtours(self, taken: Bools) -> list[list[int]]:
        """Return the closed paths that a solution is made of, but for those without members."""
        after = dict(zip(self._from[taken].tolist(), self._to[taken].tolist(), strict=True))
        subtours = []
        while after:
            link, following = after.popitem()
            subtour = [link]
            while following != link:
                subtour.append(following)
                following = after.pop(following)
            if self._member[self._head[subtour]].any():
                subtours.append(subtour)
        return subtours

    def _cut(self, used: Bools) -> bool:
        """Ask for a link out of each part with some members, and not all; return whether any."""
        tail, head = self._tail[used], self._head[used]
        switches = len(self._member)
        joined = coo_array((np.ones(len(tail)), (tail, head)), shape=(switches, switches))
        _, part = connected_components(joined, directed=False)
        parts = np.unique(part[self._member])
        if len(parts) == 1:
            return False
        for number in parts:
            inside = part == number
            self._ask(self._links_used(inside[self._tail] & ~inside[self._head]), 1)
        return True

    def _divide(self, subtours: list[list[int]]) -> None:
        """Ask for a step out of each subtour if it and another are used: they meet, but cross."""
        for subtour, other in zip(subtours, [*subtours[1:], subtours[0]], strict=True):
            inside = np.zeros(len(self._numbers), dtype=bool)
            inside[subtour] = True
            row = np.zeros(self.steps + 1)
            row[:-1] = inside[self._from] & ~inside[self._to]
            ends = np.zeros(len(self._numbers))
            ends[[subtour[0], other[0]]] = 1
            self._ask(row - ends @ self._used, -1)

    def _links_used(self, which: Bools) -> Any:
        """Return the row that counts the used ones of some links."""
        return which.astype(float) @ self._used

    def _ask(self, row: Any, least: float) -> None:
        """Add a row, and what it must be at least."""
        self._rows.append(csr_array(row.reshape(1, -1)))
        self._least.append(least)
