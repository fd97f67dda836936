"""What the software of a recovery says it did: the check holds the hardware against it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = ["Begun", "Broken", "RecoveryNote", "Told"]


class Begun(NamedTuple):
    """A member arrives at a register of its node."""

    cycle: int
    life: int
    node: int
    register: int


class Broken(NamedTuple):
    """A life is killed, or its watchdogs may bite: members may be released broken from now on."""

    cycle: int
    life: int


class Told(NamedTuple):
    """The release of a register in this cycle is a broken one."""

    cycle: int
    node: int
    register: int


RecoveryNote: TypeAlias = Begun | Broken | Told
