"""How a tree reacts to events, and what became of one."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from operator import index
from typing import Literal, TypeAlias

from syncfabric.models.broadcast.costs import checked_cost
from syncfabric.models.broadcast.strategies import MOST_TRIALS, STRATEGIES, Strategy
from syncfabric.models.errors import SpecError, check_range

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
    most : int
        Swaps that ``leaf`` and ``position`` try at most, so that an event takes O(log N) in trees
        of any size. Trees of the paper have fewer nodes.

    Raises
    ------
    SpecError
        A strategy or a goal of another name, or no swap may be tried.
    """

    rise: Strategy | None = "path"
    fall: Strategy | None = None
    join: Strategy | None = "position"
    leave: Strategy | None = "path"
    goal: Goal = "initial"
    new_root: bool = False
    most: int = MOST_TRIALS

    def __post_init__(self) -> None:
        for field in fields(self)[:4]:
            value = getattr(self, field.name)
            if value is not None and value not in STRATEGIES:
                known = ", ".join(STRATEGIES)
                raise SpecError(f"policy {field.name}: {value!r} is none of {known}, or None")
        if self.goal not in ("initial", "before"):
            raise SpecError(f"policy goal: {self.goal!r} is neither initial nor before")
        check_range("policy most", self.most, 1)


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


def checked_node(node: int, limit: int) -> int:
    """Return a node's number.

    Raises
    ------
    SpecError
        It is no integer from 0 to ``limit`` - 1.
    """
    try:
        number = index(node)
    except TypeError:
        raise SpecError(f"node {node!r}: it must be an integer") from None
    if not 0 <= number < limit:
        raise SpecError(f"node {number}: nodes are 0 to {limit - 1}")
    return number


def checked_nodes(nodes: Iterable[int], limit: int) -> list[int]:
    """Return nodes as a list.

    Raises
    ------
    SpecError
        There are none, one stands there twice, or is no node below ``limit``.
    """
    found = [checked_node(node, limit) for node in nodes]
    if not found:
        raise SpecError("nodes: there must be one or more")
    if len(set(found)) < len(found):
        twice = next(node for node, count in Counter(found).items() if count > 1)
        raise SpecError(f"node {twice}: it is given twice")
    return found


def joining_costs(
    node: int, costs: Mapping[int, float], there: Collection[int]
) -> dict[int, float]:
    """Return the costs of a node that joins, in one direction or both.

    Raises
    ------
    SpecError
        They are not to all nodes that are there and to no others, or one is no cost.
    """
    if odd := set(costs) ^ set(there):
        other = min(odd, key=str)
        what = "is given, but it is not in the tree" if other in costs else "is missing"
        raise SpecError(f"node {node}: its cost to node {other} {what}")
    where = f"node {node}: its cost to node"
    return {other: checked_cost(cost, f"{where} {other}") for other, cost in costs.items()}
