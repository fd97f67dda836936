"""Going through what may happen: at random for large instances, all of it for small ones."""

from __future__ import annotations

import random
from array import array
from collections.abc import Hashable, Iterator
from typing import NamedTuple, TypeVar

from syncfabric.models.setup.network import Event, Network, Violation

__all__ = ["Explored", "explore", "run"]

N = TypeVar("N", bound=Network)

TOLD = 60
"""Events that a violation's note names, the last ones."""

LASTING = frozenset({"deliver", "serve", "answer", "reply"})
"""Events that can happen until they do: nothing overtakes what they are about."""


def run(network: N, rng: random.Random) -> N:
    """Let random events happen, evenly drawn, until none is left; return the network.

    Raises
    ------
    Violation
        Something may not happen or is left; with the last events as a note.
    """
    trace: list[Event] = []
    try:
        while events := network.events():
            # Several in a row before looking again what may happen, as long as they surely may.
            first = True
            while events:
                event = events.pop(int(rng.random() * len(events)))
                if not first and event[0] not in LASTING:
                    break
                trace.append(event)
                network.apply(event)
                first = False
        network.check_end()
    except Violation as violation:
        violation.add_note(_told(trace))
        raise
    return network


class Explored(NamedTuple):
    """How many states can be reached, and how many of them are ends."""

    states: int
    ends: int


def explore(network: Network, most: int, *, whole: bool = True) -> Explored:
    """Go through every state that can be reached; from each an end can be reached too.

    Parameters
    ----------
    network : Network
        How it begins.
    most : int
        States that are gone through at most.
    whole : bool
        All of them; else only those in which nothing is left that may as well happen at once
        (:meth:`Network.at_once`). What can go wrong is found either way.

    Raises
    ------
    Violation
        In some state; with the shortest way there as a note.
    MemoryError
        There are more than ``most`` states.
    """
    names: dict[Hashable, int] = {}
    numbers: dict[bytes, int] = {_compact(network.key(), names): 0}
    came_from: list[tuple[int, Event]] = [(-1, ())]
    leads_to: list[list[int]] = []
    ends = []
    front: list[Network] = [network]
    while front:
        following = []
        for state in front:
            here = len(leads_to)
            leads_to.append([])
            events = state.events()
            if not events:
                ends.append(here)
            try:
                if not events:
                    state.check_end()
                for event in events:
                    after = state.copy()
                    after.apply(event)
                    while not whole and (following_it := after.at_once()):
                        after.apply(following_it)
                    key = _compact(after.key(), names)
                    there = numbers.setdefault(key, len(numbers))
                    leads_to[here].append(there)
                    if there == len(came_from):
                        came_from.append((here, event))
                        following.append(after)
            except Violation as violation:
                last = [event] if events else []
                violation.add_note(_told([*_way(came_from, here), *last]))
                raise
        if len(numbers) > most:
            raise MemoryError(f"more than {most} states")
        front = following
    stuck = set(range(len(leads_to))) - _before(leads_to, ends)
    if stuck:
        dead_end = Violation("no end can be reached")
        dead_end.add_note(_told(_way(came_from, min(stuck))))
        raise dead_end
    return Explored(len(numbers), len(ends))


def _compact(key: Hashable, names: dict[Hashable, int]) -> bytes:
    """Return a key as the numbers of the things in it, four bytes each: there are millions."""
    found = [names.setdefault(thing, len(names)) for thing in _things(key)]
    return array("I", sorted(found)).tobytes()


def _things(key: Hashable) -> Iterator[Hashable]:
    """Yield all things in the sets of a key, each with the place of its set."""
    for place, part in enumerate(_parts(key)):
        if isinstance(part, frozenset):
            for thing in part:
                yield place, thing
        else:
            yield place, part


def _parts(key: Hashable) -> Iterator[Hashable]:
    if type(key) is tuple:
        for part in key:
            yield from _parts(part)
    else:
        yield key


def _before(leads_to: list[list[int]], ends: list[int]) -> set[int]:
    """Return the states from which one of ``ends`` can be reached."""
    leads_from: list[list[int]] = [[] for _ in leads_to]
    for here, following in enumerate(leads_to):
        for there in following:
            leads_from[there].append(here)
    found, front = set(ends), list(ends)
    while front:
        new = {state for there in front for state in leads_from[there]} - found
        found |= new
        front = list(new)
    return found


def _way(came_from: list[tuple[int, Event]], state: int) -> list[Event]:
    way: list[Event] = []
    while state:
        state, event = came_from[state]
        way.append(event)
    return way[::-1]


def _told(trace: list[Event]) -> str:
    return "\n".join(" ".join(map(str, event)) for event in trace[-TOLD:])
