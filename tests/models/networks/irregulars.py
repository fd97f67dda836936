"""Small irregular networks to begin a test with, and the graph they are, built from scratch."""

from typing import Any

from syncfabric.models.networks.spec import IrregularSpec

LINKS = (((0, 0), (1, 0)), ((1, 1), (2, 0)))
NODES = ((0, 1), (0, 2), (2, 1))


def chain(**changes: Any) -> IrregularSpec:
    """Return three switches in a row; two nodes on the first, one on the last."""
    keys = {"kind": "irregular", "ports": 4, "switches": 3, "links": LINKS, "nodes": NODES}
    return IrregularSpec(**{**keys, **changes})


def reached(switches: int, links: Any, start: int = 0) -> set[int]:
    """Return the switches that can be reached, by the plainest search."""
    seen = {start}
    grown = True
    while grown:
        ends = [(a[0], b[0]) for a, b in links]
        new = {b for a, b in ends if a in seen} | {a for a, b in ends if b in seen}
        grown = not new <= seen
        seen |= new
    assert seen <= set(range(switches))
    return seen
