"""A short ring through any members: grown member by member, then torn open and mended.

A heuristic, after farthest insertion and ruin and recreate for round trips (G. Schrimpf and others,
Record Breaking Optimization Results Using the Ruin and Recreate Principle, J. Computational
Physics 159, 2000). Everything random comes from fixed seeds.
"""

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice

from syncfabric.models.planning.free_links import FreeLinks

NEAR = 5
"""Places on the ring that are tried for a new member."""
WIDTHS = (0, 1, 2, 4, 6)
"""Links that may go where a member comes in."""
WINDOWS = (6, 10, 14)
"""Links that are laid anew together."""
FIRST = 4
"""Members from which a ring is begun, until one is found."""
GROWN = 3
"""Rings that are grown, of which the shortest is taken."""
RANDOM_ORDERS = 6
"""Random orders in which members are led in, besides the farthest first."""
FAR = 1 << 30
"""More than any distance."""
WIDEST = 30
"""Links that are torn out at once at most."""
DETOURS = (8, 40)
"""Links that a path may have beyond the distances, first and second try."""
MOST_MARKS = 7
"""Members that one search leads a path through: its time doubles with each."""
LOOKED = 2000
"""States that a search looks at, where switches have any number of links: those of a mesh have few.
"""
REACH = 14
"""Links before and after a change that are worth looking at again."""

State = tuple[int, int]
"""The link that was taken last, and a bit for each switch that was passed."""


