"""Groups on barrier wires that are killed, or wait too long, in the middle of a barrier."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    REGISTER_WORDS,
    Command,
    Request,
    WireWord,
    register_address,
)
from syncfabric.models.planning.images import group_writes
from syncfabric.models.planning.plan import WireGroupPlan
from syncfabric.models.planning.requests import manager_entries
from syncfabric.sim.drive.commander import Commander
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.software import Program
from syncfabric.sim.drive.wires.notes import Doomed, Whole

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["Breaks"]

SPREAD = 12
"""Cycles within which members arrive for the barrier that breaks."""
EPOCHS = 4


class Breaks(Program):
    """Breaks barriers of the groups on wires, one group after another, while the others go on.

    When the group's members are outside, some or all arrive once more. Then the slots of its tree
    are cleared in any order; or if there is a watchdog, now and then it trips before. Members
    inside are released broken. When every slot is clear, and the wires too, all are set up again,
    and the group goes on.

    Parameters
    ----------
    driver : Driver
        Of a network with groups on wires.

    Attributes
    ----------
    tripped : int
        Members whose watchdog tripped.
    broken : int
        Members released broken.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver, self._plan = driver, driver.plan
        network = self._network = driver.plan.spec.register_network
        plane = network.wire_plane
        assert plane is not None
        self._plane = plane
        self._rng = random.Random(f"{driver.scenario.seed}/breaks")
        wires = [
            i for i, group in enumerate(driver.plan.groups) if isinstance(group, WireGroupPlan)
        ]
        self._ahead = [wires[turn % len(wires)] for turn in range(driver.scenario.breaks)]
        self._stage: Callable[[int], None] = self._await_rest
        self._at: int | None = None  # no stage is looked at before
        self._last_arrival = 0
        self._trips = False
        self._left: set[int] = set()  # members inside, or about to be, whose watchdog is to trip
        self._answers = 0  # that are to come
        self._manager: Commander | None = None
        if network.managed and not network.has_messages:
            node = network.topology.index(network.manager_nodes[0])
            self._manager = Commander(driver.model, node, driver.port.ask)
        self._round = 0
        self.tripped = self.broken = 0

    @property
    def finished(self) -> bool:
        """Whether all barriers that were to break have."""
        return not self._ahead

    def goes_on(self, number: int) -> bool:
        """Return whether a group is to have more barriers than were asked for."""
        return bool(self._ahead) and number != self._ahead[0]

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle that it waits for."""
        return None if self._at is None or not self._ahead else max(now, self._at)

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Keep a member outside whose slot has been cleared."""
        if self.goes_on(number) or not self._ahead:
            return False
        node, register = self._driver.groups[number].places[member]
        assert register is not None
        return not self._driver.model.ready(node, register)

    def told_broken(self, number: int, member: int) -> None:
        """Hear that a member is released broken."""
        self.broken += 1
        if self._trips and member in self._left:
            self.tripped += 1
            self._left.discard(member)

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Go on with the group whose turn it is."""
        if self._ahead and self._driver.active and (self._at is None or now >= self._at):
            self._stage(now)

    @property
    def _group(self) -> WireGroupPlan:
        group = self._plan.groups[self._ahead[0]]
        assert isinstance(group, WireGroupPlan)
        return group

    def _await_rest(self, now: int) -> None:
        """Wait until the group is at rest; then let members arrive for a barrier that breaks."""
        set_up, number = self._driver.set_up, self._ahead[0]
        arrivals, rng = self._driver.groups[number], self._rng
        if not arrivals.finished or (set_up is not None and not set_up.finished):
            return
        self._driver.notes.append(Doomed(now, number))
        count = len(arrivals.places)
        watchdog = self._plane.watchdog
        self._trips = bool(watchdog) and count > 1 and rng.random() < 0.5
        everybody = not self._trips and (count == 1 or rng.random() < 0.3)
        chosen = range(count) if everybody else rng.sample(range(count), rng.randint(1, count - 1))
        self._left = set(chosen)
        arrivals.open()
        self._last_arrival = now
        for member in chosen:
            cycle = now + rng.randint(0, SPREAD)
            self._last_arrival = max(self._last_arrival, cycle)
            self._driver.schedule(cycle, number, member)
        if self._trips:
            self._go_on(self._await_trips, None)
        else:
            # From before the first arrival to after the last release.
            self._go_on(self._clear, now + rng.randint(0, SPREAD + self._group.bound + 2))

    def _await_trips(self, now: int) -> None:
        """Wait until the watchdog has released everybody inside."""
        if not self._left:
            self._go_on(self._clear, now + self._rng.randint(1, SPREAD))

    def _clear(self, now: int) -> None:
        """Clear all slots, in any order."""
        requests = []
        for image in self._group.images():
            if not self._driver.manager_writes(image.target):
                word, value = self._rng.choice(
                    ((WireWord.CONTROL, 0), (WireWord.COMMAND, int(Command.KILL)))
                )
                address = register_address(image.number, word)
                requests.append(ConfigRequest(image.target, address, True, value))
        self._rng.shuffle(requests)
        self._do(now, requests, self._rng.choice((Request.CLEAR, Request.KILL)))
        self._go_on(self._await_clear, None)

    def _await_clear(self, now: int) -> None:
        """Wait until all slots are clear, and what was on the wires is over."""
        if self._is_done(now):
            after = max(now + self._plane.link_registers + 2, self._last_arrival + 2)
            self._go_on(self._set_up, after)

    def _set_up(self, now: int) -> None:
        """Set all slots up again, in any order."""
        slots: dict[tuple[int, int], list[ConfigRequest]] = {}
        for target, address, word in group_writes(self._plan, self._group):
            if not self._driver.manager_writes(target):
                slot = slots.setdefault((target, address // REGISTER_WORDS), [])
                slot.append(ConfigRequest(target, address, True, word))
        order = list(slots.values())
        self._rng.shuffle(order)
        self._do(now, [request for slot in order for request in slot], Request.SETUP)
        self._go_on(self._await_set_up, None)

    def _await_set_up(self, now: int) -> None:
        """Wait until all slots are set up; then the group goes on, and another's turn comes."""
        if self._is_done(now):
            number = self._ahead.pop(0)
            self._driver.notes.append(Whole(now, number))
            arrivals = self._driver.groups[number]
            arrivals.break_off()
            arrivals.resume(now + 1)
            self._go_on(self._await_rest, None)

    def _go_on(self, stage: Callable[[int], None], at: int | None) -> None:
        self._stage, self._at = stage, at

    def _do(self, now: int, requests: Sequence[ConfigRequest], operation: Request) -> None:
        """Ask for requests, and have the manager do what is its part."""
        self._answers = len(requests)

        def heard(now: int, refused: bool, data: int) -> None:
            self._answers -= 1

        for request in requests:
            self._driver.port.ask(request, heard)
        if self._manager is not None:
            if operation is Request.SETUP:
                self._round += 1
            entries = manager_entries(self._plan, self._group, epoch=self._round % EPOCHS)
            if entries:
                self._manager.order(operation, entries)

    def _is_done(self, now: int) -> bool:
        """Return whether all that `_do` began is over."""
        if self._manager is not None and self._manager.busy:
            self._manager.end(now)
        return not self._answers and (self._manager is None or not self._manager.busy)
