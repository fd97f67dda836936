"""Mutants of netlists: which of them benches and proofs kill, and which are the same as the block.

Usage: scripts/mutate --netlist [--count N] [--seed N] [--seconds N] [WORD ...]

Words choose the blocks whose name or file holds one of them.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from syncfabric.models.errors import ToolError
from tests.mutation.netlist.benches import Play
from tests.mutation.netlist.block import Block
from tests.mutation.netlist.blocks import BLOCKS
from tests.mutation.netlist.build import Mutants, mutants_of
from tests.mutation.netlist.classifier import classify
from tests.mutation.netlist.device import Device

KINDS = {
    "by benches": "bench",
    "in their first run": "first",
    "by proofs": "proof",
    "equivalent": "equivalent",
    "alive": "alive",
}
LEAST = 95.0
"""Per cent of a block's mutants that must be killed or the same."""


@dataclass
class Score:
    """What became of a block's mutants.

    Parameters
    ----------
    mutants : int
    outcomes : Counter
        How many were killed by a ``bench``, of these in its ``first`` run, or by a ``proof``, are
        ``equivalent``, or ``alive``.
    alive : list of str
        Each survivor: its number, the mutation and what is known of it.
    seconds : float
        Processor time, the builds' included.
    """

    mutants: int
    outcomes: Counter[str] = field(default_factory=Counter)
    alive: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def percent(self) -> float:
        """Killed or equivalent, of all."""
        return 100 * (self.mutants - self.outcomes["alive"]) / self.mutants


def score(block: Block, count: int, seed: int, seconds: int) -> Score:
    """Go through a block's mutants.

    Raises
    ------
    AssertionError
        A bench finds fault with the block itself.
    ToolError
        Yosys, Verilator or the C++ compiler is missing.
    """
    begin = _spent()
    mutants = mutants_of(block.make(), count, seed)
    result = Score(len(mutants.texts))
    plays = block.benches()
    killed = killed_by(plays, mutants)
    first = len(plays) // block.names
    result.outcomes["bench"] = sum(place is not None for place in killed.values())
    result.outcomes["first"] = sum(place is not None and place < first for place in killed.values())
    left = [number for number, place in killed.items() if place is None]
    for number, found in classify(block, mutants, left, seconds=seconds):
        result.outcomes[found.outcome] += 1
        if found.outcome == "alive":
            result.alive.append(f"{number} {mutants.texts[number - 1]}: {found.why}")
    result.seconds = _spent() - begin
    return result


def killed_by(plays: Sequence[Play], mutants: Mutants) -> dict[int, int | None]:
    """Return which of these is the first that finds fault with each mutant; None: none of them."""
    for play in plays:
        play(Device(mutants, 0))
    return {
        number: next((i for i, play in enumerate(plays) if _red(play, mutants, number)), None)
        for number in range(1, len(mutants.texts) + 1)
    }


def _red(play: Play, mutants: Mutants, number: int) -> bool:
    try:
        play(Device(mutants, number))
    except Exception:  # a bench, or its model, may fail in any way
        return True
    return False


def _spent() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main(arguments: list[str]) -> int:
    """Print a table; return 1 if a block's score is too low, 2 if nothing can be done."""
    parser = argparse.ArgumentParser(prog="scripts/mutate --netlist")
    parser.add_argument("words", nargs="*", metavar="WORD", help="blocks whose name has it")
    parser.add_argument("--count", type=int, help="mutants a block")
    parser.add_argument("--seed", type=int, default=1, help="of their choice")
    parser.add_argument("--seconds", type=int, default=60, help="for a search or a proof")
    given = parser.parse_args(arguments)
    words = given.words
    chosen = [b for b in BLOCKS if not words or any(w in f"{b.name} {b.file}" for w in words)]
    if not chosen or (given.count or 1) < 1 or given.seconds < 1:
        print(
            "error: no block has such a word in its name, or a number is below 1", file=sys.stderr
        )
        return 2
    columns = (
        "mutants",
        "by benches",
        "in first run",
        "by proofs",
        "equivalent",
        "alive",
        "score",
        "CPU s",
    )
    table, console, low = Table("block", *columns, title="Mutants of netlists"), Console(), 0
    begin = time.perf_counter()
    for block in chosen:
        try:
            found = score(block, given.count or block.mutants, given.seed, given.seconds)
        except ToolError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        kinds = [
            str(found.outcomes[kind]) for kind in ("bench", "first", "proof", "equivalent", "alive")
        ]
        row = [str(found.mutants), *kinds, f"{found.percent:.1f} %", f"{found.seconds:.0f}"]
        table.add_row(block.name, *row)
        console.print(f"{block.name}: {' | '.join(row)}", highlight=False)
        for text in found.alive:
            console.print(f"  alive: {text}", highlight=False, soft_wrap=True)
        low += found.percent < LEAST
    console.print(table)
    console.print(f"{time.perf_counter() - begin:.0f} s in all")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
