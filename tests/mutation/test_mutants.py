"""Every deliberate break still fits the code, and none of the frozen list is lost."""

from pathlib import Path

import pytest

from tests.mutation.frozen import entry, frozen
from tests.mutation.mutant import Mutant
from tests.mutation.mutants import MUTANTS

ROOT = Path(__file__).parents[2]
FEWEST = 467
"""Mutants of the frozen list; those that are gone are counted too, so it only grows."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_its_text_stands_once_in_its_file(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1
    assert all((ROOT / test.split("::")[0]).is_file() for test in mutant.tests)


def test_the_frozen_list_agrees_with_the_definitions() -> None:
    """Else run ``scripts/mutate --freeze``, and say why those are gone that are not defined."""
    entries = {each["name"]: each for each in frozen()}
    defined = {mutant.name: entry(mutant) for mutant in MUTANTS}
    assert len(entries) == len(frozen()) >= FEWEST
    assert len(defined) == len(MUTANTS), "two mutants have one name"
    gone = {name for name, each in entries.items() if "gone" in each}
    assert {name: each for name, each in entries.items() if name not in gone} == defined
    assert all(entries[name]["gone"].strip() for name in gone), "no reason why it is gone"
