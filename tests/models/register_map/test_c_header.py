"""The header of a network's words in C, against its map."""

import re

import pytest

from syncfabric.models.messages.words import Block
from syncfabric.models.register_map.c_header import c_header
from syncfabric.models.register_map.rdl import config_map
from tests.models.register_map.networks import ENGINES, network


@pytest.mark.parametrize("name", ENGINES)
def test_the_header_in_c_has_each_word_where_the_map_has_it(name: str) -> None:
    spec = network(name)
    text = re.findall(rf"#define {name.upper()}_(\w+) (\d+)u$", c_header(spec), re.MULTILINE)
    defined = {macro: int(value) for macro, value in text}
    blocks = config_map(spec).parts
    parts = [part for block in blocks for part in block.parts]  # type: ignore[union-attr]
    for part in parts:
        assert isinstance(part, Block)
        assert defined[f"TARGET_{part.name.upper()}"] == part.address
        for word in part.parts:
            plain = word.name in ("COMMIT", "IMAGE")
            macro = word.name if plain else f"{part.name.upper()}_{word.name}"
            assert defined[macro] == word.address, macro
    assert 1 << defined["ADDRESS_BITS"] == blocks[0].stride  # type: ignore[union-attr]
