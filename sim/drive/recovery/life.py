"""One life of a group in a recovery's run: who arrives when, as its members know it."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass, field

from syncfabric.models.planning.plan import AnyGroupPlan

__all__ = ["Life"]


@dataclass
class Life:
    """A group from one set-up to its end.

    Parameters
    ----------
    group : AnyGroupPlan
        Its plan.
    number : int
        Of all lives of the run.
    nodes : list of int
        Its members' nodes.
    rng : random.Random
        Draws when members arrive.
    jitter : int
        Cycles from a member's release to its next arrival, at most.

    Attributes
    ----------
    places : dict of int to int
        Registers at its members' nodes, by node.
    due : dict of int to int
        Cycle in which a member is to arrive next, by node.
    inside : dict of int to int
        Cycle in which a member has arrived, by node, if it is not released.
    arrived, released : dict of int to int
        Episodes, by node.
    told : bool
        A member was released as broken.
    last : int or None
        The episode that all arrive for as the last.
    open : bool
        Members go on arriving.
    latency : list of (cycle, cycles)
        Of episodes that are over, by the cycle of their last release.
    """

    group: AnyGroupPlan
    number: int
    nodes: list[int]
    rng: random.Random
    jitter: int
    places: dict[int, int] = field(default_factory=dict)
    due: dict[int, int] = field(default_factory=dict)
    inside: dict[int, int] = field(default_factory=dict)
    arrived: dict[int, int] = field(default_factory=dict)
    released: dict[int, int] = field(default_factory=dict)
    told: bool = False
    last: int | None = None
    open: bool = False
    latency: list[tuple[int, int]] = field(default_factory=list)
    _late: dict[int, int] = field(default_factory=dict)

    def begin(self, now: int) -> None:
        """Let members arrive from now on."""
        self.open = True
        for node in self.nodes:
            self.arrived[node] = self.released[node] = 0
            self.due[node] = now + self.rng.randint(0, self.jitter)

    def stop(self) -> None:
        """Let nobody arrive any more."""
        self.open = False
        self.due.clear()

    def end_soon(self) -> None:
        """Make the next episode that nobody has arrived for the last one."""
        self.last = max(self.arrived.values())

    @property
    def is_over(self) -> bool:
        """Whether all have been released from the last episode."""
        return self.last is not None and min(self.released.values()) > self.last

    def takes(self, now: int, node: int) -> bool:
        """Note that a member arrives; return whether it does so for the last time."""
        episode = self.arrived[node]
        self.arrived[node] += 1
        self.inside[node] = self._late[episode] = now
        del self.due[node]
        return episode == self.last

    def release(self, now: int, node: int) -> None:
        """Note that a member is released."""
        episode = self.released[node]
        self.released[node] += 1
        self.inside.pop(node, None)
        if min(self.released.values()) > episode:
            self.latency.append((now, now - self._late.pop(episode)))
        if self.open and (self.last is None or episode < self.last):
            self.due[node] = now + self.rng.randint(0, self.jitter)

    def complains(self, now: int, patience: int, silent: Collection[int]) -> bool:
        """Return whether one was told, or has waited too long, or nobody is left who could."""
        left = [node for node in self.nodes if node not in silent]
        return (
            self.told
            or not left
            or any(now - since > patience for node, since in self.inside.items() if node in left)
        )

    def break_off(self, node: int) -> None:
        """Note that a member is released as broken."""
        self.told = True
        self.inside.pop(node, None)
