"""What the members of groups see of their lives, and whether that is right."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_, xor
from typing import Any

from syncfabric.models.messages import Kind

__all__ = ["OPERATIONS", "Life", "Member"]

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "or": or_,
    "and": and_,
    "xor": xor,
    "max": max,
    "min": min,
}


@dataclass
class Member:
    """A member of a group, and what it has seen; ``register`` is None where it is spilled."""

    node: int
    register: int | None = None
    told_go: int = 0
    broken: int = 0
    data: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)

    @property
    def inside(self) -> bool:
        """Whether it has arrived and is not released."""
        return len(self.data) > len(self.results)


@dataclass
class Life:
    """One life of a group."""

    gid: int
    group: Any
    op: str
    members: dict[int, Member]
    epoch: int
    killed: bool = False

    def hear(self, member: Member, kind: Kind, result: int) -> None:
        """Judge what a member is told."""
        if kind is Kind.GO:
            member.told_go += 1
            assert member.told_go == 1, "GO twice"
            assert not member.data
            return
        if kind is Kind.BROKEN:
            assert self.killed, "a living group broke"
            assert member.register is None or member.inside
            member.broken += 1
            assert member.broken == 1, "BROKEN twice"
            return
        assert member.inside, f"released without an arrival: node {member.node}"
        episode = len(member.results)
        data = [m.data[episode] for m in self.members.values() if len(m.data) > episode]
        assert len(data) == len(self.members), "released early"
        assert result == reduce(OPERATIONS[self.op], data)
        member.results.append(result)
