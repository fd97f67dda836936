"""Small trees of units, each unit a bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

__all__ = ["Tree", "trees"]


@dataclass(frozen=True)
class Tree:
    """A group's tree.

    Parameters
    ----------
    parents : tuple of int or None
        Of each unit: its parent, itself for the root, None if it is not of the tree.
    members : int
        Units whose process takes part, a bit each, all leaves among them.
    """

    parents: tuple[int | None, ...]
    members: int

    @cached_property
    def units(self) -> int:
        """Units of the tree."""
        return sum(1 << unit for unit, parent in enumerate(self.parents) if parent is not None)

    @cached_property
    def root(self) -> int:
        """The root, as a bit."""
        return sum(1 << unit for unit, parent in enumerate(self.parents) if parent == unit)

    @cached_property
    def kids(self) -> tuple[int, ...]:
        """Of each unit: its kids, a bit each."""
        kids = [0] * len(self.parents)
        for unit, parent in enumerate(self.parents):
            if parent is not None and parent != unit:
                kids[parent] |= 1 << unit
        return tuple(kids)

    @cached_property
    def depth(self) -> int:
        """Links from the root to the farthest unit."""
        return max(self._depth(unit) for unit in range(len(self.parents)))

    def _depth(self, unit: int) -> int:
        parent = self.parents[unit]
        return 0 if parent is None or parent == unit else 1 + self._depth(parent)


def trees(units: int) -> Iterator[Tree]:
    """Yield every shape of tree over so many units with every set of members.

    Unit 0 is the root, leaves come last; every leaf is a member, for no group has a leaf that
    only passes through.
    """
    for parents in _shapes(units):
        inner = sorted(set(parents[1:]))
        leaves = sum(1 << unit for unit in range(units) if unit not in inner)
        for chosen in product((0, 1), repeat=len(inner)):
            members = leaves | sum(bit << unit for bit, unit in zip(chosen, inner, strict=True))
            yield Tree(parents, members)


def _shapes(units: int) -> Iterator[tuple[int, ...]]:
    """Yield the parents of one tree of every shape."""
    seen = set()
    for above in product(*(range(unit) for unit in range(1, units))):
        parents = (0, *above)
        shape = _form(0, parents)
        if shape not in seen:
            seen.add(shape)
            order = sorted(range(units), key=lambda unit: (unit > 0 and unit not in parents, unit))
            yield tuple(order.index(parents[unit]) for unit in order)


def _form(unit: int, parents: tuple[int, ...]) -> tuple[object, ...]:
    """Return the tree below a unit without its numbers."""
    kids = [kid for kid in range(1, len(parents)) if parents[kid] == unit]
    return tuple(sorted((_form(kid, parents) for kid in kids), key=repr))
