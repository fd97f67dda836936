"""What becomes of a group when a wire breaks: every wire, in every cycle of an episode, at once.

Each fault is a world of its own. Members arrive some cycles after their last release, with a bit of
data that is combined by xor, both drawn once for all worlds; the fault comes in the second of four
episodes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.networks.mesh import Mesh, Node, Turn
from syncfabric.models.wires.data import Data
from syncfabric.models.wires.rules import Rules
from syncfabric.models.wires.slots import Bits, Broken, Slots
from syncfabric.models.wires.tree import Tree

__all__ = ["DATA", "LEVELS", "Fault", "Outcome", "faults", "mesh_tree", "suffer"]

LEVELS = ("up", "down")
DATA = ("up_data", "down_data")
"""Wires of a link: levels and pulses, and data."""

EPISODES = 4
FOR_EVER = 1 << 14
LATEST = 6
"""Most cycles that a member takes from a release to its next arrival."""


@dataclass(frozen=True)
class Fault:
    """A wire that sticks; ``wire`` is a field of ``Broken``, ``unit`` the lower end of its link."""

    wire: str
    unit: int
    value: int
    begin: int
    length: int = FOR_EVER


@dataclass(frozen=True)
class Outcome:
    """How many faults came to what; the first that holds counts.

    Attributes
    ----------
    early : int
        A process was released before all had arrived.
    wrong : int
        A process was released with another result than the members' data have.
    found : int
        A slot turned bad: its process hears of it, and the slot is frozen.
    hangs : int
        A process is released no more, and nobody is told (but by a watchdog).
    harmless : int
        All four episodes come to their end, with the right results.
    """

    early: int
    wrong: int
    found: int
    hangs: int
    harmless: int

    @property
    def all(self) -> int:
        """How many there were."""
        return sum(vars(self).values())

    def __add__(self, other: Outcome) -> Outcome:
        mine, others = vars(self).values(), vars(other).values()
        return Outcome(*(a + b for a, b in zip(mine, others, strict=True)))


def mesh_tree(mesh: Mesh, members: Sequence[Node]) -> Tree:
    """Return a group's tree of X-Y ways to the node in the middle; units are nodes."""
    root = mesh.width // 2, mesh.height // 2
    parents: list[int | None] = [None] * len(mesh.nodes)
    parents[mesh.index(root)] = mesh.index(root)
    for member in members:
        way = [node for node, _ in mesh.path(member, root, Turn.X_FIRST)] + [root]
        for node, above in pairwise(way):
            parents[mesh.index(node)] = mesh.index(above)
    return Tree(tuple(parents), sum(1 << mesh.index(member) for member in members))


class Trial:
    """Worlds that differ by their faults only.

    Parameters
    ----------
    slots : Slots
        With one tree.
    seed : int
        Of the arrivals and the data.

    Attributes
    ----------
    bits : array of int, shape (EPISODES + 1, members)
        What each member arrives with, episode by episode.
    """

    def __init__(self, slots: Slots, seed: int) -> None:
        self.slots, self.tree = slots, slots.trees[0]
        units = len(self.tree.parents)
        self.members = [unit for unit in range(units) if self.tree.members >> unit & 1]
        rng = random.Random(seed)
        self.delays = np.array(
            [[rng.randint(0, LATEST) for _ in self.members] for _ in range(EPISODES + 1)], np.int16
        )
        self.bits = np.array(
            [[rng.randrange(2) for _ in self.members] for _ in range(EPISODES + 1)], np.int16
        )

    def quiet(self) -> tuple[int, int, int]:
        """Return the first and last cycle of the second episode, and that of all, without fault.

        The second begins with the first's first release, and lasts until levels have fallen.
        """
        *_, told = self._run([], 400)
        first = told[:, 0]
        done = np.flatnonzero((first >= EPISODES).all(axis=1))[0]
        begin = np.flatnonzero(first.any(axis=1))[0]
        end = np.flatnonzero((first >= 2).all(axis=1))[0]
        return int(begin), int(end) + 2 * self.slots.registers + 3, int(done)

    def suffer(self, faults: Sequence[Fault], cycles: int) -> Outcome:
        """Run all worlds to an end, and count what becomes of them."""
        early, wrong, found, told = self._run(faults, cycles)
        whole = (told[-1] >= EPISODES).all(axis=1)
        left, counts = np.ones_like(whole), []
        for kind in (early, wrong, found, ~whole, whole):
            counts.append(int((left & kind).sum()))
            left &= ~kind
        return Outcome(*counts)

    def _run(
        self, faults: Sequence[Fault], cycles: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int16]]:
        """Return where somebody was early, where misinformed, what was found, and all releases.

        The last has shape (cycles, worlds, members).
        """
        slots, worlds = self.slots, max(1, len(faults))
        state, nothing = slots.start(worlds), np.zeros(worlds, np.uint16)
        plane = Data(slots)
        data, results = plane.start(worlds), self.bits.sum(axis=1) & 1
        stuck = _Stuck(faults)
        given = np.zeros((worlds, len(self.members)), np.int16)
        told, wait = given.copy(), np.repeat(self.delays[:1], worlds, axis=0)
        early = wrong = found = np.zeros(worlds, bool)
        log, columns = [], np.arange(len(self.members))
        state = slots.step(state, nothing, nothing | self.tree.units, nothing).state
        for cycle in range(cycles):
            ready = state.valid & ~state.fault & ~state.la
            comes = _columns(ready, self.members) & (wait <= 0) & (given < EPISODES)
            arrive = _word(comes, self.members)
            own = comes & (self.bits[np.minimum(given, EPISODES), columns] != 0)
            word = _word(own, self.members)
            change, data = plane.step(state, data, arrive, word, stuck.broken(cycle))
            released = _columns(change.released, self.members)
            complete = given.min(axis=1)
            early = early | (released & (told >= complete[:, None])).any(axis=1)
            heard = _columns(data.result, self.members) != results[np.minimum(told, EPISODES)]
            wrong = wrong | (released & heard).any(axis=1)
            found = found | (change.bad != 0)
            given = given + comes
            told = told + released
            nexts = self.delays[np.minimum(told, EPISODES), columns]
            # A release is high in the next cycle; who comes at once arrives in that.
            wait = np.where(released, nexts, wait - 1).astype(np.int16)
            state = change.state
            log.append(told)
        return early, wrong, found, np.array(log)


