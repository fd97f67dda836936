"""Random life around a barrier unit: neighbours, the process, the config port."""

import random
from collections import deque

from syncfabric.models.messages import (
    COUNTER_BASE,
    Counter,
    SwitchWord,
    register_address,
)
from tests.rtl.irregular.life import image, message_for
from tests.rtl.irregular.unit_model import UnitInputs, UnitModel

__all__ = ["UnitStimuli"]


class UnitStimuli:
    """Chooses inputs by looking at the model: most of them useful, some of them not.

    Parameters
    ----------
    rng : random.Random
    model : UnitModel
    """

    def __init__(self, rng: random.Random, model: UnitModel) -> None:
        self.rng, self.model, self.spec = rng, model, model.spec
        gids = rng.sample(range(256), len(model.registers))
        self.groups = list(zip(gids, model.registers, strict=True))
        self.requests: deque[tuple[int, bool, int]] = deque()
        self.slots = [1] * model.links  # credits of the neighbours

    def set_up(self, number: int) -> None:
        """Ask for a new image of a group, or for a part of it, and read it."""
        rng, (gid, group) = self.rng, self.groups[number]

        def address(word: int) -> int:
            return register_address(number, SwitchWord(word))

        words = image(rng, group, gid)
        words[0] = SwitchWord.CONTROL, rng.getrandbits(32) & ~1  # not valid, whatever else it says
        for word, data in words if rng.random() < 0.7 else rng.sample(words, 2):
            self.requests.append((address(word), True, data))
            if rng.random() < 0.3:
                self.requests.append((address(word), False, 0))

    def inputs(self, eager: float) -> UnitInputs:
        """Return the inputs of a cycle; ``opens`` is the caller's to fill in."""
        rng, found = self.rng, UnitInputs(start=self.model.counters[Counter.REFUSED_ARRIVE] > 3)
        for p in range(self.model.links):
            self.slots[p] += self.model.inputs[p].credit
            free = self.slots[p] > 0 or not self.spec.buffered
            if rng.random() < (eager if free else 0.01):
                found.links[p] = message_for(rng, self.groups, p)
                self.slots[p] = max(0, self.slots[p] - self.spec.buffered)
        found.request = self._request()
        if self.model.node:
            for r in range(len(self.model.registers)):
                if rng.random() < 0.15:
                    found.arrive[r] = rng.getrandbits(self.spec.data_bits)
        return found

    def _request(self) -> tuple[int, bool, int] | None:
        rng = self.rng
        if self.requests and rng.random() < 0.6:
            return self.requests.popleft()
        if rng.random() < 0.2:
            return (self._address(), rng.random() < 0.2, rng.getrandbits(32) & ~1)
        return None

    def _address(self) -> int:
        """Return the address of a register's word, of a counter, or of nothing."""
        rng, registers = self.rng, 8 * len(self.model.registers)
        addresses = [rng.randrange(registers + 8), COUNTER_BASE + rng.randrange(6)]
        addresses.append(2048 + rng.randrange(8))
        return rng.choice(addresses)
