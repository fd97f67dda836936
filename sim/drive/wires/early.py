"""Members that arrive while the slots of their trees are still being set up, in any order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import REGISTER_WORDS
from syncfabric.models.planning.images import group_writes
from syncfabric.models.planning.plan import WireGroupPlan
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.software import Program
from syncfabric.sim.drive.wires.notes import Loose, Whole

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver

__all__ = ["EarlyArrivals"]


class EarlyArrivals(Program):
    """Sets slots up when groups have begun; a member arrives when its own slot is ready.

    Parameters
    ----------
    driver : Driver
        Of a network with barrier wires, and a scenario that is hasty.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver, self._plan = driver, driver.plan
        self._begun = False
        self._held: set[tuple[int, int]] = set()
        self._waits: dict[int, int] = {}  # requests without an answer, by group
        self._wires = [
            number
            for number, group in enumerate(driver.plan.groups)
            if isinstance(group, WireGroupPlan)
        ]

    @property
    def finished(self) -> bool:
        """Whether all slots are set up, and nobody is held back."""
        return self._begun and not self._held and not self._waits

    def next_cycle(self, now: int) -> int | None:
        """Return this cycle, as long as somebody is held back or the manager has more to do."""
        set_up = self._driver.set_up
        idle = set_up is None or set_up.finished or set_up.waits
        return now if self._begun and (self._held or not idle) else None

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Hold a member back whose slot is not ready."""
        if number not in self._wires or self._is_ready(number, member):
            return False
        self._held.add((number, member))
        return True

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Go on with the set-up, and let members arrive that can."""
        driver = self._driver
        if driver.begin_cycle is None:
            return
        if not self._begun:
            self._begun = True
            self._ask(now)
        if driver.set_up is not None and driver.port.all_given and driver.port.all_answered:
            driver.set_up.step(now)
            if driver.set_up.finished:
                for number in [number for number, left in self._waits.items() if not left]:
                    self._whole(now, number)
        for number, member in sorted(self._held):
            if self._is_ready(number, member):
                self._held.remove((number, member))
                driver.schedule(now, number, member)

    def _is_ready(self, number: int, member: int) -> bool:
        node, register = self._driver.groups[number].places[member]
        assert register is not None
        return self._driver.model.ready(node, register)

    def _ask(self, now: int) -> None:
        """Ask for all writes that no manager does, a slot after the other, in any order."""
        driver, rng = self._driver, random.Random(f"{self._driver.scenario.seed}/early")
        slots: dict[tuple[int, int, int], list[ConfigRequest]] = {}
        for number in self._wires:
            driver.notes.append(Loose(now, number))
            self._waits[number] = 0
            for target, address, word in group_writes(self._plan, self._plan.groups[number]):
                if not driver.manager_writes(target):
                    request = ConfigRequest(target, address, True, word)
                    slot = (number, target, address // REGISTER_WORDS)
                    slots.setdefault(slot, []).append(request)
                    self._waits[number] += 1
        order = list(slots)
        rng.shuffle(order)
        for slot in order:
            for request in slots[slot]:
                driver.port.ask(request, partial(self._heard, slot[0]))

    def _heard(self, number: int, now: int, refused: bool, data: int) -> None:
        self._waits[number] -= 1
        set_up = self._driver.set_up
        if not self._waits[number] and (set_up is None or set_up.finished):
            self._whole(now, number)

    def _whole(self, now: int, number: int) -> None:
        del self._waits[number]
        self._driver.notes.append(Whole(now, number))
