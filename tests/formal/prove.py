"""Proofs of what the hardware does and never does, as a table.

Usage: scripts/prove [--jobs N] [--traces FOLDER] [--only NAME] [WORD ...]

Words choose the proofs whose name or block holds one of them.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from syncfabric.models.errors import ToolError
from tests.formal.catalogue import PROOFS
from tests.formal.emission import EMISSIONS, Emission
from tests.formal.engine import Verdict
from tests.formal.kinds import Proof

ALL: tuple[Proof | Emission, ...] = (*PROOFS, *EMISSIONS)
"""What is proved: of the hardware, and of its Verilog."""


def main(arguments: list[str]) -> int:
    """Prove all that is chosen; return 1 if a claim fails, 2 if nothing can be done."""
    parser = argparse.ArgumentParser(prog="scripts/prove", description="Prove the hardware.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="proofs whose name has it")
    parser.add_argument("--only", metavar="NAME", help="this one proof")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at a time")
    parser.add_argument("--traces", type=Path, default=Path("build/proofs"), help="folder for VCDs")
    given = parser.parse_args(arguments)
    chosen = [
        (place, proof)
        for place, proof in enumerate(ALL)
        if (proof.name == given.only if given.only else not given.words)
        or any(w in f"{proof.name} {proof.block}" for w in given.words)
    ]
    if not chosen or given.jobs < 1:
        print("error: no proof has such a word in its name, or --jobs is below 1", file=sys.stderr)
        return 2
    begin, spent, failed, claims = time.perf_counter(), 0.0, 0, 0
    table = Table("property", "block", "method", "depth", "CPU s", title="Proofs")
    console = Console()
    with ProcessPoolExecutor(max_workers=given.jobs) as pool:
        jobs = [pool.submit(_prove, place, given.traces) for place, _ in chosen]
        for (_, proof), job in zip(chosen, jobs, strict=True):
            try:
                verdicts = job.result()
            except ToolError as error:
                print(f"error: {proof.name}: {error}", file=sys.stderr)
                pool.shutdown(cancel_futures=True)
                return 2
            table.add_section()
            table.add_row(f"[bold]{proof.name}[/bold]", proof.block)
            for verdict in verdicts:
                _print(table, console, proof, verdict)
                spent, claims = spent + verdict.seconds, claims + 1
                failed += not verdict.good
            console.print(f"{proof.name}: {sum(v.good for v in verdicts)} of {len(verdicts)}")
    console.print(table)
    console.print(
        f"{claims - failed} of {claims} claims of {len(chosen)} proofs hold; "
        f"{spent:.0f} s of processor, {time.perf_counter() - begin:.0f} s in all"
    )
    return 1 if failed else 0


def _prove(place: int, traces: Path) -> list[Verdict]:
    proof = ALL[place]
    return proof.verdicts(traces / proof.name.replace(" ", "_"))


def _print(table: Table, console: Console, proof: Proof | Emission, verdict: Verdict) -> None:
    kind, _, words = verdict.name.partition(" ")
    if kind == "reached":
        words, method = f"can be: {words}", "search"
    else:
        method = "bounded" if verdict.bounded else "induction"
    if not verdict.good:
        method = "[red]FAILS[/red]"
        where = f"; its trace: {verdict.trace}" if verdict.trace else ""
        console.print(f"[red]{proof.name}: {verdict.name} FAILS{where}[/red]", soft_wrap=True)
    table.add_row(f"  {words}", "", method, str(verdict.depth), f"{verdict.seconds:.1f}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
