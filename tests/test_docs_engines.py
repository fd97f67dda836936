"""What docs/registers.md says of the words of engines is what map and layouts say."""

import re

import pytest

from syncfabric.models.layout import setup
from syncfabric.models.layout.engine import COMMIT
from syncfabric.models.messages.layout import Layout
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.register_map.config_port import config_map
from syncfabric.models.register_map.parts import Block, Word
from tests.models.register_map.networks import network
from tests.models.register_map.test_engines import ENGINES
from tests.test_docs import rows, tables

PAGE = "registers.md"
_ACCESS = {"r": "read", "w": "write", "rw": "read, write"}


def test_every_word_is_documented() -> None:
    """The table has the words of all networks together, and no others."""
    shown: set[tuple[str, int, str, str]] = set()
    part = ""
    for row in rows(PAGE, "## Collective engines"):
        part = row[0] or part
        found = re.fullmatch(r"(\d+)(?: \+ k)? `(\w+)`", row[2]) if len(row) == 5 else None
        if found:
            shown.add((part, int(found[1]), found[2], row[3]))
    made: set[tuple[str, int, str, str]] = set()
    for name in ENGINES:
        for target in config_map(network(name)).parts:
            assert isinstance(target, Block)
            for block in target.parts:
                assert isinstance(block, Block)
                part = f"`{block.name.upper()}` {block.address // 32}"
                for word in block.parts:
                    assert isinstance(word, Word)
                    made.add((part, word.address, word.name, _ACCESS[word.fields[0].access]))
    assert shown == made


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
