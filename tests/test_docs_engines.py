"""What docs/registers.md says of words is what tables and layouts say."""

import itertools
import re
from collections.abc import Iterator, Sequence

import pytest

from syncfabric.models.layout import setup
from syncfabric.models.layout.engine import COMMIT
from syncfabric.models.layout.words import TABLES, EngineWord, Target, part_of
from syncfabric.models.messages import LoaderWord, StaticWord
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.words import Block, Part, WordTable
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.register_map.config_port import config_map
from tests.models.register_map.networks import network
from tests.models.register_map.test_engines import ENGINES
from tests.test_docs import DOCS, tables

PAGE = "registers.md"
_ACCESS = {"r": "read", "w": "write", "rw": "read, write"}


def test_the_words_are_those_of_the_tables() -> None:
    """As they are, and each is in the map of a network."""
    lines = ["| part | word | access | content |", "| --- | --- | --- | --- |"]
    for part, table in zip(Target, TABLES, strict=True):
        head = f"`{part.name}` {part:d} "
        for word in table:
            at = f"{word:d}{' + k' * (word is EngineWord.IMAGE)} `{word.name}`"
            access = _ACCESS[word.fields[0].access]
            lines.append(f"| {head}| {at} | {access} | {word.meaning} |")
            head = ""
    assert "\n".join(lines) in (DOCS / PAGE).read_text(encoding="utf-8")
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
    text = (DOCS / PAGE).read_text(encoding="utf-8")
    lines = re.split(rf"{head}$", text, flags=re.I | re.M)[1].split("\n\n")[1].splitlines()[2:]
    access = {word: _ACCESS[word.fields[0].access] for word in table}
    starts = [f"| {word:d} | `{word.name}` | {access[word]} | " for word in table]
    assert [line[: len(start)] for line, start in zip(lines, starts, strict=True)] == starts


@pytest.mark.parametrize(
    "layout", [COMMIT, setup.COMMAND, setup.MANAGER_STATUS, setup.REQUEST, setup.FREED]
)
def test_every_field_is_documented(layout: Layout) -> None:
    documented = tables(PAGE)[layout.name]
    bits = {}
    for field in layout.fields:
        low = layout.offsets[field.name]
        bits[field.name] = f"{low + field.width - 1}:{low}" if field.width > 1 else str(low)
    assert {name: row[1] for name, row in documented.items()} == bits


def test_the_status_of_an_engine_is_documented() -> None:
    spec = network("bare").network
    assert isinstance(spec, MessageSpec)
    layout = spec.shape.router.layout.status
    documented = tables(PAGE)["engine's status word"]
    lows = {
        name: int(re.split(r"\D", row[1])[-1 if ":" in row[1] else 0])
        for name, row in documented.items()
    }
    assert lows == {field.name: layout.offsets[field.name] for field in layout.fields}
