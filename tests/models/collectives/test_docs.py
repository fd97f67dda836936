"""docs/schedules.md names all that there is, and its examples run."""

import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import get_args

import pytest

from syncfabric.cli.schedule import schedule
from syncfabric.models.collectives.certificate import Argument
from syncfabric.models.collectives.collective import KINDS, name_of
from syncfabric.models.collectives.files import PERMUTATIONS, read
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.methods import known, searches
from syncfabric.models.collectives.task import OnePort, Switching
from syncfabric.models.collectives.verdict import examine
from syncfabric.models.networks.families import FAMILIES

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "schedules.md").read_text(encoding="utf-8")
TOPOLOGIES = (DOCS / "topologies.md").read_text(encoding="utf-8")


def table(heading: str, page: str = PAGE) -> dict[str, list[str]]:
    """The rows under a heading by the names in their first cells."""
    text = re.split(r"^## ", page.split(f"\n## {heading}\n")[1], maxsplit=1, flags=re.M)[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("|")]
    return {
        name: [cell.strip() for cell in row]
        for row in rows
        for name in re.findall(r"`([^`]+)`", row[0])
    }


def test_every_family_has_its_example() -> None:
    shown = table("Families", TOPOLOGIES)
    for family in FAMILIES.values():
        assert family.example in shown
    for name in shown:
        named(name)


def test_every_collective_is_there() -> None:
    assert tuple(table("Collectives")) == tuple(map(name_of, KINDS))
    for name in PERMUTATIONS:
        assert f"`{name}`" in PAGE


def test_every_method_is_there() -> None:
    shown = table("Finding a schedule")
    assert not {*searches()[1:]} - shown.keys()
    for name in searches()[1:]:
        assert shown[name][1].startswith(known()[name].words)
        assert (
            name in inspect.signature(schedule).parameters["method"].annotation.__metadata__[0].help
        )


def test_every_rule_is_there() -> None:
    for word in (*get_args(Switching), *get_args(OnePort), "all"):
        assert f"`{word}`" in PAGE


def test_every_argument_has_its_fields() -> None:
    shown = table("Lower bounds and certificates")
    kinds = {}
    for argument in get_args(Argument):
        fields = [field.name for field in dataclasses.fields(argument)]
        kinds[argument.kind] = [name for name in fields if name != "kind"]
    assert shown.keys() == kinds.keys()
    for kind, fields in kinds.items():
        assert re.findall(r"`([^`]+)`", shown[kind][1]) == fields


def test_the_file_shown_is_a_schedule() -> None:
    found = re.search(r"```json\n(.*?)```", PAGE, re.S)
    assert found
    schedule = read(json.loads(found[1]))
    verdict = examine(schedule)
    assert verdict.right
    assert verdict.optimal
    documented = set(table("The schedule file"))
    assert schedule.to_json().keys() | {"certificate"} == documented


def test_the_program_shown_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```", PAGE, re.S)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out.split("\n")[:-1] == re.findall(r"# ([\d ]+)$", found[1], re.M)
