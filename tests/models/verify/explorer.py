"""Explicit-state exploration of any protocol: all states, and from each a good end is reachable.

A protocol is a state that can be copied, with events that can happen in it. The explorer goes
through all states in order of their distance, so the trace of a violation is a shortest one.

Reduction: a protocol may name a *persistent* event: one that commutes with
whatever else can happen before it, and that nothing can prevent. Such an event is a persistent set
of one, and states in which one is left need not be visited. Every chain of them must end.

Source: Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996.
"""

from __future__ import annotations

import random
from array import array
from collections.abc import Hashable
from typing import Any, NamedTuple, Protocol, Self

Event = tuple[Any, ...]


LONGEST = 10_000
"""Persistent events in a row, at most."""


class Violation(Exception):  # noqa: N818 - it is what a search looks for, not a mistake
    """A property does not hold; the events that lead there are a note of it."""


class State(Protocol):
    """A state of a protocol."""

    def key(self) -> tuple[Hashable, ...]:
        """Return the parts of the state, hashable; states of equal parts are one."""

    def copy(self) -> Self:
        """Return an independent copy."""

    def events(self) -> list[Event]:
        """Return all events that can happen."""

    def apply(self, event: Event) -> None:
        """Let an event happen; raise :class:`Violation` if a property breaks."""

    def persistent(self) -> Event | None:
        """Return a persistent event; None if there is none."""

    def check_end(self) -> None:
        """Raise :class:`Violation` if nothing can happen any more and this is no good end."""


class Explored(NamedTuple):
    """Size of an exploration; an end is a state in which nothing can happen any more."""

    states: int
    transitions: int
    ends: int


def explore(start: State, most: int, *, reduce: bool = True, endless: bool = False) -> Explored:
    """Visit every state that can be reached from ``start``.

    Parameters
    ----------
    start : State
        Initial state.
    most : int
        Greatest number of states.
    reduce : bool
        Leave out states that have a persistent event.
    endless : bool
        The protocol has no end, so none needs to be reachable.

    Returns
    -------
    Explored
        Numbers of states, transitions and ends.

    Raises
    ------
    Violation
        A property does not hold in some state, a state without events is no good end, or no end
        can be reached from some state. A note lists the events from the start.
    MemoryError
        There are more than ``most`` states.
    RuntimeError
        Persistent events do not end.
    """
    start = start.copy()
    _reduce(start, reduce)
    parts: dict[Hashable, int] = {}
    numbers = {_compact(start, parts): 0}
    came_from = array("i", [-1])
    by_event: list[Event] = [()]
    sources, targets, ends = array("i"), array("i"), array("i")
    front: list[tuple[int, State]] = [(0, start)]
    while front:
        following: list[tuple[int, State]] = []
        for here, state in front:
            events = state.events()
            event: Event = ()
            try:
                if not events:
                    state.check_end()
                    ends.append(here)
                for event in events:
                    after = state.copy()
                    after.apply(event)
                    _reduce(after, reduce)
                    there = numbers.setdefault(_compact(after, parts), len(numbers))
                    sources.append(here)
                    targets.append(there)
                    if there == len(by_event):
                        came_from.append(here)
                        by_event.append(event)
                        following.append((there, after))
            except Violation as violation:
                violation.add_note(
                    _trace(start, [*_path(came_from, by_event, here), event], reduce)
                )
                raise
        if len(numbers) > most:
            raise MemoryError(f"more than {most} states")
        front = following
    lost = None if endless else _first_without_end(len(numbers), sources, targets, ends)
    if lost is not None:
        stuck = Violation("no good end can be reached")
        stuck.add_note(_trace(start, _path(came_from, by_event, lost), reduce))
        raise stuck
    return Explored(len(numbers), len(sources), len(ends))


def run(state: State, rng: random.Random, most: int) -> int:
    """Let random events happen until none is left; return how many did.

    Raises
    ------
    Violation
        A property does not hold; a note lists the events.
    MemoryError
        More than ``most`` events happened.
    """
    start, path = state.copy(), list[Event]()
    try:
        while events := state.events():
            path.append(rng.choice(events))
            state.apply(path[-1])
            if len(path) > most:
                raise MemoryError(f"more than {most} events")
        state.check_end()
    except Violation as violation:
        violation.add_note(_trace(start, path, False))
        raise
    return len(path)


def _reduce(state: State, reduce: bool) -> None:
    for _ in range(LONGEST):
        if not reduce or (event := state.persistent()) is None:
            return
        state.apply(event)
    raise RuntimeError(f"more than {LONGEST:,} persistent events: they must end")


def _compact(state: State, parts: dict[Hashable, int]) -> bytes:
    """Return a state's key as the numbers of its parts, four bytes each."""
    return array("I", [parts.setdefault(part, len(parts)) for part in state.key()]).tobytes()


def _first_without_end(
    states: int, sources: array[int], targets: array[int], ends: array[int]
) -> int | None:
    """Return the lowest state from which no end can be reached."""
    first = array("i", bytes(4 * (states + 1)))
    for target in targets:
        first[target + 1] += 1
    for state in range(states):
        first[state + 1] += first[state]
    place, before = array("i", first), array("i", bytes(4 * len(sources)))
    for source, target in zip(sources, targets, strict=True):
        before[place[target]] = source
        place[target] += 1
    found, front = bytearray(states), list(ends)
    for state in front:
        found[state] = 1
    while front:
        state = front.pop()
        for source in before[first[state] : first[state + 1]]:
            if not found[source]:
                found[source] = 1
                front.append(source)
    lost = found.find(0)
    return None if lost < 0 else lost


def _path(came_from: array[int], by_event: list[Event], state: int) -> list[Event]:
    path = []
    while state:
        path.append(by_event[state])
        state = came_from[state]
    return path[::-1]


def _trace(start: State, path: list[Event], reduce: bool) -> str:
    """Return the events of a path, persistent ones among them, one a line."""
    lines, state = [], start.copy()
    for event in filter(None, path):
        lines.append(" ".join(map(str, event)))
        try:
            state.apply(event)
            while reduce and (event := state.persistent() or ()):
                lines.append("  persistent: " + " ".join(map(str, event)))
                state.apply(event)
        except Violation:
            break
    return "\n".join(lines)
