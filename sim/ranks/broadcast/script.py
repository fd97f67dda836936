"""What is to happen while ranks broadcast: links get slow, ranks leave, die and join."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from syncfabric.models.errors import SpecError

Fate = Literal["leave", "kill", "join"]

_SLOW = re.compile(r"(?:(\d{1,6})-(\d{1,6})|(path)):(\d{1,6}(?:\.\d{1,6})?)@(\d{1,6})")
_EVENT = re.compile(r"(\d{1,6})@(\d{1,6})")


@dataclass(frozen=True)
class Slow:
    """A link gets slow."""

    pair: tuple[int, int] | None
    """None: the root's link on the costliest path of the tree at that time."""
    factor: float
    """How many times what a link takes."""
    turn: int


@dataclass(frozen=True)
class Event:
    """A rank leaves: it answers no more. Or it dies: its process exits. Or it joins."""

    fate: Fate
    rank: int
    turn: int


@dataclass(frozen=True)
class Script:
    """All that is to happen.

    Parameters
    ----------
    ranks, rounds : int
        Rounds are counted from 0.
    latency : float
        Seconds by which every message is held back; a slow link's factor is one on this.
    slows : tuple of Slow
    events : tuple of Event

    Raises
    ------
    SpecError
        An event cannot happen.
    """

    ranks: int
    rounds: int
    latency: float
    slows: tuple[Slow, ...] = ()
    events: tuple[Event, ...] = ()

    def __post_init__(self) -> None:
        if self.ranks < 2:
            raise SpecError(f"--ranks: a broadcast takes 2 or more, not {self.ranks}")
        for slow in self.slows:
            self._check_turn("slow", slow.turn)
            for rank in slow.pair or ():
                self._check_rank("slow", rank)
            if slow.pair and slow.pair[0] == slow.pair[1]:
                raise SpecError(f"--slow: rank {slow.pair[0]} has no link to itself")
            if not self.latency:
                raise SpecError("--slow: it is a factor on --latency, which must not be 0 then")
        for event in self.events:
            self._check_turn(event.fate, event.turn)
            self._check_rank(event.fate, event.rank)
            if event.rank == 0:
                raise SpecError(f"--{event.fate}: rank 0 is the root, which is always there")
        for rank in range(1, self.ranks):
            self._check_order(rank)
        if not self.at_first():
            raise SpecError("--join: there must be a rank besides the root from the beginning")

    def of(self, rank: int) -> list[Event]:
        """Return a rank's events as they happen."""
        return sorted((e for e in self.events if e.rank == rank), key=lambda e: e.turn)

    def at_first(self) -> list[int]:
        """Return the ranks that are there at the beginning, besides the root."""
        firsts = {rank: self.of(rank)[:1] for rank in range(1, self.ranks)}
        return [rank for rank, first in firsts.items() if not first or first[0].fate != "join"]

    @property
    def slowest(self) -> float:
        """The seconds by which a link holds a message back at most."""
        return self.latency * max([1.0, *(slow.factor for slow in self.slows)])

    def _check_turn(self, option: str, turn: int) -> None:
        if turn >= self.rounds:
            raise SpecError(
                f"--{option}: round {turn} is not played; they are 0 to {self.rounds - 1}"
            )

    def _check_rank(self, option: str, rank: int) -> None:
        if rank >= self.ranks:
            raise SpecError(f"--{option}: there is no rank {rank}; they are 0 to {self.ranks - 1}")

    def _check_order(self, rank: int) -> None:
        """Refuse a rank that leaves twice, joins where it is, or does either after its death."""
        events = self.of(rank)
        there = not events or events[0].fate != "join"
        for event, before in zip(events, [None, *events], strict=False):
            if before is not None and before.turn == event.turn:
                raise SpecError(f"--{event.fate}: rank {rank} has two events in round {event.turn}")
            if before is not None and before.fate == "kill":
                raise SpecError(f"--{event.fate}: rank {rank} is dead from round {before.turn} on")
            if there == (event.fate == "join"):
                what = "there already" if there else "not there"
                raise SpecError(f"--{event.fate}: in round {event.turn} rank {rank} is {what}")
            there = event.fate == "join"


def parse_slow(words: Sequence[str]) -> tuple[Slow, ...]:
    """Return slow links as options name them: ``A-B:FACTOR@ROUND``, or ``path:FACTOR@ROUND``.

    Raises
    ------
    SpecError
        One is none.
    """
    slows = []
    for word in words:
        found = _SLOW.fullmatch(word)
        if found is None:
            raise SpecError(f'--slow: "{word}" is not A-B:FACTOR@ROUND, as 0-4:10@5, or path:10@5')
        a, b, path, factor, turn = found.groups()
        pair = None if path else (min(int(a), int(b)), max(int(a), int(b)))
        slows.append(Slow(pair, float(factor), int(turn)))
    return tuple(slows)


def parse_events(fate: Fate, words: Sequence[str]) -> tuple[Event, ...]:
    """Return events as options name them: ``RANK@ROUND``.

    Raises
    ------
    SpecError
        One is none.
    """
    events = []
    for word in words:
        found = _EVENT.fullmatch(word)
        if found is None:
            raise SpecError(f'--{fate}: "{word}" is not RANK@ROUND, as 3@5')
        events.append(Event(fate, int(found[1]), int(found[2])))
    return tuple(events)
