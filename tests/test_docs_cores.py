"""The contract of cores against the words that everything is made from."""

import enum
import re
from pathlib import Path

import pytest

from syncfabric.models.messages import core
from syncfabric.models.messages.layout import Layout
from syncfabric.rtl.cores.interface import KEPT_ACKS, KEPT_FLITS
from syncfabric.rtl.cores.sender import QUEUE_FLITS

TEXT = (Path(__file__).parents[1] / "docs" / "microarchitecture-cores.md").read_text()


def rows(head: str) -> list[list[str]]:
    """Return the rows of the table whose first line begins with these words."""
    lines = TEXT.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(f"| {head} |")) + 2
    found = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip(" `") for cell in line.strip("|").split(" | ")])
    return found


def test_words_are_at_their_places() -> None:
    places = {cells[1]: cells[0] for cells in rows("word")}
    for word in core.CoreWord:
        assert places.pop(word.name) == str(word.value)
    bases = {
        "ARRIVE": core.ARRIVE_BASE,
        "WAIT": core.WAIT_BASE,
        "DONE": core.DONE_BASE,
        "LAST": core.LAST_BASE,
        "CONFIG": core.CONFIG_BASE,
    }
    assert {name: int(place.split(" + ")[0]) for name, place in places.items()} == bases


@pytest.mark.parametrize(
    ("head", "layout"),
    [
        ("core shape word", core.SHAPE),
        ("packet head, received head", core.SEND),
        ("packet head, received head", core.RECV),
        ("network status word", core.NET_STATUS),
        ("flit status word", core.FLIT_STATUS),
        ("barrier status word", core.DONE),
        ("config status word", core.CONFIG_STATUS),
    ],
)
def test_fields_are_in_their_bits(head: str, layout: Layout) -> None:
    bits = {}
    for name, cell, _ in rows(head):
        high, _, low = cell.partition(":")
        bits[name] = (int(low or high), int(high) - int(low or high) + 1)
    assert bits == {
        field.name: (layout.offsets[field.name], field.width) for field in layout.fields
    }


@pytest.mark.parametrize(
    ("head", "names"), [("fault", core.FaultReason), ("activity", core.Activity)]
)
def test_names_have_their_numbers(head: str, names: type[enum.IntEnum]) -> None:
    told = {cells[1]: int(cells[0]) for cells in rows(head)}
    assert told == {one.name: one.value for one in names if one.name != "NONE"}


def test_sizes_are_told() -> None:
    assert f"queue of {QUEUE_FLITS} flits" in TEXT
    assert re.search(rf"{KEPT_FLITS} are kept.* {KEPT_ACKS} are kept", TEXT)
    assert f"up to {core.MOST_WORDS} words" in TEXT
    assert core.CORE_REGISTERS == 0x4000_0000
