"""Processes that come to barriers as they please, and a referee who knows only the rule."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.models.golden.static_bench import Bench, Group


class EarlyReleaseError(AssertionError):
    """Somebody left a barrier to which not everybody had come."""


class HangError(AssertionError):
    """Nothing moves any more, and somebody is still inside."""


@dataclass
class Course:
    """How far a group's processes are; by member, in the order of the group."""

    group: Group
    most: int | None = None
    """Episodes after which nobody comes any more."""
    arrived: list[list[int]] = field(default_factory=list)
    """Cycles of the arrivals."""
    released: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.arrived = [[] for _ in self.group.members]
        self.released = [[] for _ in self.group.members]

    @property
    def episodes(self) -> int:
        """Episodes that are over."""
        return min(map(len, self.released))

    def latency(self, episode: int) -> int:
        """Return the cycles from the last arrival to the last release."""
        last = max(cycles[episode] for cycles in self.arrived)
        return max(cycles[episode] for cycles in self.released) - last

    def take(self, member: int, cycle: int) -> None:
        """Note a release, and judge it."""
        episode = len(self.released[member])
        self.released[member].append(cycle)
        come = sum(len(cycles) > episode for cycles in self.arrived)
        if come < len(self.arrived) or cycle <= max(cycles[episode] for cycles in self.arrived):
            raise EarlyReleaseError(f"cycle {cycle}: {come} of {len(self.arrived)} had come")


When = Callable[[int, int, int], int]
"""Cycles after its release that a member arrives, from (episode, member, cycle of release)."""


class Play:
    """Lets the groups of a bench run side by side.

    Parameters
    ----------
    bench : Bench
    when : callable
        See `When`; the first arrival counts from the first cycle.
    hold : random.Random, optional
        Raises and lowers ``hold`` of members at random.
    """

    def __init__(self, bench: Bench, when: When, hold: random.Random | None = None) -> None:
        self.bench, self.when, self.hold = bench, when, hold
        self.courses: list[Course] = []
        self._at: dict[int, tuple[Course, int]] = {}
        self._events: dict[int, list[int]] = {}
        self._held: set[int] = set()

    def join(self, group: Group, most: int | None = None) -> Course:
        """Let a group's members come, from now on; see `Course`."""
        course = Course(group, most)
        self.courses.append(course)
        for member, node in enumerate(group.members):
            index = self.bench.mesh.index(node)
            self._at[index] = course, member
            self._plan(index, 0)
        return course

    def leave(self, course: Course) -> None:
        """Forget a group of which nobody comes any more."""
        self.courses.remove(course)
        for node in course.group.members:
            del self._at[self.bench.mesh.index(node)]

    def _plan(self, index: int, episode: int) -> None:
        course, member = self._at[index]
        if episode == course.most:
            return
        now = self.bench.model.cycle
        moment = now + self.when(episode, member, now)
        self._events.setdefault(moment, []).append(index)

    def step(self, **inputs: Any) -> None:
        """Go through a cycle."""
        now, arrive = self.bench.model.cycle, {}
        for index, _, _ in self.bench.model.release:
            course, member = self._at[index]
            course.take(member, now)
            self._plan(index, len(course.released[member]))
        for index in self._events.pop(now, ()):
            course, member = self._at[index]
            course.arrived[member].append(now)
            arrive[index, 0] = 0
        self.bench.model.step(arrive=arrive, hold=self._change(), **inputs)

    def _change(self) -> dict[int, bool]:
        """Let a few members come to Wait, or keep them from it."""
        if self.hold is None or self.hold.random() < 0.8:
            return {}
        index = self.hold.choice(list(self._at))
        level = index not in self._held
        (self._held.add if level else self._held.discard)(index)
        return {index: level}

    def run(self, episodes: int) -> None:
        """Go on until every group has had as many episodes."""
        while any(course.episodes < episodes for course in self.courses):
            idle = self.bench.model.idle_until() is None and not any(self._events.values())
            if idle and self.hold is None:
                raise HangError(f"cycle {self.bench.model.cycle}")
            self.step()
