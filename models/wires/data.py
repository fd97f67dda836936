"""A data bit of the slots of `Slots`, combined by xor, so that every member's counts in the result.

Source: docs/microarchitecture-wires.md, W2. Levels do not depend on data but by parity: `Slots`
goes on as without, and is told on which links a data wire has another value than was driven.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from syncfabric.models.wires.slots import WHOLE, Bits, Broken, Change, Slots, State, stick

__all__ = ["Data", "DataState"]


class DataState(NamedTuple):
    """Data of all units, a bit each; ``late`` is `gathered` and `result` as in ``State``."""

    mine: Bits
    gathered: Bits
    result: Bits
    late: tuple[tuple[Bits, Bits], ...]


class Data:
    """Slots of one tree with a data bit.

    Parameters
    ----------
    slots : Slots
    """

    def __init__(self, slots: Slots) -> None:
        self.slots, self.tree = slots, slots.trees[0]

    def start(self, worlds: int) -> DataState:
        """Return so many worlds after reset."""
        nothing = np.zeros(worlds, np.uint16)
        return DataState(nothing, nothing, nothing, ((nothing, nothing),) * self.slots.registers)

    def step(
        self,
        state: State,
        data: DataState,
        arrive: Bits,
        word: Bits,
        broken: Broken = WHOLE,
    ) -> tuple[Change, DataState]:
        """Go through a cycle without set-up in every world.

        Parameters
        ----------
        state : State
        data : DataState
        arrive, word : array of int
            Units with an accepted arrive, and their data.
        broken : Broken
            Wires that are stuck in this cycle.
        """
        tree, nothing = self.tree, np.zeros_like(arrive)
        driven, results = data.late[-1] if self.slots.registers else (data.gathered, data.result)
        links = [(u, p) for u, p in enumerate(tree.parents) if p is not None and p != u]
        from_parent = nothing
        for unit, parent in links:
            from_parent = from_parent | (results >> parent & 1) << unit
        up, down = stick(driven, broken.up_data), stick(from_parent, broken.down_data)
        other = up ^ driven, down ^ from_parent
        change = self.slots.step(state, arrive, nothing, nothing, broken, other)

        combined = data.mine & tree.members
        for unit, parent in links:
            combined = combined ^ (up >> unit & 1) << parent
        gathered = data.gathered & ~change.fire | combined & change.fire
        told = gathered & tree.root | down & (tree.units & ~tree.root)
        after = DataState(
            mine=data.mine & ~arrive | word & arrive,
            gathered=gathered,
            result=data.result & ~change.down_in | told & change.down_in,
            late=((data.gathered, data.result), *data.late)[: self.slots.registers],
        )
        return change, after
