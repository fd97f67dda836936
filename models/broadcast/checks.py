"""What a tree is told about nodes, looked at before anything is done with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from operator import index

from syncfabric.models.broadcast.costs import checked_cost
from syncfabric.models.errors import SpecError

__all__ = ["checked_node", "checked_nodes", "joining_costs"]


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
    """Return the costs of a node that joins.

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
