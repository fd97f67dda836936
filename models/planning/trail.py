"""Closed trails through switches that can be led another way, piece by piece."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from syncfabric.models.planning.mesh_links import AHEAD, MeshLinks

__all__ = ["Trail", "shortest_walk"]

MOST_MARKS = 7
"""Members that one search leads a way through: its time doubles with each."""
REACH = 14
"""Links before and after a change that are worth looking at again."""

State = tuple[int, int]
"""The link that was taken last, and a bit for each switch that was passed."""


def shortest_walk(
    links: MeshLinks, start: int, goal: int, marks: Sequence[int], most: int
) -> list[int] | None:
    """Return the links strictly between two, by A* search over (link, switches passed).

    Parameters
    ----------
    links : MeshLinks
        The walk takes free links only, without U-turns. It may take one twice, with other switches
        passed in between.
    start, goal : int
        Links; they may be the same, for a closed walk.
    marks : sequence of int
        Switches to pass in any order; the ends of ``start`` and ``goal`` count. Time and room grow
        with 2 to the power of their number.
    most : int
        Links that the walk may have at most.

    Returns
    -------
    list of int, or None
        None if there is no walk that short.
    """
    width, step, free = links.mesh.width, links.step, links.free
    bit = {switch: 1 << place for place, switch in enumerate(dict.fromkeys(marks))}
    whole = (1 << len(bit)) - 1
    end = goal >> 2
    end_y, end_x = divmod(end, width)
    places = []
    for switch, flag in bit.items():
        y, x = divmod(switch, width)
        places.append((flag, x, y, abs(x - end_x) + abs(y - end_y)))
    begin = start, bit.get(links.head(start), 0) | bit.get(start >> 2, 0) | bit.get(end, 0)
    before: dict[State, State] = {}
    lengths = {begin: 0}
    # By the length that a walk through the state has at least.
    waiting: defaultdict[int, list[State]] = defaultdict(list, {0: [begin]})
    total = 0
    while total <= most:
        if not waiting[total]:
            total += 1
            continue
        state = waiting[total].pop()
        (link, passed), length = state, lengths[state] + 1
        here = (link >> 2) + step[link & 3]
        if here == end and passed == whole and goal & 3 in AHEAD[link & 3]:
            return _back(before, state)
        for port in AHEAD[link & 3]:
            following = 4 * here + port
            if not free[following]:
                continue
            switch = here + step[port]
            now = passed | bit.get(switch, 0)
            after = following, now
            if lengths.get(after, length + 1) <= length:
                continue
            y, x = divmod(switch, width)
            rest = abs(x - end_x) + abs(y - end_y)
            for flag, mark_x, mark_y, on in places:
                if not now & flag:
                    rest = max(rest, abs(x - mark_x) + abs(y - mark_y) + on)
            if length + rest <= most:
                lengths[after], before[after] = length, state
                waiting[length + rest].append(after)
    return None


def _back(before: dict[State, State], state: State) -> list[int]:
    walk = []
    while state in before:
        walk.append(state[0])
        state = before[state]
    return walk[::-1]


class Trail:
    """A closed trail over free links, which it takes.

    Parameters
    ----------
    links : MeshLinks
        Whose links it takes; given back where it leaves them.
    members : iterable of int
        Switches that it must pass.
    way : sequence of int
        Links to begin with, all free.

    Attributes
    ----------
    way : list of int
        Its links in order, from any one on.
    passes : Counter of int
        How often it enters each switch.
    fresh : dict with int keys
        Links near changes, in order.
    """

    def __init__(self, links: MeshLinks, members: Iterable[int], way: Sequence[int]) -> None:
        self.links = links
        self.members = frozenset(members)
        self.way: list[int] = []
        self.passes: Counter[int] = Counter()
        self.fresh: dict[int, None] = {}
        self.become(way)

    def __len__(self) -> int:
        return len(self.way)

    def become(self, way: Sequence[int]) -> None:
        """Give all links back and take these."""
        for link in self.way:
            self.links.free[link] = 1
        for link in way:
            self.links.free[link] = 0
        self.way = list(way)
        self.passes = Counter(map(self.links.head, way))
        self.fresh = dict.fromkeys(way)

    def missing(self) -> list[int]:
        """Return the members that it does not pass yet."""
        return [switch for switch in sorted(self.members) if not self.passes[switch]]

    def reroute(self, at: int, width: int, also: Sequence[int], most: int) -> list[int] | None:
        """Look for another way in place of some links, past the members that only these pass.

        Parameters
        ----------
        at : int
            Place of the link before.
        width : int
            How many links would go.
        also : sequence of int
            More switches to pass.
        most : int
            Links that may come in their place at most.

        Returns
        -------
        list of int, or None
            The links to put there; None if none were found.
        """
        count = len(self.way)
        if width > count - 2:
            return None
        piece = [self.way[(at + 1 + i) % count] for i in range(width)]
        # The switch at the end of the last one is passed all the same.
        left = Counter(map(self.links.head, piece[:-1]))
        marks = [v for v, times in left.items() if v in self.members and self.passes[v] == times]
        if len(marks) + len(also) > MOST_MARKS:
            return None
        start, goal = self.way[at], self.way[(at + 1 + width) % count]
        for link in piece:
            self.links.free[link] = 1
        found = shortest_walk(self.links, start, goal, [*marks, *also], most)
        for link in piece:
            self.links.free[link] = 0
        return found if found is None or len(set(found)) == len(found) else None

    def put(self, at: int, width: int, found: Sequence[int]) -> None:
        """Put links in place of the ``width`` ones behind place ``at``, to begin with."""
        turned = self.way[at + 1 :] + self.way[: at + 1]
        for link in turned[:width]:
            self.links.free[link] = 1
            self.passes[self.links.head(link)] -= 1
        for link in found:
            self.links.free[link] = 0
            self.passes[self.links.head(link)] += 1
        self.way = [*found, *turned[width:]]
        self.fresh |= dict.fromkeys([*self.way[-REACH:], *self.way[: len(found) + REACH]])

    def tighten(self, widths: Sequence[int]) -> None:
        """Lead pieces of these widths along shorter ways, near changes, until there are none."""
        while self.fresh:
            link, _ = self.fresh.popitem()
            for width in widths:
                if self.links.free[link]:  # the way leads elsewhere by now
                    break
                at = self.way.index(link)
                found = self.reroute(at, width, (), width - 2)
                if found is not None:
                    self.put(at, width, found)
