"""Where members of lives have their registers: chosen by themselves, or found after set-up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    RegisterWord,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.images import register_words
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan
from syncfabric.sim.drive.churn.life import Life

__all__ = ["Seats"]


class Seats:
    """The nodes' registers.

    On an irregular network a member writes a register that is free at its node's interface, before
    its group is set up. On a mesh set-up chooses, and the member looks for its group.

    Parameters
    ----------
    plan : BarrierPlan
        Of the groups that stay.
    model : GoldenModel
        Tells where a group is.
    rng : random.Random
        Draws among free registers.
    """

    def __init__(self, plan: BarrierPlan, model: GoldenModel, rng: random.Random) -> None:
        network = plan.spec.register_network
        self._network, self._model, self._rng = network, model, rng
        self._nodes = len(network.topology.nodes)
        self._writes = isinstance(network, IrregularSpec)
        self._free = [set(range(network.barrier_registers)) for _ in range(self._nodes)]
        for group in plan.groups if self._writes else ():
            for node, register in group.places.items():
                self._free[network.topology.index(node)] -= {register}

    def room(self) -> list[int]:
        """Return the nodes that can take one more group, as far as their software knows."""
        return [node for node in range(self._nodes) if self._free[node]]

    def take(self, life: Life) -> Iterator[ConfigRequest]:
        """Choose a life's registers; yield what its members write."""
        if not isinstance(life.group, IrregularGroupPlan):
            return
        for member, register in enumerate(islice(life.group.registers(), len(life.nodes))):
            node = life.nodes[member]
            place = life.places[member] = self._rng.choice(sorted(self._free[node]))
            self._free[node] -= {place}
            for word, value in register_words(replace(register, epoch=life.epoch)).items():
                yield ConfigRequest(node, self.address(life, member, word), True, value)

    def address(self, life: Life, member: int, word: RegisterWord | SwitchWord) -> int:
        """Return where a word of a member's register is that it has chosen."""
        return register_address(life.places[member], word)

    def find(self, life: Life, member: int) -> int | None:
        """Return the register where a member may arrive now, if there is one."""
        node = life.nodes[member]
        place = self._model.holder(node, life.gid)
        return place if place is not None and self._model.ready(node, place) else None

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

    def leave(self, life: Life) -> None:
        """Let others have a life's registers."""
        for member, place in life.places.items():
            self._free[life.nodes[member]] |= {place}
