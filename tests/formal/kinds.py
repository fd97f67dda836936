"""What a proof is, and a break of a block."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amaranth.lib import wiring

from tests.formal.engine import Verdict, check

Faults = dict[str, tuple[tuple[str, ...], ...]]
"""By proof: what goes wrong, the text that is changed, and its new one; where it is not the proof's
block, the file."""


@dataclass(frozen=True)
class Proof:
    """What is claimed of one block, in one size.

    Parameters
    ----------
    name : str
    block : str
        Source of the block.
    make : callable
        Returns the block in its wrapper.
    reset : bool
        Reset may come at any time; else it has been, before the first cycle.
    cycles : int
        Claims but lemmas are of runs of so many cycles; 0: of any length.
    any_memory : bool
        Memories begin with anything; else with 0.
    only : str
        Words of the claims' names; others but lemmas are left out.
    """

    name: str
    block: str
    make: Callable[[], wiring.Component]
    reset: bool = False
    cycles: int = 0
    any_memory: bool = False
    only: str = ""

    def verdicts(self, traces: Path) -> list[Verdict]:
        """Prove every claim; the folder gets traces of those that do not hold."""
        keys: dict[str, Any] = {"reset": self.reset, "cycles": self.cycles, "only": self.only}
        return check(self.make(), traces, any_memory=self.any_memory, **keys)


@dataclass(frozen=True)
class Break:
    """One fault.

    Parameters
    ----------
    name : str
        What goes wrong.
    proof : str
        The proof that must fail.
    file : str
        Source that is changed.
    old, new : str
        The change; ``old`` stands in the file exactly once.
    """

    name: str
    proof: str
    file: str
    old: str
    new: str
