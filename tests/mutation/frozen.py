"""The frozen list of mutants: all that have been defined, and the tests that kill each.

Usage: scripts/mutate --freeze

Writes ``frozen.json`` anew from the definitions. A mutant that is no longer defined stays, with an
empty reason under ``gone``, which must be filled in by hand: the hardware that it broke has left.
"""

import json
import sys
from pathlib import Path
from typing import Any

from tests.mutation.mutant import Mutant
from tests.mutation.mutants import MUTANTS

FROZEN = Path(__file__).with_name("frozen.json")

Entry = dict[str, Any]


def entry(mutant: Mutant) -> Entry:
    """Return what is frozen of a mutant: name, area, file, and the tests that kill it."""
    area = str(Path(mutant.file).parent)
    return {"name": mutant.name, "area": area, "file": mutant.file, "killers": [*mutant.tests]}


def frozen() -> list[Entry]:
    """Return the entries of the file."""
    return json.loads(FROZEN.read_text()) if FROZEN.exists() else []


def freeze() -> list[Entry]:
    """Return the entries as they are now: those that are defined, and those that are gone."""
    now = [entry(mutant) for mutant in MUTANTS]
    names = {each["name"] for each in now}
    return now + [{"gone": "", **old} for old in frozen() if old["name"] not in names]


if __name__ == "__main__":
    lines = ",\n".join(map(json.dumps, freeze()))
    FROZEN.write_text(f"[\n{lines}\n]\n")
    missing = [each["name"] for each in frozen() if each.get("gone") == ""]
    sys.exit(f"no reason why these are gone: {missing}" if missing else 0)
