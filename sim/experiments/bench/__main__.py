"""Measure and print. Words on the command line choose sections by their titles."""

import argparse
import sys
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.table import Table

from syncfabric.models.errors import SpecError, SyncfabricError
from syncfabric.sim.experiments.frame import Work, declared
from syncfabric.sim.experiments.output import write
from syncfabric.sim.output import check_folder

SECTIONS = declared(
    "syncfabric.sim.experiments.bench",
    *("latency", "speed", "planning", "area", "cores", "core_vectors", "schedules", "collectives"),
)
MARKS: dict[str | None, str] = {"holds": "met", "does not hold": "[red]missed[/red]", None: ""}


def main(words: list[str], folder: str | None = None) -> int:
    """Print the chosen sections; return 1 if a target is missed, 2 if something is refused.

    Into a folder each is written as an experiment of a paper is: see ``write``.
    """
    try:
        return 1 if _missed(words, folder) else 0
    except SyncfabricError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _show(status: Status, title: str, words: str) -> None:
    status.update(f"{title}: {escape(words)}")


def _missed(words: list[str], folder: str | None) -> int:
    """Measure; return how many targets are missed."""
    console, missed = Console(), 0
    chosen = [
        section
        for section in SECTIONS
        if not words or any(word.lower() in section.title.lower() for word in words)
    ]
    if not chosen:
        titles = "; ".join(section.title for section in SECTIONS)
        raise SpecError(f"no section has that in its title; titles are {titles}")
    if folder:
        check_folder(folder)
    for section in chosen:
        table = Table("figure", "measured", "target", "", title=section.title, title_justify="left")
        with console.status(section.title) as status:
            work = Work(section, progress=partial(_show, status, section.title))
            section.function(work)
        peers = any(claim.note for claim in work.claims)
        if peers:
            table.add_column("others")
        for claim in work.claims:
            cells = (claim.claim, str(claim.ours), str(claim.paper), MARKS[claim.decided])
            table.add_row(*cells, *([claim.note] if peers else []))
            missed += claim.decided == "does not hold"
        console.print(table)
        if folder:
            write(work, Path(folder))
    return missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/bench", description="Measure and print.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="in the titles of sections")
    parser.add_argument("-o", metavar="FOLDER", help="write CSV, and curves as SVG and PNG")
    given = parser.parse_args()
    sys.exit(main(given.words, given.o))
