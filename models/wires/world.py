"""A state of some slots and what their judge keeps in mind, and both as a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.wires.slots import Bits, Slots, State

__all__ = ["Keys", "Packing", "World", "reset", "take"]

Keys: TypeAlias = NDArray[np.uint64]
"""A number for each world."""


class World(NamedTuple):
    """A state, and what the judge keeps in mind, a word each.

    ``ahead`` are units whose process has been through a barrier that another's has not; ``gone``
    those cleared that had arrived for the next one, too. (Who is cleared after its arrival counts
    as through.) ``ended`` is 1 when a unit has been cleared, ``quiet`` the cycles since all are
    clear, ``torn`` 1 with wires broken.
    """

    state: State
    ahead: Bits
    gone: Bits
    ended: Bits
    quiet: Bits
    torn: Bits


class Packing:
    """Worlds as numbers of 64 bits.

    Parameters
    ----------
    slots : Slots
        Whose worlds they are.
    breaks : bool
        Whether wires may break.
    """

    def __init__(self, slots: Slots, *, breaks: bool) -> None:
        self._slots, self._breaks = slots, breaks
        self._units = len(slots.trees[0].parents)

    def pack(self, world: World) -> Keys:
        """Return a number for each world.

        Raises
        ------
        MemoryError
            A world has more than 64 bits.
        """
        keys, at = np.zeros(len(world.ahead), np.uint64), 0
        for word, shift, width in self._fields(world):
            keys |= (word >> shift).astype(np.uint64) << np.uint64(at)
            at += width
        if at > 64:
            raise MemoryError(f"a world has {at} bits; there is room for 64")
        return keys

    def unpack(self, keys: Keys) -> World:
        """Return the worlds of numbers."""
        words, at = [], 0
        for _, shift, width in self._fields(reset(self._slots)):
            mask = np.uint64((1 << width) - 1)
            words.append((keys >> np.uint64(at) & mask).astype(np.uint16) << shift)
            at += width
        zero = np.zeros(len(keys), np.uint16)
        two = len(self._slots.trees) > 1
        stream = iter(words)
        valid, la, dn, fault, up = (next(stream) for _ in range(5))
        life = next(stream) if two else zero
        stale = tuple(next(stream) for _ in range(self._slots.hold))
        late = tuple((next(stream), next(stream)) for _ in range(self._slots.registers))
        ahead, gone, ended = (next(stream) for _ in range(3))
        quiet = next(stream) if two else zero
        torn = next(stream) if self._breaks else zero
        return World(
            State(valid, la, up, dn, fault, life, stale, late), ahead, gone, ended, quiet, torn
        )

    def _fields(self, world: World) -> Iterator[tuple[Bits, int, int]]:
        """Yield the words, the bits that are always 0 at their low end, and the bits above."""
        state, units = world.state, self._units
        two = len(self._slots.trees) > 1
        # A root has no `up`; with one tree it is unit 0, and leaves come last.
        root = 0 if two else 1
        inner = units if two else sum(1 for kids in self._slots.trees[0].kids if kids)
        for word in (state.valid, state.la, state.dn, state.fault):
            yield word, 0, units
        yield state.up, root, units - root
        if two:
            yield state.life, 0, units
        for word in state.stale:
            yield word, 0, inner
        for up, dn in state.late:
            yield up, root, units - root
            yield dn, 0, units
        for word in (world.ahead, world.gone):
            yield word, 0, units
        yield world.ended, 0, 1
        if two:
            yield world.quiet, 0, 2
        if self._breaks:
            yield world.torn, 0, 1


def reset(slots: Slots) -> World:
    """Return the world after reset, alone."""
    return World(slots.start(1), *(np.zeros(1, np.uint16),) * 5)


def take(world: World, chosen: NDArray[np.int64]) -> World:
    """Return some of the worlds."""
    state = world.state
    fields = [word[chosen] for word in state[:6]]
    stale = tuple(word[chosen] for word in state.stale)
    late = tuple((up[chosen], dn[chosen]) for up, dn in state.late)
    words = [word[chosen] for word in world[1:]]
    return World._make([State._make([*fields, stale, late]), *words])
