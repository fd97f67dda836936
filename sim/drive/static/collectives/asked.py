"""What groups of a static network are asked to do in place of barriers, and what it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["FROM_ROOT", "KINDS", "OPERATIONS", "THROUGH_CORES", "Collective", "CollectiveOutcome"]

FROM_ROOT = ("broadcast", "scatter")
"""Kinds that switches carry by themselves, on rings and trees."""
THROUGH_CORES = ("reduce", "allreduce")
"""Kinds that pass a token from core to core, on rings alone."""
KINDS = FROM_ROOT + THROUGH_CORES
OPERATIONS = ("sum", "or", "and", "xor", "max", "min")


class Collective(NamedTuple):
    """Operations of a group, as many as the scenario has episodes.

    Parameters
    ----------
    group : int
        GID.
    kind : str
        One of `KINDS`.
    flits : int
        Flits of a member's word; the lowest goes first, with max and min the highest.
    op : str
        Of a reduction: one of `OPERATIONS`.
    work : int
        Cycles that a flit of a reduction takes a core: 0, it sends it on in the cycle it takes it.
    """

    group: int
    kind: str
    flits: int = 1
    op: str = "sum"
    work: int = 0


@dataclass(frozen=True)
class CollectiveOutcome:
    """What operations took: cycles from the last member's begin to the last member's end."""

    asked: Collective
    cycles: list[int]
