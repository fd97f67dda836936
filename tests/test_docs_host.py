"""What docs/microarchitecture-host.md says of the host's words is what the layout says."""

import enum
import re

import pytest

from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    HOST_ADDRESS_BITS,
    HOST_ID,
    HOST_VERSION,
    INTERRUPT,
    MASK_BASE,
    METER_BASE,
    METER_WORDS,
    MOST_METERS,
    MOST_NODES,
    MOST_REGISTERS,
    NODE_BASE,
    NODE_WORDS,
    RESULT_BASE,
    SHAPE,
    SKEW_BOUNDS,
    STREAM_BASE,
    STREAM_PACKET,
    STREAM_PLACE,
    TRAFFIC_BASE,
    TRAFFIC_CONTROL,
    WAIT_BASE,
    WAIT_LIMIT,
    GlobalWord,
    MeterWord,
    NodeWord,
    StreamWord,
    TrafficWord,
)
from syncfabric.models.messages.layout import Layout
from tests.test_docs import DOCS, rows, tables

PAGE = "microarchitecture-host.md"


def table(head: str) -> list[list[str]]:
    """Return the rows below a head."""
    lines = rows(PAGE)
    first = next(i for i, row in enumerate(lines) if row[0] == head) + 2
    ends = (i for i in range(first, len(lines) - 1) if lines[i + 1][0].startswith("---"))
    return lines[first : next(ends, len(lines))]


def words(head: str) -> dict[str, str]:
    """Return what stands in the first column of a table of words, by the name in the second."""
    return {row[1].strip("`"): row[0] for row in table(head)}


@pytest.mark.parametrize(
    ("head", "kind", "others"),
    [
        ("global word", GlobalWord, {}),
        ("traffic word", TrafficWord, {}),
        ("stream word", StreamWord, {}),
        (
            "meter word",
            MeterWord,
            {
                "HISTOGRAM": f"{HISTOGRAM_BASE} to {HISTOGRAM_BASE + BINS - 1}",
                "MASK": f"0x{MASK_BASE:X} + k",
            },
        ),
        (
            "node word",
            NodeWord,
            {
                "DATA": f"{DATA_BASE} + r",
                "RESULT": f"{RESULT_BASE} + r",
                "WAIT": f"{WAIT_BASE} + r",
            },
        ),
    ],
)
def test_every_word_has_its_address(
    head: str, kind: type[enum.IntEnum], others: dict[str, str]
) -> None:
    assert words(head) == {word.name: str(int(word)) for word in kind} | others


@pytest.mark.parametrize("layout", [SHAPE, INTERRUPT, TRAFFIC_CONTROL, STREAM_PLACE, STREAM_PACKET])
def test_every_field_has_its_bits(layout: Layout) -> None:
    documented = tables(PAGE)[layout.name]
    bits = {}
    for field in layout.fields:
        low = layout.offsets[field.name]
        bits[field.name] = f"{low + field.width - 1}:{low}" if field.width > 1 else str(low)
    assert {name: row[1] for name, row in documented.items()} == bits


def test_every_page_of_words_has_its_place() -> None:
    places = [row[0] for row in table("words")]
    traffic = TRAFFIC_BASE + max(TrafficWord)
    assert places == [
        f"0x{0:05X} to 0x{max(GlobalWord):05X}",
        f"0x{TRAFFIC_BASE:05X} to 0x{traffic:05X}",
        f"0x{STREAM_BASE:05X} to 0x{STREAM_BASE + max(StreamWord):05X}",
        f"0x{CONFIG_WINDOW:05X} to 0x{2 * CONFIG_WINDOW - 1:05X}",
        f"0x{METER_BASE:X} + 0x{METER_WORDS:X}·m",
        f"0x{NODE_BASE:X} + 0x{NODE_WORDS:X}·n",
    ]
    assert {row[0]: row[2] for row in table("wire")}["`address`"] == str(HOST_ADDRESS_BITS)


def test_numbers_are_those_of_the_layout() -> None:
    page = (DOCS / PAGE).read_text(encoding="utf-8")
    content = {row[1].strip("`"): row[3] for row in table("global word")}
    assert content["ID"] == f"0x{HOST_ID:X}"
    assert content["VERSION"].startswith(f"{HOST_VERSION}:")
    assert f"; {WAIT_LIMIT:,} after reset" in content["WAIT_LIMIT"]
    assert f"a node's port (at most {MOST_REGISTERS})" in page
    assert f"meters (0 to {MOST_METERS})" in page
    assert f"N is at most {MOST_NODES}." in page
    bins = {row[1].strip("`"): row[3] for row in table("meter word")}["HISTOGRAM"]
    assert [int(low) for low in re.findall(r"(\d+) (?:to|and)", bins)] == list(SKEW_BOUNDS)
