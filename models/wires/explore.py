"""Every state that a group's slots can come to, by breadth, and what must hold in each.

In a cycle any members arrive that may, and one unit is set up or cleared (or any number). A life
is over when a unit has been cleared; what comes after is the second life, if there is a second
tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.wires.slots import WHOLE, Bits, Broken, Slots
from syncfabric.models.wires.world import Packing, World, reset, take

__all__ = ["Break", "Exploration", "Inputs", "Violation"]


class Violation(Exception):  # noqa: N818 - it says what was violated
    """What must never happen, the cycle, and the units as a word."""


class Break(NamedTuple):
    """Wires that may stick from any cycle on, all at once.

    ``wires`` are fields of ``Broken``, ``unit`` the lower end of their link.
    """

    wires: tuple[str, ...]
    unit: int
    value: int

    def broken(self, since: Bits) -> Broken:
        """Return what is stuck where the word is not 0."""
        word = (since != 0).astype(np.uint16) << self.unit
        nothing = np.zeros_like(word)
        stuck = (nothing, word) if self.value else (word, nothing)
        return Broken(**dict.fromkeys(self.wires, stuck))


class Inputs(NamedTuple):
    """What happens to worlds in a cycle."""

    arrive: Bits
    opens: Bits
    clears: Bits


@dataclass
class Exploration:
    """All worlds that come of a reset.

    Parameters
    ----------
    slots : Slots
        With one tree, or with those of two lives.
    clears : bool
        Whether units are cleared at all.
    at_once : bool
        Any number of units is set up or cleared in a cycle, not one at most.
    may_break : Break, optional
        Wires that break in some cycle.
    """

    slots: Slots
    clears: bool = True
    at_once: bool = False
    may_break: Break | None = None

    def __post_init__(self) -> None:
        self.units = len(self.slots.trees[0].parents)
        self.packing = Packing(self.slots, breaks=self.may_break is not None)
        self.gap = self.slots.registers + 1 if self.slots.rules.gap else 0

    def explore(self, most: int = 20_000_000) -> int:
        """Go through all worlds; return how many there are.

        Raises
        ------
        Violation
            Something that must not be, in the earliest cycle.
        MemoryError
            There are more than ``most`` worlds.
        """
        front, cycle = self.packing.pack(reset(self.slots)), 0
        known = front
        pack, unpack = self.packing.pack, self.packing.unpack
        while len(front):
            found = [pack(after) for after in self._after(unpack(front), cycle)]
            front = np.setdiff1d(np.unique(np.concatenate(found)), known, assume_unique=True)
            known = np.union1d(known, front)
            cycle += 1
            if len(known) > most:
                raise MemoryError(f"more than {most} worlds")
        self.known = known
        return len(known)

    def _after(self, world: World, cycle: int) -> Iterator[World]:
        """Yield what comes of worlds in a cycle, by every input."""
        for inputs, chosen in self._choices(world):
            yield self.judge(take(world, chosen), inputs, cycle)
        if self.may_break is not None:
            whole = take(world, np.flatnonzero(world.torn == 0))
            torn = whole._replace(torn=np.ones_like(whole.torn))
            for inputs, chosen in self._choices(torn):
                yield self.judge(take(torn, chosen), inputs, cycle)

    def _choices(self, world: World) -> Iterator[tuple[Inputs, NDArray[np.int64]]]:
        """Yield inputs, and the worlds in which all of it may happen."""
        slots, state = self.slots, world.state
        may_arrive = state.valid & ~state.fault & ~state.la & slots.members(state)
        may_open = self._may_open(world)
        may_clear = state.valid & ~state.life if self.clears else np.zeros_like(state.valid)
        single = [0, *(1 << unit for unit in range(self.units))]
        orders = range(1 << self.units) if self.at_once else single
        for order in orders:
            changing = np.flatnonzero((order & ~(may_open | may_clear)) == 0)
            if not len(changing):
                continue
            for arrive in range(1 << self.units):
                fits = np.flatnonzero((arrive & ~may_arrive[changing]) == 0)
                chosen = changing[fits]
                if len(chosen):
                    arrives = np.full(len(chosen), arrive, np.uint16)
                    ordered = np.full(len(chosen), order, np.uint16)
                    opens = ordered & may_open[chosen]
                    yield Inputs(arrives, opens, ordered & ~opens), chosen

    def _may_open(self, world: World) -> Bits:
        """Return the units that the rules let be set up."""
        state, rules, trees = world.state, self.slots.rules, self.slots.trees
        first = np.where(world.ended == 0, np.uint16(trees[0].units), np.uint16(0))
        if len(trees) == 1:
            return first & ~state.valid
        free = (state.valid & ~state.life) == 0
        free &= world.quiet >= self.gap
        everywhere = free | (not rules.reuse)
        second = np.where(everywhere, np.uint16(trees[1].units), np.uint16(0))
        second = np.where(world.ended != 0, second, np.uint16(0))
        if not rules.together:
            second |= np.uint16(trees[1].units & ~trees[0].units)
        return (first | second) & ~state.valid

    def judge(self, world: World, inputs: Inputs, cycle: int) -> World:
        """Go through a cycle and look at what has come of it."""
        state = world.state
        broken = WHOLE if self.may_break is None else self.may_break.broken(world.torn)
        change = self.slots.step(state, *inputs, broken)
        after, released, bad = change.state, change.released, change.bad
        self._look(world, released, cycle)
        # Nobody clears anything in the second life.
        false = (np.where(world.ended == 0, bad, bad & state.life) != 0) & (world.torn == 0)
        if false.any():
            raise Violation(f"cycle {cycle}: a false fault at units {bad[false][0]:b}")
        served = (state.la | inputs.arrive) & (bad | inputs.clears) & ~released
        new = inputs.opens & ~np.uint16(self.slots.trees[0].units)
        life = state.life | np.where(world.ended != 0, inputs.opens, new)
        fresh = inputs.opens & life
        ahead = (world.ahead | released | served) & ~fresh
        gone = (world.gone | served & world.ahead) & ~fresh
        for number, tree in enumerate(self.slots.trees):
            own = ahead & (life if number else ~life) & tree.members
            ahead = np.where(own == tree.members, ahead & ~own, ahead)
        old = after.valid & ~after.life
        quiet = np.where(old == 0, np.minimum(world.quiet + 1, self.gap), 0)
        ended = world.ended | (inputs.clears != 0)
        quiet = np.where(ended != 0, quiet, 0).astype(np.uint16)
        after = after._replace(life=life)
        return World(after, ahead, gone, ended.astype(np.uint16), quiet, world.torn)

    def _look(self, world: World, released: Bits, cycle: int) -> None:
        """Check that all members have arrived that a released one has waited for."""
        state = world.state
        for number, tree in enumerate(self.slots.trees):
            own = state.life if number else ~state.life
            told = released & own & tree.members
            if number == 0:
                # What is left of a life while the next has begun does not matter.
                told = np.where(state.life == 0, told, np.uint16(0))
            arrived = own & (world.ahead | state.la | world.gone)
            early = (told != 0) & ((tree.members & ~arrived) != 0) | ((told & world.ahead) != 0)
            if early.any():
                units = told[early][0]
                raise Violation(f"cycle {cycle}: units {units:b} released before all had arrived")
