"""One slot in each of a few units, in many worlds at once: a cycle is a few operations on arrays.

A field of the state has a word a world, and in it a bit a unit. Source:
docs/microarchitecture-wires.md, W2; data are left out, for no fire depends on them (see `data`).
Wires are `separate`; in a single tree `shared` ones show the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.tree import Tree

__all__ = ["Bits", "Broken", "Change", "Slots", "State", "stick"]

Bits: TypeAlias = NDArray[Any]
"""A word of 16 bits a world."""

Stuck: TypeAlias = tuple[Bits, Bits]
"""Wires that stick at 0, and at 1."""


@dataclass(frozen=True)
class Broken:
    """Wires that are stuck in a cycle; a link is named by its lower unit.

    ``up`` and ``up_parity`` are on links to parents, ``down`` and ``down_parity`` on those from
    them; ``up_idle`` and ``down_idle`` are what nobody but parity looks at there: the `down` of
    the lower, the `up` of the upper unit. ``up_data`` and ``down_data`` are for ``Data``.
    """

    up: Stuck | None = None
    up_idle: Stuck | None = None
    up_parity: Stuck | None = None
    down: Stuck | None = None
    down_idle: Stuck | None = None
    down_parity: Stuck | None = None
    up_data: Stuck | None = None
    down_data: Stuck | None = None


class State(NamedTuple):
    """All of a world's slots, and what is on the links.

    ``stale`` has a word for each value, 1 first; ``late`` the wires `up` and `dn` as driven in
    earlier cycles, the last first; ``life`` is 0 for a unit that goes by the first tree.
    """

    valid: Bits
    la: Bits
    up: Bits
    dn: Bits
    fault: Bits
    life: Bits
    stale: tuple[Bits, ...]
    late: tuple[tuple[Bits, Bits], ...]


class Change(NamedTuple):
    """The state after a cycle, whose processes are released, and which slots turned bad.

    ``fire`` and ``down_in`` are the units that did so in the cycle.
    """

    state: State
    released: Bits
    bad: Bits
    fire: Bits
    down_in: Bits


class _Heard(NamedTuple):
    """What each unit makes of what it receives."""

    all_up: Bits
    any_up: Bits
    down: Bits
    torn: Bits | None


WHOLE = Broken()


class Slots:
    """The slots of some units under certain rules.

    Parameters
    ----------
    trees : sequence of Tree
        One, or that of the life before and that of the life after.
    registers : int
        P, registers on a link.
    rules : Rules
    """

    def __init__(self, trees: Sequence[Tree], registers: int, rules: Rules) -> None:
        self.trees, self.registers, self.rules = tuple(trees), registers, rules
        self.hold = max(0, 2 * registers + 2 + rules.hold)
        # What differs between lives, as a word for either.
        self._roots = [tree.root for tree in self.trees]
        self._members = [tree.members for tree in self.trees]
        self._parents = [sum(1 << v for v, kids in enumerate(t.kids) if kids) for t in self.trees]

    def start(self, worlds: int) -> State:
        """Return so many worlds after reset."""
        nothing = np.zeros(worlds, np.uint16)
        late = ((nothing, nothing),) * self.registers
        return State(*(nothing,) * 6, (nothing,) * self.hold, late)

    def members(self, state: State) -> Bits:
        """Return the units whose process takes part, by the tree that they go by."""
        return self._of_life(state, self._members)

    def step(
        self,
        state: State,
        arrive: Bits,
        opens: Bits,
        clears: Bits,
        broken: Broken = WHOLE,
        other: tuple[Bits, Bits] | None = None,
    ) -> Change:
        """Go through a cycle in every world.

        Parameters
        ----------
        state : State
        arrive, opens, clears : array of int
            Units with an accepted arrive, units that become valid (with the life that is said in
            ``life``), and units that are cleared.
        broken : Broken
            Wires that are stuck in this cycle.
        other : (array of int, array of int), optional
            Links, to parents and from them, on which a data wire has another value than was driven.
        """
        rules, roots = self.rules, self._of_life(state, self._roots)
        members = self.members(state)
        live = state.valid & ~state.fault
        heard = self._hear(state, broken, other)
        bad = np.zeros_like(live)
        if rules.check:
            bad |= heard.down & ~state.up
            if self.hold:
                bad |= state.stale[0] & heard.any_up
        if heard.torn is not None:
            bad |= heard.torn
        bad &= live
        held = np.zeros_like(live)
        for slots in state.stale:
            held |= slots
        fire = live & ~bad & ~held & heard.all_up & (state.la | ~members)
        down_in = fire & roots | heard.down & live & ~bad
        up = fire & ~roots & ~down_in & ~clears
        if not rules.level:
            up &= ~state.up
        gone = bad | clears | (down_in if rules.clears_la else 0)
        stale = (*state.stale[1:], down_in & self._of_life(state, self._parents))
        after = State(
            valid=state.valid & ~clears | opens,
            la=(state.la | arrive) & ~gone,
            up=up,
            dn=down_in & ~clears,
            fault=(state.fault | bad) & ~clears,
            life=state.life,
            stale=tuple(slots & ~clears for slots in stale[-self.hold :]) if self.hold else (),
            late=((state.up, state.dn), *state.late)[: self.registers],
        )
        return Change(after, down_in & members, bad, fire, down_in)

    def _hear(self, state: State, broken: Broken, other: tuple[Bits, Bits] | None) -> _Heard:
        """Return what comes to every unit."""
        up, dn = state.late[-1] if self.registers else (state.up, state.dn)
        seen = stick(up, broken.up)
        alls, anys, downs = [], [], []
        for tree in self.trees:
            every, some, down = np.zeros_like(up), np.zeros_like(up), np.zeros_like(up)
            for unit, kids in enumerate(tree.kids):
                every |= ((seen & kids) == kids).astype(np.uint16) << unit
                some |= ((seen & kids) != 0).astype(np.uint16) << unit
            for unit, parent in enumerate(tree.parents):
                if parent is not None and parent != unit:
                    down |= (dn >> parent & 1) << unit
            alls.append(every)
            anys.append(some)
            downs.append(stick(down, broken.down))
        torn = None
        if self.rules.parity:
            torn = self._torn(up, dn, seen, downs[0], broken, other)
        every, some, down = (self._choose(state, both) for both in (alls, anys, downs))
        return _Heard(every, some, down, torn)

    def _torn(
        self,
        up: Bits,
        dn: Bits,
        seen: Bits,
        down: Bits,
        broken: Broken,
        other: tuple[Bits, Bits] | None,
    ) -> Bits:
        """Return the units that see wrong parity, in the first tree."""
        tree = self.trees[0]
        above_up, above_dn = np.zeros_like(up), np.zeros_like(up)
        for unit, parent in enumerate(tree.parents):
            if parent is not None and parent != unit:
                above_up |= (up >> parent & 1) << unit
                above_dn |= (dn >> parent & 1) << unit
        at_parent = seen ^ stick(dn, broken.up_idle) ^ stick(up ^ dn, broken.up_parity)
        told = stick(above_up ^ above_dn, broken.down_parity)
        torn: Bits = down ^ stick(above_up, broken.down_idle) ^ told
        if other is not None:
            at_parent = at_parent ^ other[0]
            torn = torn ^ other[1]
        torn = torn & (tree.units & ~tree.root)
        for unit, kids in enumerate(tree.kids):
            torn |= ((at_parent & kids) != 0).astype(np.uint16) << unit
        return torn

    def _of_life(self, state: State, words: Sequence[int]) -> Bits:
        """Return the bits of words of units by the life that each unit goes by."""
        return self._choose(state, [np.uint16(word) for word in words])

    def _choose(self, state: State, words: Sequence[Bits | np.uint16]) -> Bits:
        if len(words) == 1:
            return np.asarray(words[0])
        return np.asarray(words[0] & ~state.life | words[1] & state.life)


def stick(values: Bits, stuck: Stuck | None) -> Bits:
    """Return what comes out of wires of which some may be stuck."""
    if stuck is None:
        return values
    low, high = stuck
    return values & ~low | high
