"""Cycles that a barrier on wires takes in hardware (ours; no paper has them).

Source: docs/microarchitecture-wires.md, W6. From the last arrival to the last release, beside other
groups or alone: an arrival takes one cycle into its slot, every link 1 + P up and 1 + P down, and
the turn at the root one.
"""

from __future__ import annotations

__all__ = ["wire_bound"]


def wire_bound(links: int, link_registers: int) -> int:
    """Return the cycles of a barrier, 2 L (1 + P) + 2, if the farthest member arrives last.

    Parameters
    ----------
    links : int
        L, from the root to the farthest member, a node's own link counted; 0 for a group of one.
    link_registers : int
        P, the registers of a wire on each link.
    """
    return 2 * links * (1 + link_registers) + 2
