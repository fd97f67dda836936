"""The map of the config chain has the words, fields and access that the golden model knows."""

import re
from typing import TypeAlias

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout import setup
from syncfabric.models.layout.engine import COMMIT
from syncfabric.models.layout.words import (
    PART_BITS,
    TABLES,
    Target,
)
from syncfabric.models.messages.words import Block
from syncfabric.models.networks.spec import KEYWORDS, MessageSpec
from syncfabric.models.register_map.c_header import c_header
from syncfabric.models.register_map.rdl import config_map, rdl
from tests.models.register_map.elaborated import NOTHING, Register, words_of
from tests.models.register_map.networks import NETWORKS, network

ENGINES = [name for name, keys in NETWORKS.items() if keys["kind"] != "static"]
ONES = 0xFFFF_FFFE
Mapped: TypeAlias = dict[int, Register]


class Chain:
    """A network's config chain, as its golden model answers it."""

    def __init__(self, spec: MessageSpec) -> None:
        self._model = model_of(spec)

    def ask(self, target: int, address: int, data: int | None = None) -> int | None:
        """Read, or write; return what is read (0 of a write), None if it is refused."""
        self._model.step(config=ConfigRequest(target, address, data is not None, data or 0))
        for _ in range(300):
            ready, error, word = self._model.config_answer
            if ready:
                return None if error else word if data is None else 0
            self._model.step()
        raise AssertionError(f"no answer from {target}, {address}")


@pytest.fixture(scope="module", params=ENGINES)
def mapped(request: pytest.FixtureRequest) -> tuple[MessageSpec, Mapped]:
    spec = network(request.param)
    assert isinstance(spec.network, MessageSpec)
    return spec.network, words_of(rdl(config_map(spec), "A map."), f"{spec.name}_config")


def places(spec: MessageSpec) -> list[tuple[int, int, int]]:
    """Return (target, address, address in the map) of everything that can be asked for."""
    words = 1 << spec.layout.config_address_bits
    return [(t, a, t * words + a) for t in range(spec.shape.targets) for a in range(words)]


def test_what_is_read_and_what_it_reads_after_reset(mapped: tuple[MessageSpec, Mapped]) -> None:
    spec, words = mapped
    chain = Chain(spec)
    for target, address, at in places(spec):
        register = words.get(at, NOTHING)
        readable = register.mask("r") | register.mask("rw")
        found = chain.ask(target, address)
        assert (found is not None) == bool(readable), (target, address)
        assert (found or 0) & ~readable == 0, (target, address)
        for field in register.fields.values():
            if "r" in field.access and field.reset is not None:
                value = (found or 0) >> field.low & (1 << field.width) - 1
                assert value == field.reset, (target, address)


def test_what_is_written_and_what_is_kept_of_it(mapped: tuple[MessageSpec, Mapped]) -> None:
    spec, words = mapped
    chain = Chain(spec)
    for target, address, at in places(spec):
        register = words.get(at, NOTHING)
        kept = register.mask("rw")
        taken = [data for data in (ONES, 4, 1) if chain.ask(target, address, data) is not None]
        assert bool(taken) == bool(kept | register.mask("w")), (target, address)
        if kept:
            assert taken == [ONES, 4, 1]
            assert chain.ask(target, address, ONES) == 0
            assert chain.ask(target, address) == kept & ONES, (target, address)


def test_names_and_fields_are_those_of_the_layouts(mapped: tuple[MessageSpec, Mapped]) -> None:
    """Each word is where the tables of words have it, and so is each of its fields."""
    spec, words = mapped
    named = {
        part: {int(word): word.name for word in words}
        for part, words in zip(Target, TABLES, strict=True)
    }
    named[Target.ENGINE] |= {1 + k: "IMAGE" for k in range(spec.shape.router.layout.image_words)}
    layouts = {
        (Target.ENGINE, "COMMIT"): COMMIT,
        (Target.MANAGER, "COMMAND"): setup.COMMAND,
        (Target.MANAGER, "STATUS"): setup.MANAGER_STATUS,
        (Target.MANAGER, "FREED"): setup.FREED,
    }
    for address, register in words.items():
        part, word = divmod(address % (1 << spec.layout.config_address_bits), 32)
        assert part < 1 << PART_BITS
        assert register.name == named[Target(part)][word]
        layout = layouts.get((Target(part), register.name))
        if layout:
            seen = {name: (f.low, f.width) for name, f in register.fields.items()}
            assert seen == {f.name: (layout.offsets[f.name], f.width) for f in layout.fields}


@pytest.mark.parametrize("name", ENGINES)
def test_no_name_is_a_word_of_systemverilog(name: str) -> None:
    words = words_of(rdl(config_map(network(name)), "A map."), f"{name}_config").values()
    names = {word.name for word in words} | {field for word in words for field in word.fields}
    assert not names & KEYWORDS


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
