"""Setting groups up by their members, as paper BTIN has it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import ERRAND, ERRAND_MARK
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.set_up import (
    Epochs,
    RouterImage,
    asked_node,
    duties,
    go_writes,
    group_images,
)
from syncfabric.sim.drive.driver import Agenda, Program
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.packets import Packet

SPREAD = 2000
"""Cycles within which members begin."""
PAUSE = 16
"""Most cycles that a node's software takes from one thing to the next."""


class MembersSetUp(Program):
    """Software of representatives and asked nodes (paper BTIN, section 3.1, step 6).

    Each does one thing after the other at a pace of its own. The root's representative starts the
    group when all is written and the network quiet, which a bench can see; if the scenario is
    ``hasty``, as soon as its own router's engine is set up, which is all that a member can know.

    Parameters
    ----------
    driver : EngineDriver
        Of an irregular network of engines with ``setup = "paper"``.

    Attributes
    ----------
    errands : int
        Packets sent.
    """

    def __init__(self, driver: EngineDriver) -> None:
        self._driver, self._shape = driver, driver.plan.spec.message_network.shape
        self._rng = random.Random(f"{driver.scenario.seed}/set-up")
        self._layout = self._shape.router.layout
        self._agenda = Agenda()
        self._left = 0  # engines that are not set up
        self._unstarted: list[GroupPlan] = []
        self._starting = 0
        self._begun = False
        self._epochs = Epochs()
        self.errands = 0

    @property
    def finished(self) -> bool:
        """Whether all groups are set up and started."""
        return self._begun and not (self._left or self._unstarted or self._starting)

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return not self.finished

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle of the next thing that is to be done."""
        if not self._begun or (self._unstarted and not self._left):
            return now
        return self._agenda.next_cycle

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Let all software do what it is time for."""
        if not self._begun:
            self._begun = True
            for group in self._driver.plan.engine_groups:
                self._begin(now, group)
        for packet in packets:
            self._obey(now, packet)
        self._agenda.step(now)
        if not self._left and self._driver.port.is_idle and self._driver.model.is_empty():
            for group in self._unstarted:
                self._start(group, now)
            self._unstarted = []

    def _begin(self, now: int, group: GroupPlan) -> None:
        """Give each representative what it has to do, from some cycle on."""
        images = {one.router: one for one in group_images(group, self._layout, self._epochs)}
        self._epochs.set_up(group)
        self._left += len(images)
        self._unstarted.append(group)
        for node, (own, *others) in duties(group).items():
            cycle = now + self._rng.randrange(SPREAD)
            self._agenda.at(cycle, partial(self._set_up_own, group, images[own]))
            for router in others:
                cycle += self._rng.randint(1, PAUSE)
                self._agenda.at(
                    cycle, partial(self._ask, node, self._errand(group, images[router]))
                )

    def _set_up_own(self, group: GroupPlan, image: RouterImage, now: int) -> None:
        """Have a representative set its own router's engine up."""

        def done(now: int) -> None:
            self._left -= 1
            if self._driver.scenario.hasty and image.router == group.tree.root:
                self._unstarted.remove(group)
                self._start(group, now)

        writes = self._writes(image.router, image.entry, image.epoch, image.words(self._layout))
        self._driver.port.ask_all(writes, done)

    def _errand(self, group: GroupPlan, image: RouterImage) -> list[int]:
        """Return the packet that asks a node of a router to set its engine up."""
        fields = {"mark": ERRAND_MARK, "entry": image.entry, "epoch": image.epoch}
        header = self._shape.header_of(asked_node(group, image.router))
        return [header, ERRAND.pack(fields), *image.words(self._layout)]

    def _ask(self, node: int, errand: Sequence[int], now: int) -> None:
        """Send a packet from a representative's node."""
        self.errands += 1
        self._driver.sender.send(node, errand)

    def _obey(self, now: int, packet: Packet) -> None:
        """Let an asked node do what a packet says, if it is an errand."""
        fields = ERRAND.unpack(packet.payloads[1]) if len(packet.payloads) > 1 else {}
        if fields.get("mark") != ERRAND_MARK:
            return
        router, words = self._shape.nodes[packet.node][0], packet.payloads[2:]
        writes = self._writes(router, fields["entry"], fields["epoch"], words)

        def done(now: int) -> None:
            self._left -= 1

        due = now + self._rng.randint(0, PAUSE)
        self._agenda.at(due, lambda _: self._driver.port.ask_all(writes, done))

    def _writes(
        self, router: int, entry: int, epoch: int, words: Sequence[int]
    ) -> list[ConfigRequest]:
        """Return the requests that write an image, and COMMIT SETUP."""
        target = self._shape.target_of(router)
        commit = COMMIT.pack({"code": Code.SETUP, "entry": entry, "epoch": epoch})
        staged = [*enumerate(words, EngineWord.IMAGE), (EngineWord.COMMIT, commit)]
        return [ConfigRequest(target, address, True, word) for address, word in staged]

    def _start(self, group: GroupPlan, now: int) -> None:
        """Commit GO at the root."""
        self._starting += 1

        def done(now: int) -> None:
            self._starting -= 1

        writes = go_writes([group], self._shape, self._epochs)
        requests = [ConfigRequest(go.target, go.address, True, go.word) for go in writes]
        self._driver.port.ask_all(requests, done)
