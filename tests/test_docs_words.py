"""What the pages say of words, fields and numbers is what the layouts say."""

import enum
import itertools
import re
from collections.abc import Iterator, Sequence

import pytest

from syncfabric.models.layout import setup
from syncfabric.models.layout.engine import COMMIT
from syncfabric.models.layout.words import TABLES, EngineWord, Target, part_of
from syncfabric.models.messages import core
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
from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.messages.words import Block, Part, WordTable
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.register_map.rdl import config_map
from syncfabric.rtl.cores.interface import KEPT_ACKS, KEPT_FLITS, QUEUE_FLITS
from tests.models.register_map.networks import ENGINES, network
from tests.test_docs import DOCS, rows, tables

PAGE = "microarchitecture-host.md"


def table(head: str, page: str = PAGE) -> list[list[str]]:
    """Return the rows below a head."""
    lines = rows(page)
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
                "MASK": f"0x{MASK_BASE:X}+k",
            },
        ),
        (
            "node word",
            NodeWord,
            {
                "DATA": f"{DATA_BASE}+r",
                "RESULT": f"{RESULT_BASE}+r",
                "WAIT": f"{WAIT_BASE}+r",
            },
        ),
    ],
)
def test_every_word_has_its_address(
    head: str, kind: type[enum.IntEnum], others: dict[str, str]
) -> None:
    assert words(head) == {word.name: str(int(word)) for word in kind} | others


REGISTERS = "registers.md"
OF_HOST = (SHAPE, INTERRUPT, TRAFFIC_CONTROL, STREAM_PLACE, STREAM_PACKET)
OF_CONFIG = (COMMIT, setup.COMMAND, setup.MANAGER_STATUS, setup.REQUEST, setup.FREED)


@pytest.mark.parametrize(
    ("page", "layout"),
    [*((PAGE, one) for one in OF_HOST), *((REGISTERS, one) for one in OF_CONFIG)],
)
def test_every_field_has_its_bits(page: str, layout: Layout) -> None:
    documented = tables(page)[layout.name]
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
        f"0x{METER_BASE:X}+0x{METER_WORDS:X}·m",
        f"0x{NODE_BASE:X}+0x{NODE_WORDS:X}·n",
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


_ACCESS = {"r": "read", "w": "write", "rw": "read, write"}


def test_the_words_are_those_of_the_tables() -> None:
    """As they are, and each is in the map of a network."""
    lines = [["part", "word", "access", "content"], ["---"] * 4]
    for part, table in zip(Target, TABLES, strict=True):
        head = f"`{part.name}` {part:d}"
        for word in table:
            at = f"{word:d}{' + k' * (word is EngineWord.IMAGE)} `{word.name}`"
            access = _ACCESS[word.fields[0].access]
            lines.append([head, at, access, word.meaning])
            head = ""
    shown = rows(REGISTERS)
    first = shown.index(lines[0])
    assert shown[first : first + len(lines)] == lines
    made = {word for name in ENGINES for word in mapped(config_map(network(name)).parts)}
    assert made == {(part_of(word).name.lower(), word.name) for word in itertools.chain(*TABLES)}


def mapped(targets: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Yield part and name of each word of a map."""
    for target in targets:
        assert isinstance(target, Block)
        for block in target.parts:
            assert isinstance(block, Block)
            yield from ((block.name, word.name) for word in block.parts)


@pytest.mark.parametrize(
    ("table", "head"), [(StaticWord, "a node has"), (LoaderWord, "The loader has")]
)
def test_the_words_of_a_static_network_are_documented(table: type[WordTable], head: str) -> None:
    text = (DOCS / REGISTERS).read_text(encoding="utf-8")
    lines = re.split(rf"{head}$", text, flags=re.I | re.M)[1].split("\n\n")[1].splitlines()[2:]
    access = {word: _ACCESS[word.fields[0].access] for word in table}
    starts = [f"| {word:d} | `{word.name}` | {access[word]} | " for word in table]
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=True)] == starts


def test_the_status_of_an_engine_is_documented() -> None:
    spec = network("bare").network
    assert isinstance(spec, MessageSpec)
    layout = spec.shape.router.layout.status
    documented = tables(REGISTERS)["engine's status word"]
    lows = {
        name: int(re.split(r"\D", row[1])[-1 if ":" in row[1] else 0])
        for name, row in documented.items()
    }
    assert lows == {field.name: layout.offsets[field.name] for field in layout.fields}


CORES = "microarchitecture-cores.md"


def bare(head: str) -> list[list[str]]:
    """Return the rows of a table of cores, their cells without backticks."""
    return [[cell.strip("`") for cell in row] for row in table(head, CORES)]


def test_words_are_at_their_places() -> None:
    places = {cells[1]: cells[0] for cells in bare("word")}
    for word in core.CoreWord:
        assert places.pop(word.name) == str(word.value)
    bases = {
        "ARRIVE": core.ARRIVE_BASE,
        "WAIT": core.WAIT_BASE,
        "DONE": core.DONE_BASE,
        "LAST": core.LAST_BASE,
        "CONFIG": core.CONFIG_BASE,
    }
    assert {name: int(place.split("+")[0]) for name, place in places.items()} == bases


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
    for name, cell, _ in bare(head):
        high, _, low = cell.partition(":")
        bits[name] = (int(low or high), int(high) - int(low or high) + 1)
    assert bits == {
        field.name: (layout.offsets[field.name], field.width) for field in layout.fields
    }


@pytest.mark.parametrize(
    ("head", "names"), [("fault", core.FaultReason), ("activity", core.Activity)]
)
def test_names_have_their_numbers(head: str, names: type[enum.IntEnum]) -> None:
    told = {cells[1]: int(cells[0]) for cells in bare(head)}
    assert told == {one.name: one.value for one in names if one.name != "NONE"}


def test_sizes_are_told() -> None:
    text = (DOCS / CORES).read_text(encoding="utf-8")
    assert f"queue of {QUEUE_FLITS} flits" in text
    assert re.search(rf"{KEPT_FLITS} are kept.* {KEPT_ACKS} are kept", text)
    assert f"up to {core.MOST_WORDS} words" in text
    assert core.CORE_REGISTERS == 0x4000_0000
