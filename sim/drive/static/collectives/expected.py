"""What the wires must carry in an operation, by section R9 and Python's integers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_, xor

from syncfabric.sim.drive.static.collectives.asked import FROM_ROOT, Collective

__all__ = ["Operation", "Shape"]

COMBINED: dict[str, Callable[[Sequence[int]], int]] = {
    "sum": sum,
    "or": lambda words: reduce(or_, words),
    "and": lambda words: reduce(and_, words),
    "xor": lambda words: reduce(xor, words),
    "max": max,
    "min": min,
}


@dataclass(frozen=True)
class Shape:
    """A group: places of its root and of the ring's last member, and the bits of a flit."""

    members: int
    root: int
    last: int
    ring: bool
    bits: int


@dataclass
class Operation:
    """One operation: every member's word, and when each began and was done.

    Parameters
    ----------
    place : int
        Of the collective in the scenario.
    asked : Collective
    shape : Shape
    words : list of int
        By member.
    """

    place: int
    asked: Collective
    shape: Shape
    words: list[int]
    begun: dict[int, int] = field(default_factory=dict)
    done: dict[int, int] = field(default_factory=dict)
    ended: int = 0

    @property
    def from_root(self) -> bool:
        """Whether the root's flits go past all members, and none is changed."""
        return self.asked.kind in FROM_ROOT

    @property
    def stream(self) -> list[int]:
        """What goes past all members then."""
        root = self.shape.root
        words = [self.words[root]]
        if self.asked.kind == "scatter":
            words = [word for member, word in enumerate(self.words) if member != root]
        return [flit for word in words for flit in self._flits(word)]

    @property
    def total(self) -> int:
        """All words combined."""
        return self._combined(self.words)

    def due(self, member: int) -> tuple[int, int]:
        """Return how many flits a member reads and sends."""
        size, shape = self.asked.flits, self.shape
        at_root = member == shape.root
        if self.from_root:
            count = size * (shape.members - 1) if self.asked.kind == "scatter" else size
            return count if shape.ring or not at_root else 0, count if at_root else 0
        if self.asked.kind == "reduce":
            return size, size
        return (size, 2 * size) if at_root else (2 * size, size * (1 + (member != shape.last)))

    def wrong(
        self, member: int, read: Sequence[int], sent: Sequence[int]
    ) -> tuple[str, int | str, int | str] | None:
        """Return what is wrong with what a member has read and sent, as it is and has to be."""
        at_root, size = member == self.shape.root, self.asked.flits
        if self.from_root:
            stream = self.stream
            for what, flits in (("read", read), ("sent", sent)):
                if flits and list(flits) != stream:
                    return f"flits {what}", _shown(flits), _shown(stream)
            return None
        came, went = self._word(read[:size]), self._word(sent[:size])
        words = self.words[member]
        if at_root:
            pairs = [("word sent", went, words), ("result", came, self.total)]
        else:
            pairs = [("word sent on", went, self._combined([came, words]))]
        if self.asked.kind == "allreduce":
            second = [flits[size:] for flits in (read, sent) if len(flits) > size]
            pairs += [("result", self._word(flits), self.total) for flits in second]
        return next((pair for pair in pairs if pair[1] != pair[2]), None)

    def word(self, member: int) -> int | None:
        """Return what a member must end up with that it has not brought along; None: nothing."""
        at_root = member == self.shape.root
        if self.from_root:
            other = self.words[self.shape.root if self.asked.kind == "broadcast" else member]
            return None if at_root else other
        return self.total if at_root or self.asked.kind == "allreduce" else None

    def _combined(self, words: Sequence[int]) -> int:
        mask = (1 << self.asked.flits * self.shape.bits) - 1
        return COMBINED[self.asked.op](words) & mask

    def _flits(self, word: int) -> list[int]:
        bits = self.shape.bits
        flits = [word >> bits * i & (1 << bits) - 1 for i in range(self.asked.flits)]
        return self._ordered(flits)

    def _word(self, flits: Sequence[int]) -> int:
        bits = self.shape.bits
        return sum(flit << bits * i for i, flit in enumerate(self._ordered(list(flits))))

    def _ordered(self, flits: list[int]) -> list[int]:
        """Turn lowest first into the order of the wires, or back."""
        return flits[::-1] if self.asked.op in ("max", "min") else flits


def _shown(flits: Sequence[int]) -> str:
    return " ".join(f"{flit:x}" for flit in flits)
