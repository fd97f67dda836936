"""Where members of lives have their registers: chosen by themselves, or found after set-up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    RegisterWord,
    SwitchWord,
    register_address,
    spill_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.images import register_words
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan
from syncfabric.sim.drive.churn.life import Life

__all__ = ["Seat", "Seats"]


class Seat(NamedTuple):
    """Where a member arrives."""

    register: int | None
    """None: it is spilled there."""


class Seats:
    """The nodes' registers, and entries for spilled groups.

    On an irregular network a member writes a register that is free at its node's interface, before
    its group is set up, or if there is none an entry in memory. On a mesh set-up chooses, and the
    member looks for its group. Who is spilled is told GO.

    Parameters
    ----------
    plan : BarrierPlan
        Of the groups that stay.
    model : GoldenModel
        Tells where a group is.
    rng : random.Random
        Draws among free registers.

    Attributes
    ----------
    spill : bool
        Whether groups may be spilled.
    """

    def __init__(self, plan: BarrierPlan, model: GoldenModel, rng: random.Random) -> None:
        network = plan.spec.register_network
        self._network, self._model, self._rng = network, model, rng
        self.spill = network.spill
        self._nodes = len(network.topology.nodes)
        self._writes = isinstance(network, IrregularSpec)
        self._free = [set(range(network.barrier_registers)) for _ in range(self._nodes)]
        for group in plan.groups if self._writes else ():
            for node, register in group.places.items():
                self._free[network.topology.index(node)] -= {register}

    def room(self) -> list[int]:
        """Return the nodes that can take one more group, as far as their software knows."""
        return [node for node in range(self._nodes) if self.spill or self._free[node]]

    def take(self, life: Life) -> Iterator[ConfigRequest]:
        """Choose a life's registers; yield what its members write."""
        if not isinstance(life.group, IrregularGroupPlan):
            return
        for member, register in enumerate(islice(life.group.registers(), len(life.nodes))):
            node = life.nodes[member]
            free = sorted(self._free[node])
            place = life.places[member] = self._rng.choice(free) if free else None
            self._free[node] -= {place}
            for word, value in register_words(replace(register, epoch=life.epoch)).items():
                yield ConfigRequest(node, self.address(life, member, word), True, value)

    def address(self, life: Life, member: int, word: RegisterWord | SwitchWord) -> int:
        """Return where a word of a member's register is that it has chosen."""
        place = life.places[member]
        if place is None:
            return spill_address(life.gid, word)
        return register_address(place, word)

    def find(self, life: Life, member: int) -> Seat | None:
        """Return where a member may arrive now: a register, or None where it is spilled."""
        if member in life.opened:
            return Seat(None)
        node = life.nodes[member]
        place = self._model.holder(node, life.gid)
        return Seat(place) if place is not None and self._model.ready(node, place) else None

    def wipes(self, life: Life) -> Iterator[ConfigRequest]:
        """Yield what a life's members write when it is over."""
        for member in life.places:
            address = self.address(life, member, SwitchWord.CONTROL)
            yield ConfigRequest(life.nodes[member], address, True, 0)

    def reads(self, life: Life) -> Iterator[ConfigRequest]:
        """Yield requests for everything that may still know a life."""
        control = SwitchWord.CONTROL  # the same number on a mesh
        for target in life.targets:
            for register in range(self._network.barrier_registers):
                yield ConfigRequest(target, register_address(register, control), False)
            if self.spill:
                yield ConfigRequest(target, spill_address(life.gid, control), False)

    def leave(self, life: Life) -> None:
        """Let others have a life's registers."""
        for member, place in life.places.items():
            self._free[life.nodes[member]] |= set() if place is None else {place}
