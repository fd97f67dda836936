"""The map of a static network has the addresses, fields and access that its golden model knows."""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages import ROLE_WORD, STATUS_WORD, Layout, Role, StaticWord
from syncfabric.models.networks.spec import KEYWORDS, NetworkSpec, StaticSpec
from syncfabric.models.register_map.rdl import TARGET_WORDS, config_map, rdl
from tests.models.register_map.elaborated import NOTHING, Register, words_of
from tests.models.register_map.networks import NETWORKS, network

WORDS = [*range(40), *range(1022, 1032), *range(2046, 2066), *range(4086, 4096)]
"""Addresses of a target that are tried: some of each kind, and what lies around them."""

STATIC = [name for name, keys in NETWORKS.items() if keys["kind"] == "static"]

ONES = 0xFFFF_FFFE
"""All bits, but that which makes a register valid."""


Mapped: TypeAlias = dict[int, Register]


class Port:
    """A network's config port, as its golden model answers it."""

    def __init__(self, spec: NetworkSpec) -> None:
        assert isinstance(spec.network, StaticSpec)
        self._model = StaticModel(spec.network)

    def ask(self, target: int, address: int, data: int | None = None) -> int | None:
        """Read, or write; return what is read (0 of a write), None if it is refused."""
        request = ConfigRequest(target, address, data is not None, data or 0)
        self._model.step(config=request)
        for _ in range(50):
            ready, error, word = self._model.config_answer
            if ready:
                return None if error else word
            self._model.step()
        raise AssertionError(f"no answer from {target}, {address}")


def targets(spec: NetworkSpec) -> Iterator[int]:
    """Yield the first node, the last, and the loader."""
    nodes = len(spec.network.topology.nodes)
    yield from (0, nodes - 1, nodes)


def elaborated(name: str) -> Mapped:
    return words_of(rdl(config_map(network(name)), "A map."), f"{name}_config")


@pytest.fixture(scope="module", params=STATIC)
def mapped(request: pytest.FixtureRequest) -> tuple[NetworkSpec, Mapped]:
    return network(request.param), elaborated(request.param)


def here(words: Mapped, target: int, address: int) -> Register:
    return words.get(target * TARGET_WORDS + address, NOTHING)


def test_what_is_read_and_what_it_reads_after_reset(mapped: tuple[NetworkSpec, Mapped]) -> None:
    spec, words = mapped
    port = Port(spec)
    for target in targets(spec):
        for address in WORDS:
            register = here(words, target, address)
            readable = register.mask("r") | register.mask("rw")
            found = port.ask(target, address)
            assert (found is not None) == bool(readable), (target, address)
            # What is no field reads 0.
            assert (found or 0) & ~readable == 0, (target, address)
            for f in register.fields.values():
                if "r" in f.access and f.reset is not None:
                    assert (found or 0) >> f.low & (1 << f.width) - 1 == f.reset, (target, address)


def test_what_is_written_and_what_is_kept_of_it(mapped: tuple[NetworkSpec, Mapped]) -> None:
    spec, words = mapped
    port = Port(spec)
    for target in targets(spec):
        for address in WORDS:
            register = here(words, target, address)
            kept = register.mask("rw")
            if port.ask(target, address, ONES) is None:
                assert not kept, (target, address)
            elif kept:
                assert port.ask(target, address) == kept & ONES, (target, address)
            else:
                assert register.mask("w"), (target, address)


def test_commands(mapped: tuple[NetworkSpec, Mapped]) -> None:
    """Of the words that keep nothing, those that are for writing take one of these, others none."""
    spec, words = mapped
    for target in targets(spec):
        port = Port(spec)
        port.ask(target, 0, Role.RING_ROOT)
        for address in WORDS:
            register = here(words, target, address)
            if register.mask("rw"):
                continue
            answers = [port.ask(target, address, data) for data in (1, 2, 4)]
            took = any(answer is not None for answer in answers)
            assert took == bool(register.mask("w")), (target, address)


def test_names_and_fields_are_those_of_the_layout() -> None:
    """At a node of a network without a watchdog; the names of its counters follow."""
    layouts = {"ROLE": ROLE_WORD, "STATUS": STATUS_WORD}
    first = {address: word for address, word in elaborated("circuit").items() if address < 8}
    names = {int(word): word.name for word in StaticWord if word is not StaticWord.PATIENCE}
    assert {address: word.name for address, word in first.items()} == names
    for word in first.values():
        for field in layouts.get(word.name, Layout("", ())).fields:
            seen = word.fields[field.name]
            assert (seen.low, seen.width) == (layouts[word.name].offsets[field.name], field.width)


@pytest.mark.parametrize("name", STATIC)
def test_no_name_is_a_word_of_systemverilog(name: str) -> None:
    words = elaborated(name).values()
    names = {word.name for word in words} | {field for word in words for field in word.fields}
    assert not names & KEYWORDS


def test_every_target_has_its_words() -> None:
    """Nodes have three words and four counters, the loader three; a watchdog has one more."""
    for name, nodes, words in (("circuit", 4, 7), ("static_watched", 2, 8)):
        counts = Counter(address // TARGET_WORDS for address in elaborated(name))
        assert counts == {**dict.fromkeys(range(nodes), words), nodes: 3}
