"""What is mutated, and what must notice."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from amaranth.lib import wiring

from tests.mutation.netlist.benches import Play


@dataclass(frozen=True)
class Block:
    """A component in one size, with every feature that it has by default.

    Parameters
    ----------
    name : str
    file : str
        Its source.
    make : callable
        Returns the component.
    benches : callable
        Returns the tests that are played on each mutant.
    around : callable
        Returns the proof's wrapper around what it is given in the component's place.
    guards : mapping of str to str
        When an output means something, in Verilog, by the original's outputs `plain_...`.
    names : int
        How often the benches come, under other names.
    mutants : int
        How many are drawn.
    """

    name: str
    file: str
    make: Callable[[], wiring.Component]
    benches: Callable[[], Sequence[Play]]
    around: Callable[[wiring.Component], wiring.Component]
    guards: Mapping[str, str] = field(default_factory=dict)
    names: int = 1
    mutants: int = 300
