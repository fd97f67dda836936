"""Ranks without MPI, in a time of their own: what takes no time takes none."""

import heapq
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pytest

from syncfabric.models.broadcast.policy import Policy
from syncfabric.sim.ranks.broadcast import member, run
from syncfabric.sim.ranks.broadcast.member import Member, Setting
from syncfabric.sim.ranks.broadcast.post import Kind, Received, pickled
from syncfabric.sim.ranks.broadcast.run import Root
from syncfabric.sim.ranks.broadcast.script import Event, Script, Slow


class Gone(BaseException):
    """A rank's process has exited."""


class Comm:
    def __init__(self, rank: int) -> None:
        self.rank = rank

    def Get_rank(self) -> int:
        return self.rank


class World:
    """All ranks, their messages in flight, and the clock."""

    def __init__(self, setting: Setting) -> None:
        self.now = 0.0
        self.members: dict[int, Member] = {}
        self.changed: Callable[[int, Received], Received | None] = lambda rank, message: message
        self._in_flight: list[tuple[float, int, int, Received]] = []
        self._number = count()
        for rank in range(setting.script.ranks):
            made = Member(Comm(rank), setting, shared=True)
            made.post = VirtualPost(self, made)  # type: ignore[assignment]
            self.members[rank] = made

    def monotonic(self) -> float:
        return self.now

    def send(self, due: float, to: int, message: Received) -> None:
        heapq.heappush(self._in_flight, (due, next(self._number), to, message))

    def receive(self, until: float) -> Received | None:
        """Let the others work until there is a message for rank 0."""
        while self._in_flight and self._in_flight[0][0] <= until:
            due, _, to, message = heapq.heappop(self._in_flight)
            self.now = max(self.now, due)
            known = self.changed(to, message)
            if known is None or to not in self.members:
                continue
            if to == 0:
                return known
            try:
                self.members[to].handle(known)
            except Gone:
                del self.members[to]
        self.now = until
        return None


class VirtualPost:
    def __init__(self, world: World, owner: Member) -> None:
        self.world, self.owner = world, owner

    def send(self, to: int, kind: Kind, value: object = None, *, held: bool = False) -> None:
        body = value if isinstance(value, np.ndarray) else pickled(value)
        due = self.world.now + (self.owner.delay(to) if held else 0.0)
        self.world.send(due, to, Received(self.owner.rank, kind, body))

    def receive(self, until: float) -> Received | None:
        return self.world.receive(until)

    def flush(self, until: float) -> None:
        self.world.receive(until)


def play(
    monkeypatch: pytest.MonkeyPatch,
    ranks: int,
    rounds: int,
    slows: tuple[Slow, ...] = (),
    events: tuple[Event, ...] = (),
    latency: float = 0.002,
    policy: Policy | None = None,
    changed: Callable[[int, Received], Received | None] | None = None,
) -> tuple[Root, World]:
    """Play all rounds; ``changed`` may change messages in flight, or drop them."""
    script = Script(ranks, rounds, latency, slows, events)
    world = World(Setting(script, 1000, 1, 2.0))
    if changed is not None:
        world.changed = changed

    def exits(code: int) -> Any:
        raise Gone

    monkeypatch.setattr("os._exit", exits)
    for module in (member, run):
        monkeypatch.setattr(module, "time", world)
    made = Root(world.members[0], policy or Policy())
    made.run()
    return made, world
