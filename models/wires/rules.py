"""The rules of barrier wires, each of which can be left out to see what it is for."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Rules"]


@dataclass(frozen=True)
class Rules:
    """What slots and those who set them up keep to.

    Source: docs/microarchitecture-wires.md, W2 and W4.

    Parameters
    ----------
    hold : int
        Added to the 2 P + 2 cycles for which a slot with kids does not fire after a down-in: -1
        leaves out that of the check, -2 one that is needed.
    check : bool
        A kid's `up` that does not fall, and a `down` without an `up`, are faults.
    parity : bool
        A link with wrong parity is a fault.
    level : bool
        `up` stays; else it is a pulse of one cycle.
    clears_la : bool
        A down-in clears `la`.
    reuse : bool
        A slot is used again only when all of its old tree is clear.
    gap : bool
        And P + 1 cycles later.
    together : bool
        No unit of the new tree is set up before that holds for all of them.
    """

    hold: int = 0
    check: bool = True
    parity: bool = False
    level: bool = True
    clears_la: bool = True
    reuse: bool = True
    gap: bool = True
    together: bool = True
