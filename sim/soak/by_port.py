"""Groups that are set up and torn down over the config port: registers, and slots of wires."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncfabric.models.messages import RegisterWord, register_address
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.images import register_words
from syncfabric.models.planning.plan import WireGroupPlan
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import Pause, Request, Steps, ask_all
from syncfabric.sim.soak.life import Life, await_broken, images_of

__all__ = ["ByPort", "Registers"]

SETTLED = 200
"""Cycles after its last release in which a register may still have to send."""
CONTROL = RegisterWord.CONTROL
"""The control word's number; it is the same in switches and slots."""


class Registers:
    """Which registers are free, where software chooses them.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
    """

    def __init__(self, network: RegisterSpec) -> None:
        self._network = network
        self._free: dict[int, set[int]] = {}

    def writes(self, life: Life, *, own: bool) -> Iterator[Request]:
        """Choose a life's registers; yield the writes that set them up.

        With ``own`` those of its members' nodes alone.
        """
        nodes = set(life.nodes)
        for target, image, number in images_of(self._network, life.group):
            if own and target not in nodes:
                continue
            if number is None:
                registers = range(self._network.barrier_registers)
                free = self._free.setdefault(target, set(registers))
                number = min(free)
                free.remove(number)
                life.registers[target] = number
            if target in nodes:
                life.places[target] = number
            for word, value in register_words(replace(image, epoch=life.epoch)).items():
                yield target, register_address(number, word), value

    def again(self) -> Registers:
        """Return the same, to go on with apart."""
        twin = Registers(self._network)
        twin._free = {target: set(free) for target, free in self._free.items()}
        return twin

    def leave(self, life: Life) -> None:
        """Let others have a life's registers."""
        for target, number in life.registers.items():
            self._free[target].add(number)
        life.registers.clear()


class ByPort:
    """Sets groups up over the config port.

    Parameters
    ----------
    fabric : Fabric
    network : MeshSpec or IrregularSpec
    """

    def __init__(self, fabric: Fabric, network: RegisterSpec) -> None:
        self._fabric, self._network = fabric, network
        self._registers = Registers(network)

    def may_kill(self, life: Life) -> bool:
        """Whether a barrier can be broken off: a busy register refuses, a slot does not."""
        return isinstance(life.group, WireGroupPlan)

    def set_up(self, life: Life) -> Steps[None]:
        """Write all registers, or slots."""
        yield from ask_all(list(self._registers.writes(life, own=False)), "set up")

    def tear_down(self, life: Life) -> Steps[None]:
        """Clear them all: when nobody is inside, or slots at any time."""
        if not life.killed:
            yield Pause(SETTLED)
        yield from self.clear(life)
        yield from await_broken(self._fabric, life)

    def clear(self, life: Life) -> Steps[None]:
        """Clear registers, or slots, and let others have them."""
        clear = [
            (target, register_address(number, CONTROL), 0) for target, number in self._places(life)
        ]
        yield from ask_all(clear, "torn down")
        # A slot may be used again P + 1 cycles after the last one was cleared.
        yield Pause(self._network.link_registers + 2)
        self._registers.leave(life)

    def _places(self, life: Life) -> Iterator[tuple[int, int]]:
        for target, _, number in images_of(self._network, life.group):
            yield target, life.registers[target] if number is None else number
