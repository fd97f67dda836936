"""What the pages say of ranks."""

import re
from pathlib import Path

from syncfabric.models.collectives.collective import kind_of
from syncfabric.sim.ranks.perform import CALLS

DOCS = Path(__file__).parents[3] / "docs"


def rows(page: str) -> list[list[str]]:
    text = (DOCS / page).read_text(encoding="utf-8").split("\n## On a real MPI\n")[1]
    lines = re.split(r"^## ", text, maxsplit=1, flags=re.M)[0].splitlines()
    return [line.split("|")[1:-1] for line in lines if line.startswith("| `")]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_every_collective_has_its_call() -> None:
    shown = {}
    for kinds, calls in rows("schedules.md"):
        found = names(calls)
        for place, kind in enumerate(names(kinds)):
            shown[kind_of(kind)] = found[place if len(found) > 1 else 0]
    assert shown == CALLS
