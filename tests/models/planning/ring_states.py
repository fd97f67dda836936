"""All interleavings of a small ring: every order in which buffers and cores can take their steps.

It knows counts alone, no cycles and no credits in flight: what is possible with them is possible
here. A state has everything but how many episodes are over in all, so it covers endless runs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

Counts = tuple[int, ...]
S = TypeVar("S", bound=Any)
"""A state that counts arrivals and releases, ``come`` and ``gone``, less those of the slowest."""


@dataclass(frozen=True)
class Ring:
    """A ring of N switches, each with a member, the root at 0.

    Parameters
    ----------
    links, core, switch, injection, root : int
        N, B, W, O and the places of the root's core buffer.
    software : bool
        Programs over send and receive in place of agents.
    wait : int
        Flits that a member reads in Wait; the paper prints 1.
    free : int
        Places of a member's core buffer that Init leaves free, beyond B.
    lock_step : bool
        A switch sends to the ring and to its core at once.
    """

    links: int
    core: int
    switch: int
    injection: int
    root: int
    software: bool
    wait: int = 2
    free: int = 0
    lock_step: bool = True

    @property
    def programs(self) -> tuple[str, str]:
        """What the root and another core do in an episode: arrive, send, receive."""
        b = self.core
        return "a" + "s" + "r" * (b + 1) + "s" * (b + 1) + "r", "a" + "r" * (b + self.wait)


@dataclass(frozen=True)
class State:
    """Flits in the buffers, and how far the cores are.

    ``ring`` counts the injection buffer's, then those that switches 1 to N - 1 and at last 0 hold;
    ``sent`` is 1 where the ring has its copy of a switch's front flit alone, 2 where the core has.
    ``step`` is a program's next step, or an agent's reads left. ``come`` and ``gone`` count
    arrivals and releases, less those of the slowest.
    """

    ring: Counts
    sent: Counts
    cores: Counts
    step: Counts
    come: Counts
    gone: Counts
    owed: int
    back: bool = False


class EarlyReleaseError(Exception):
    """Somebody leaves before all have come."""


class HangError(Exception):
    """A state out of which nothing leads, or at most an arrival at the next barrier.

    The second is a hang for who comes only when this barrier has released everybody.
    """


def at(counts: Counts, place: int, more: int) -> Counts:
    return (*counts[:place], counts[place] + more, *counts[place + 1 :])


def _set(counts: Counts, place: int, value: int) -> Counts:
    return (*counts[:place], value, *counts[place + 1 :])


def _switches(ring: Ring, state: State) -> Iterator[State]:
    """Yield what can become of a state by one step of a switch."""
    last = ring.links
    for k, count in enumerate(state.ring):
        if not count:
            continue
        left = replace(state, ring=at(state.ring, k, -1))
        if k == last:
            if state.cores[0] < ring.root:
                yield replace(left, cores=at(state.cores, 0, 1))
            continue
        ahead = state.ring[k + 1] < ring.switch
        beside = k == 0 or state.cores[k] < ring.core + ring.free
        if k == 0 or ring.lock_step:
            if ahead and beside:
                cores = at(state.cores, k, 1) if k else state.cores
                yield replace(left, ring=at(left.ring, k + 1, 1), cores=cores)
            continue
        if ahead and state.sent[k] != 1:
            done = left if state.sent[k] else state
            sent = _set(state.sent, k, 0 if state.sent[k] else 1)
            yield replace(done, ring=at(done.ring, k + 1, 1), sent=sent)
        if beside and state.sent[k] != 2:
            done = left if state.sent[k] else state
            sent = _set(state.sent, k, 0 if state.sent[k] else 2)
            yield replace(done, cores=at(state.cores, k, 1), sent=sent)


def leave(state: S, core: int) -> S:
    """Let a core leave its episode, and count from the slowest anew."""
    gone = at(state.gone, core, 1)
    if min(state.come) < gone[core]:
        raise EarlyReleaseError
    least = min(gone)
    come = tuple(count - least for count in state.come)
    return replace(state, come=come, gone=tuple(count - least for count in gone))


def _send(ring: Ring, state: State) -> State | None:
    free = state.ring[0] < ring.injection
    return replace(state, ring=at(state.ring, 0, 1)) if free else None


def _receive(state: State, core: int) -> State | None:
    return replace(state, cores=at(state.cores, core, -1)) if state.cores[core] else None


def _programs(ring: Ring, state: State) -> Iterator[State]:
    """Yield what can become of a state by one step of a program."""
    for core in range(ring.links):
        if core == 0 and state.owed:  # Init comes before everything else
            if sent := _send(ring, state):
                yield replace(sent, owed=state.owed - 1)
            continue
        program = ring.programs[core > 0]
        action = program[state.step[core]]
        after: State | None = replace(state, come=at(state.come, core, 1))
        if action != "a":
            after = _send(ring, state) if action == "s" else _receive(state, core)
        if after is None:
            continue
        following = (state.step[core] + 1) % len(program)
        after = replace(after, step=_set(state.step, core, following))
        yield after if following else leave(after, core)


def _agents(ring: Ring, state: State) -> Iterator[State]:
    """Yield what can become of a state by one step of an agent."""
    for core in range(ring.links):
        left = state.step[core]
        reads = ring.core + (ring.wait if core else 1)
        if not left and state.come[core] == state.gone[core]:
            come = replace(state, come=at(state.come, core, 1), step=_set(state.step, core, reads))
            yield come if core else replace(come, owed=state.owed + 1)
        if not core and state.owed and (sent := _send(ring, state)):
            yield replace(sent, owed=state.owed - 1)
        if not (left or (not core and state.back)) or not (read := _receive(state, core)):
            continue
        if not core and state.back:
            yield replace(read, back=False)
            continue
        read = replace(read, step=at(state.step, core, -1))
        if left == 1:
            read = leave(read, core)
            if not core:
                read = replace(read, owed=state.owed + ring.core + 1, back=True)
        yield read


def explore(ring: Ring) -> int:
    """Go through all states of a ring, and return how many there are; see ``explore_all``."""
    n = ring.links
    none = (0,) * n
    start = State((0,) * (n + 1), (0,) * (n + 1), none, none, none, none, ring.core)
    cores = _programs if ring.software else _agents
    return explore_all(start, lambda state: {*_switches(ring, state), *cores(ring, state)})


def explore_all(start: S, steps: Callable[[S], set[S]]) -> int:
    """Go through all states that can be reached, and return how many there are.

    Raises
    ------
    EarlyReleaseError, HangError
    """
    seen, ahead = {start}, [start]
    while ahead:
        state = ahead.pop()
        after = steps(state)
        goes_on = any(found.gone != state.gone or found.come == state.come for found in after)
        if not after or (min(state.come) > 0 and not goes_on):
            raise HangError
        ahead += after - seen
        seen |= after
    return len(seen)