def shortest_path(
    links: FreeLinks, start: int, goal: int, marks: Sequence[int], most: int
) -> list[int] | None:
    """Return the links strictly between two, by A* search over (link, switches passed).

    Parameters
    ----------
    links : FreeLinks
        The path takes free links only. It may take one twice, with other switches
        passed in between.
    start, goal : int
        Links; they may be the same, for a closed path.
    marks : sequence of int
        Switches to pass in any order; the ends of ``start`` and ``goal`` count. Time and space grow
        with 2 to the power of their number.
    most : int
        Links that the path may have at most.

    Returns
    -------
    list of int, or None
        None if there is no path that short, or on a graph too many states were looked at.
    """
    ports, far, free, ahead = links.ports, links.far, links.free, links.after
    bit = {switch: 1 << place for place, switch in enumerate(dict.fromkeys(marks))}
    whole = (1 << len(bit)) - 1
    end = goal // ports
    to_end = links.away(end)
    places = [(flag, links.away(switch), to_end[switch]) for switch, flag in bit.items()]
    begin = start, bit.get(links.head(start), 0) | bit.get(start // ports, 0) | bit.get(end, 0)
    before: dict[State, State] = {}
    lengths = {begin: 0}
    # By the length that a path through the state has at least.
    waiting: defaultdict[int, list[State]] = defaultdict(list, {0: [begin]})
    total = 0
    most_states = LOOKED if links.graph.turns_back else FAR
    while total <= most and len(lengths) <= most_states:
        if not waiting[total]:
            total += 1
            continue
        state = waiting[total].pop()
        (link, passed), length = state, lengths[state] + 1
        onward = ahead(link)
        if passed == whole and far[link] // ports == end and goal in onward:
            return _back(before, state)
        for following in onward:
            if not free[following]:
                continue
            switch = far[following] // ports
            now = passed | bit.get(switch, 0)
            after = following, now
            if lengths.get(after, length + 1) <= length:
                continue
            rest = to_end[switch]
            for flag, away, on in places:
                if not now & flag:
                    rest = max(rest, away[switch] + on)
            if length + rest <= most:
                lengths[after], before[after] = length, state
                waiting[length + rest].append(after)
    return None


def _back(before: dict[State, State], state: State) -> list[int]:
    path = []
    while state in before:
        path.append(state[0])
        state = before[state]
    return path[::-1]


class Circuit:
    """A circuit of free links, which it takes.

    Parameters
    ----------
    links : FreeLinks
        Whose links it takes; given back where it leaves them.
    members : iterable of int
        Switches that it must pass.
    path : sequence of int
        Links to begin with, all free.

    Attributes
    ----------
    path : list of int
        Its links in order, from any one on.
    passes : Counter of int
        How often it enters each switch.
    fresh : dict with int keys
        Links near changes, in order.
    """

    def __init__(self, links: FreeLinks, members: Iterable[int], path: Sequence[int]) -> None:
        self.links = links
        self.members = frozenset(members)
        self.path: list[int] = []
        self.passes: Counter[int] = Counter()
        self.fresh: dict[int, None] = {}
        self.become(path)

    def __len__(self) -> int:
        return len(self.path)

    def become(self, path: Sequence[int]) -> None:
        """Give all links back and take these."""
        for link in self.path:
            self.links.free[link] = 1
        for link in path:
            self.links.free[link] = 0
        self.path = list(path)
        self.passes = Counter(map(self.links.head, path))
        self.fresh = dict.fromkeys(path)

    def missing(self) -> list[int]:
        """Return the members that it does not pass yet."""
        return [switch for switch in sorted(self.members) if not self.passes[switch]]

    def reroute(
        self, at: int, width: int, also: Sequence[int] | None, most: int
    ) -> list[int] | None:
        """Look for another path in place of some links, past the members that only these pass.

        Parameters
        ----------
        at : int
            Place of the link before.
        width : int
            How many links would go.
        also : sequence of int, or None
            More switches to pass; None: it need not even pass the members.
        most : int
            Links that may come in their place at most.

        Returns
        -------
        list of int, or None
            The links to put there; None if none were found.
        """
        count = len(self.path)
        if width > count - 2:
            return None
        piece = [self.path[(at + 1 + i) % count] for i in range(width)]
        marks: list[int] = []
        if also is not None:
            # The switch at the end of the last one is passed all the same.
            left = Counter(map(self.links.head, piece[:-1]))
            alone = (v for v, times in left.items() if self.passes[v] == times)
            marks = [*(v for v in alone if v in self.members), *also]
        if len(marks) > MOST_MARKS:
            return None
        start, goal = self.path[at], self.path[(at + 1 + width) % count]
        for link in piece:
            self.links.free[link] = 1
        found = shortest_path(self.links, start, goal, marks, most)
        for link in piece:
            self.links.free[link] = 0
        return found if found is None or len(set(found)) == len(found) else None

    def put(self, at: int, width: int, found: Sequence[int]) -> None:
        """Put links in place of the ``width`` ones behind place ``at``, to begin with."""
        turned = self.path[at + 1 :] + self.path[: at + 1]
        for link in turned[:width]:
            self.links.free[link] = 1
            self.passes[self.links.head(link)] -= 1
        for link in found:
            self.links.free[link] = 0
            self.passes[self.links.head(link)] += 1
        self.path = [*found, *turned[width:]]
        self.fresh |= dict.fromkeys([*self.path[-REACH:], *self.path[: len(found) + REACH]])

    def tighten(self, widths: Sequence[int]) -> None:
        """Lead pieces of these widths along shorter paths, near changes, until there are none."""
        while self.fresh:
            link, _ = self.fresh.popitem()
            for width in widths:
                if self.links.free[link]:  # the path leads elsewhere by now
                    break
                at = self.path.index(link)
                found = self.reroute(at, width, (), width - 2)
                if found is not None:
                    self.put(at, width, found)


def grow(
    links: FreeLinks, members: Sequence[int], known: Sequence[list[int]] = ()
) -> Circuit | None:
    """Return a ring through all members, or None where none was found.

    Parameters
    ----------
    links : FreeLinks
        Of these it takes its own.
    members : sequence of int
        Two switches or more; the first is where it begins to grow.
    known : sequence of list of int
        Rings over free links that may serve.
    """
    pairs = ((v, max(members, key=lambda w: (links.distance(v, w), w))) for v in members[:FIRST])
    begun = (path for pair in pairs if (path := through_two(links, *pair)))
    starts = [*known, *islice(begun, 1)]
    orders = [None, *(random.Random(seed) for seed in range(RANDOM_ORDERS))]
    paths = (_complete(links, members, start, rng) for rng in orders for start in starts)
    found = min(islice(filter(None, paths), GROWN), key=len, default=None)
    return Circuit(links, members, found) if found else None


def _complete(
    links: FreeLinks, members: Sequence[int], start: list[int], rng: random.Random | None
) -> list[int] | None:
    """Return the links of a ring with all members in it, tightened; the links stay free."""
    ring = Circuit(links, members, start)
    complete = _insert_all(ring, rng)
    if complete:
        ring.tighten(WINDOWS)
    path = ring.path
    ring.become(())
    return path if complete else None


def shake(ring: Circuit, rounds: int, least: int) -> None:
    """Tear pieces out, lead their members in elsewhere, and keep what is not longer.

    Parameters
    ----------
    ring : Circuit
        A ring through all its members.
    rounds : int
        Pieces to tear out.
    least : int
        A length that no ring can go below: it ends there.
    """
    rng = random.Random(len(ring))
    kept = list(ring.path)
    for _ in range(rounds):
        count = len(ring)
        if count <= least:
            return
        at, width = rng.randrange(count), rng.randint(4, max(4, min(count - 2, WIDEST)))
        if not _tear(ring, at, width):
            continue
        ring.fresh.clear()
        if _insert_all(ring, rng) and len(ring) <= count + 2:
            ring.tighten(WINDOWS[:2])
        if ring.missing() or len(ring) > count:
            ring.become(kept)
        kept = list(ring.path)
        ring.fresh.clear()


def _tear(ring: Circuit, at: int, width: int) -> bool:
    """Lead the ring straight from link to link, past no member's sake; return whether it can."""
    found = ring.reroute(at, width, None, width + DETOURS[0])
    if found is None or len(found) + len(ring) - width < 4:
        return False
    ring.put(at, width, found)
    return True


def _insert_all(ring: Circuit, rng: random.Random | None) -> bool:
    """Lead the ring past all members that it misses: the farthest first, or in any order."""
    away = dict.fromkeys(ring.missing(), FAR)
    laid: Sequence[int] = ring.path
    while away:
        if rng is None:
            _come_near(ring.links, away, laid)
            switch = max(away, key=lambda v: (away[v], v))
        else:
            switch = rng.choice(list(away))
        found = (_insert(ring, switch, detour) for detour in DETOURS)
        laid = next((links for links in found if links is not None), ())
        if not laid:
            return False
        for link in laid:
            away.pop(ring.links.head(link), None)
    return True


def _come_near(links: FreeLinks, away: dict[int, int], laid: Sequence[int]) -> None:
    """Lower the distances of switches to what new links make them."""
    places = {links.head(link) for link in laid}
    for switch, distance in away.items():
        away[switch] = min(distance, *(links.distance(switch, place) for place in places))


def _insert(ring: Circuit, switch: int, detour: int) -> list[int] | None:
    """Lead the ring past a switch where that makes it longer by least; return the new links."""
    links, count = ring.links, len(ring)
    away = [links.distance(links.head(link), switch) for link in ring.path]
    best: tuple[int, int, list[int]] | None = None
    longer = FAR
    for place in heapq.nsmallest(NEAR, range(count), key=away.__getitem__):
        most = min(longer - 1, 2 * away[place] + detour)
        for width in WIDTHS:
            for at in {place, (place - width // 2) % count}:
                found = ring.reroute(at, width, (switch,), width + most)
                if found is not None:
                    longer = len(found) - width
                    most = longer - 1
                    best = at, width, found
    if best is None:
        return None
    ring.put(*best)
    return best[2]


def through_two(links: FreeLinks, first: int, other: int) -> list[int] | None:
    """Return a shortest ring through two switches, or None."""
    for detour in DETOURS:
        most = 2 * links.distance(first, other) + detour
        best = None
        for link in links.into(first):
            found = shortest_path(links, link, link, (first, other), most)
            if found is not None and len({link, *found}) == len(found) + 1:
                best, most = [link, *found], len(found) - 1
        if best is not None:
            return best
    return None
