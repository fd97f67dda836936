"""How a tree reacts to events, and what became of one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias

from syncfabric.models.broadcast.strategies import STRATEGIES, Strategy
from syncfabric.models.errors import SpecError

__all__ = ["Change", "Goal", "Policy"]

Goal: TypeAlias = Literal["initial", "before"]


@dataclass(frozen=True)
class Policy:
    """Which swaps follow which event; None: none.

    Parameters
    ----------
    rise : Strategy, optional
        A link of the tree costs more, and so does the tree. The search ends at the cost before.
    fall : Strategy, optional
        A link costs less. The search has no goal: the best swap of all is taken, if there is one
        that helps. Off the tree, its two ends are tried next to each other. The paper (section 3)
        swaps nothing then, which is the default.
    join, leave : Strategy, optional
        Around the node that joined, or that filled the hole.
    goal : Goal
        Of joins and leaves. ``before``: the cost before the event, as section 4 of the paper says.
        ``initial``: the tree's cost when it was built, with which its Fig. 9 comes out.
    new_root : bool
        When the root leaves, one of its children becomes the root: the one with which the tree is
        cheapest. False: the root is not let go.

    Raises
    ------
    SpecError
        A strategy or a goal of another name.
    """

    rise: Strategy | None = "path"
    fall: Strategy | None = None
    join: Strategy | None = "position"
    leave: Strategy | None = "path"
    goal: Goal = "initial"
    new_root: bool = False

    def __post_init__(self) -> None:
        for field in fields(self)[:4]:
            value = getattr(self, field.name)
            if value is not None and value not in STRATEGIES:
                known = ", ".join(STRATEGIES)
                raise SpecError(f"policy {field.name}: {value!r} is none of {known}, or None")
        if self.goal not in ("initial", "before"):
            raise SpecError(f"policy goal: {self.goal!r} is neither initial nor before")


@dataclass(frozen=True)
class Change:
    """An event, and what was done about it."""

    before: float
    """The tree's cost before the event."""
    raised: float
    """After it, before any swap; it may be lower, too."""
    cost: float
    """After the swap, if there was one."""
    steps: int
    """Swaps tried."""
    swapped: tuple[int, int] | None
    """The nodes that changed places."""
    node: int | None = None
    """The node that joined or left."""

    @property
    def gain(self) -> float:
        """(raised - cost) / raised, as in section 5.1 of the paper; of nothing 0."""
        return (self.raised - self.cost) / self.raised if self.raised else 0.0
