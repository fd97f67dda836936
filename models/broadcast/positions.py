"""Positions of a binomial tree: who is whose parent, by numbers alone.

Position 0 is the root, and the parent of x is x with its lowest bit cleared. A tree of n nodes has
the positions 0 to n - 1, whether n is a power of two or not. The subtree of x is a run of
positions, from x on.

Source: paper ADAPT, sections 2 and 4.1; SPEC section 4 has the formula.
"""

from __future__ import annotations

__all__ = ["ancestors", "children", "leaves", "parent", "subtree"]


def parent(x: int) -> int:
    """Return the position above ``x``, which is not 0."""
    return x & (x - 1)


def subtree(x: int, size: int) -> range:
    """Return the positions at and below ``x`` in a tree of ``size`` nodes."""
    return range(x, min(x + (x & -x), size) if x else size)


def children(x: int, size: int) -> tuple[int, ...]:
    """Return the positions right below ``x``, ascending, in a tree of ``size`` nodes."""
    below = subtree(x, size)
    return tuple(x + (1 << k) for k in range((len(below) - 1).bit_length()))


def ancestors(x: int) -> tuple[int, ...]:
    """Return the positions above ``x`` from its parent to the root."""
    above = []
    while x:
        x = parent(x)
        above.append(x)
    return tuple(above)


def leaves(x: int, size: int) -> tuple[int, ...]:
    """Return the leaves at and below ``x``, ascending: those whose path a move at ``x`` changes.

    They are the odd positions, and the last one.
    """
    below = subtree(x, size)
    last = size - 1
    odd = tuple(range(below.start | 1, below.stop, 2))
    return (*odd, last) if last in below and last % 2 == 0 else odd
