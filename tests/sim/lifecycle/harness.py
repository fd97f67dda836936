"""A golden network whose host performs programs, and whose processes arrive when they are told."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.lifecycle import Lifecycle
from syncfabric.sim.lifecycle.effects import Ask, Steps

T = TypeVar("T")
LIMIT = 3_000


class Harness:
    """A network, and who was released.

    Attributes
    ----------
    released : set of (int, int)
        Node and register of those that were, since the last look.
    """

    def __init__(self, network: MessageSpec) -> None:
        shape = network.shape
        if shape.interfaces:
            shape = replace(shape, routes=tuple(map(tuple, updown_tables(network.ports_graph))))
        self.net = CollectiveNetwork(shape)
        self.released: set[tuple[int, int]] = set()
        self._left: dict[int, list[tuple[bool, int]] | None] = {}  # answers for a program

    def run(self, cycles: int) -> None:
        for _ in range(cycles):
            self._step()

    def _step(self, config: ConfigRequest | None = None) -> None:
        self.released |= {(node, register) for node, register, _ in self.net.release}
        self.net.step(config=config)

    def perform(self, steps: Steps[T], until: int | None = None) -> T | None:
        """Do what a program asks for, to its end or only until a cycle; then it can go on."""
        answers = self._left.pop(id(steps), None)
        while until is None or self.net.cycle < until:
            try:
                step = next(steps) if answers is None else steps.send(answers)
            except StopIteration as end:
                return end.value
            answers = []
            if isinstance(step, Ask):
                answers = [self._ask(*request) for request in step.requests]
            else:
                self.run(step.cycles)
        self._left[id(steps)] = answers
        return None

    def set_up(self, software: Lifecycle, group: GroupPlan) -> None:
        """Set a group up, and await GO at its members."""
        self.perform(software.set_up(group))
        self.perform(software.await_ready(group))

    def _ask(self, target: int, address: int, word: int | None) -> tuple[bool, int]:
        self._step(ConfigRequest(target, address, word is not None, word or 0))
        for _ in range(LIMIT):
            ready, error, data = self.net.config_answer
            if ready:
                self._step()
                return error, data
            self._step()
        raise AssertionError("no answer")

    @staticmethod
    def seats(group: GroupPlan) -> list[tuple[int, int]]:
        nodes = [group.graph.node(member) for member in group.members]
        return list(zip(nodes, group.registers, strict=True))

    def arrive(self, seats: Collection[tuple[int, int]], *, last: bool = False) -> None:
        assert all(self.net.ready(*seat) for seat in seats)
        self.released |= {(node, register) for node, register, _ in self.net.release}
        self.net.step(arrive=dict.fromkeys(seats, 0), last=seats if last else ())

    def barrier(self, group: GroupPlan, *, last: bool = False) -> None:
        """Let all members arrive; each is released, none broken, and none before the last."""
        *others, one = seats = self.seats(group)
        self.released.clear()
        self.arrive(others, last=last)
        self.run(group.bound)
        assert not self.released & set(seats)
        self.arrive([one], last=last)
        self.run(group.bound + 1)
        assert set(seats) <= self.released
        assert not any(self.net.broken(*seat) for seat in seats)