class _Stuck:
    """The faults of all worlds, by what is broken in a cycle."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._wires: dict[str, tuple[Bits, Bits]] = {}
        self._begin = np.array([fault.begin for fault in faults], np.int32)
        self._end = self._begin + np.array([fault.length for fault in faults], np.int32)
        for number, fault in enumerate(faults):
            if fault.wire not in self._wires:
                self._wires[fault.wire] = (
                    np.zeros(len(faults), np.uint16),
                    np.zeros(len(faults), np.uint16),
                )
            self._wires[fault.wire][fault.value][number] = 1 << fault.unit

    def broken(self, cycle: int) -> Broken:
        """Return what is stuck in a cycle."""
        now = (self._begin <= cycle) & (cycle < self._end)
        return Broken(
            **{name: (low * now, high * now) for name, (low, high) in self._wires.items()}
        )


def _columns(word: Bits, members: Sequence[int]) -> NDArray[np.bool_]:
    return np.stack([word >> unit & 1 for unit in members], axis=1).astype(bool)


def _word(columns: NDArray[np.bool_], members: Sequence[int]) -> Any:
    bits = np.array([1 << unit for unit in members], np.uint16)
    return (columns * bits).sum(axis=1).astype(np.uint16)


def faults(
    tree: Tree, value: int, begins: Sequence[int], lengths: Sequence[int], wires: Sequence[str]
) -> Iterator[Fault]:
    """Yield the faults of some wires of all links, from each cycle on, of each length."""
    links = tree.units & ~tree.root
    for unit in range(len(tree.parents)):
        if links >> unit & 1:
            for wire in wires:
                for begin in begins:
                    for length in lengths:
                        yield Fault(wire, unit, value, begin, length)


def suffer(
    tree: Tree,
    registers: int,
    rules: Rules,
    value: int,
    lengths: Sequence[int] | None = None,
    seeds: Sequence[int] = range(4),
    wires: Sequence[str] = LEVELS,
) -> Outcome:
    """Break a wire of every link in every cycle of an episode.

    Parameters
    ----------
    tree : Tree
        The group.
    registers : int
        P, registers on a link.
    rules : Rules
        With the check, with parity, or not.
    value : int
        At which the wire sticks.
    lengths : sequence of int, optional
        Cycles for which it does; for good if not given.
    seeds : sequence of int
        Of the orders of arrival.
    wires : sequence of str
        Which of a link, one by one: ``LEVELS`` or ``DATA``.
    """
    total = Outcome(*(0,) * len(fields(Outcome)))
    slots = Slots([tree], registers, rules)
    for seed in seeds:
        trial = Trial(slots, seed)
        begin, end, done = trial.quiet()
        chosen = list(faults(tree, value, range(begin, end + 1), lengths or (FOR_EVER,), wires))
        # Twice the cycles that it takes without a fault: what is not over by then hangs.
        total += trial.suffer(chosen, 2 * done)
    return total
