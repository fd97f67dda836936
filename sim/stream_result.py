"""What a run found of streams: how long they took, and what went over which link when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from syncfabric.sim.spread import NodeName, Part
from syncfabric.sim.tables import Rows, table

if TYPE_CHECKING:
    from syncfabric.models.planning.group_plan import GroupPlan


@dataclass(frozen=True)
class StreamLink(Part):
    """Words of a stream on one directed link."""

    node: NodeName
    """Router that the link leaves; for ``inject`` the node that it comes from."""
    port: str
    """As in the loads of channels."""
    up: bool
    """It leads to the root; else away from it."""
    words: int
    """Words of operands or results; heads do not count."""


@dataclass(frozen=True)
class StreamMember(Part):
    """When a member had what of a stream; null if it had not."""

    node: NodeName
    """The member."""
    begun: int | None
    """Cycle in which it offered its first beat."""
    first: int | None
    """Cycle in which it took the first word of the result."""
    last: int | None
    """Cycle in which it took the last."""


@dataclass(frozen=True)
class StreamFlow(Part):
    """The words of a stream over links, and over time."""

    links: tuple[StreamLink, ...]
    """Links of the tree that words went over; on a mesh none between routers and processes."""
    begin: int
    """First cycle of the first window."""
    window: int
    """Cycles of a window."""
    up: tuple[int, ...]
    """Words on links to the root in each window."""
    down: tuple[int, ...]
    """Words on the other links in each window."""
    members: tuple[StreamMember, ...]
    """In the group's order."""


@dataclass(frozen=True)
class StreamResult(Part):
    """A stream of one group: cycles from the first beat of the last member."""

    id: int
    """Group identifier (GID)."""
    kind: str
    """``allreduce``, ``reduce`` or ``broadcast``."""
    op: str
    """Function and type."""
    words: int
    """Words of each operand."""
    first: int | None
    """Cycles until every member that takes the result has its first word; null if one has not."""
    bound: int | None
    """Most of them, for the group alone."""
    last: int | None
    """Cycles until they have the last word."""
    rate: float | None
    """Words a cycle, from the first to the last."""
    checked: bool
    """All words have come, and are right."""
    flow: StreamFlow
    """What went over which link when; of a board what its members had alone."""

    @classmethod
    def of(
        cls,
        group: GroupPlan,
        flow: StreamFlow,
        came: tuple[int, int] | None,
        *,
        kind: str,
        op: str,
        words: int,
        right: bool,
    ) -> StreamResult:
        """Return what a group's stream took.

        Parameters
        ----------
        group : GroupPlan
        flow : StreamFlow
        came : tuple of (int, int) or None
            Cycles until all members had the first word, and the last; None: some had not.
        kind, op, words
            As the attributes.
        right : bool
            Nothing that came is wrong.
        """
        first, last = came or (None, None)
        return cls(
            id=group.id,
            kind=kind,
            op=op,
            words=words,
            first=first,
            bound=group.stream_bound,
            last=last,
            rate=words / (came[1] - came[0] + 1) if came else None,
            checked=came is not None and right,
            flow=flow,
        )


def stream_rows(streams: tuple[StreamResult, ...]) -> Rows:
    """Return the table of streams, a row a group."""
    columns: dict[str, Any] = {"group": "id", "op": "op", "words": "words"}
    columns |= {"first word\nafter\n(cycles)": "first", "bound\n(cycles)": "bound"}
    columns |= {"last word\nafter\n(cycles)": "last"}
    columns |= {"words a\ncycle": lambda seen: None if seen.rate is None else f"{seen.rate:.3g}"}
    columns |= {"checked": lambda seen: "yes" if seen.checked else "no"}
    return table(streams, columns)
