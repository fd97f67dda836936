"""The map of the config port has the addresses, fields and access that the golden models know."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages import (
    ARRIVED,
    COMMAND_WORD,
    CONTROL,
    LIFE,
    MANAGER_BASE,
    NODE_WORD,
    PARENT_WORD,
    PENDING,
    REGISTER_WORDS,
    ROLE_WORD,
    STATUS,
    STATUS_WORD,
    TREE,
    WIRE_STATUS,
    Layout,
    ManagerWord,
    RegisterWord,
    Role,
    StaticWord,
    SwitchWord,
    WireWord,
)
from syncfabric.models.networks.reserved import KEYWORDS
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.register_map.config_port import TARGET_WORDS, config_map
from syncfabric.models.register_map.rdl import rdl
from tests.models.register_map.elaborated import NOTHING, Register, Seen, words_of
from tests.models.register_map.networks import NETWORKS, network

WORDS = [*range(40), *range(1022, 1032), *range(1054, 1066), *range(2046, 2066), *range(4086, 4096)]
"""Addresses of a target that are tried: some of each kind, and what lies around them."""

ONES = 0xFFFF_FFFE
"""All bits, but that which makes a register valid."""


Mapped: TypeAlias = dict[int, Register]


class Port:
    """A network's config port, as its golden model answers it."""

    def __init__(self, spec: NetworkSpec) -> None:
        net = spec.network
        self._model: Any = StaticModel(net) if isinstance(net, StaticSpec) else model_of(net)

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
    """Yield a target of each kind, and the last; managers, and what is beside them."""
    net = spec.network
    nodes = len(net.topology.nodes)
    if isinstance(net, StaticSpec):
        yield from (0, nodes - 1, nodes)
        return
    yield from sorted({0, nodes - 1} | {net.topology.index(node) for node in net.manager_nodes})
    if net.kind == "irregular":
        yield from (nodes, nodes + net.switches - 1)


def elaborated(name: str) -> Mapped:
    return words_of(rdl(config_map(network(name)), "A map."), f"{name}_config")


@pytest.fixture(scope="module", params=NETWORKS)
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
        if isinstance(spec.network, StaticSpec):
            port.ask(target, 0, Role.RING_ROOT)
        for address in WORDS:
            register, first = here(words, target, address), address - address % REGISTER_WORDS
            if register.mask("rw"):
                continue
            if "valid" in here(words, target, first).fields:
                port.ask(target, first, 1)
            answers = [port.ask(target, address, data) for data in (1, 2, 4)]
            took = any(answer is not None for answer in answers)
            assert took == bool(register.mask("w")), (target, address)


LAYOUTS = {
    "mesh": {
        **dict.fromkeys(("EAST", "NORTH", "WEST", "SOUTH"), NODE_WORD),
        "CONTROL": CONTROL,
        "PARENT": PARENT_WORD,
        "STATUS": STATUS,
    },
    "switches_managed": {
        "CONTROL": CONTROL,
        "TREE": TREE,
        "ARRIVED": ARRIVED,
        "PENDING": PENDING,
    },
    "mesh_wires": {"CONTROL": CONTROL, "TREE": TREE, "STATUS": WIRE_STATUS},
    "circuit": {"ROLE": ROLE_WORD, "STATUS": STATUS_WORD},
}
GONE = {"turn": {"switches_managed", "mesh_wires"}, "present": {"mesh"}}
"""Fields that are not kept: of an image that has no turn, and of a parent's word."""


@pytest.mark.parametrize("name", LAYOUTS)
def test_names_and_fields_are_those_of_the_layout(name: str) -> None:
    words = elaborated(name)
    kinds = {"mesh": RegisterWord, "switches_managed": SwitchWord, "mesh_wires": WireWord}
    first = {address: word for address, word in words.items() if address < REGISTER_WORDS}
    names = {int(word): word.name for word in kinds.get(name, StaticWord)}
    if name == "circuit":
        del names[StaticWord.PATIENCE]
    if name == "switches_managed":
        names[COMMAND_WORD] = "COMMAND"
    assert {address: word.name for address, word in first.items()} == names
    for word in first.values():
        layout = LAYOUTS[name].get(word.name, Layout("", ()))
        for field in layout.fields:
            seen = word.fields.get("local_" if field.name == "local" else field.name)
            if seen is None:
                assert name in GONE[field.name], field.name
                assert field.name != "present" or word.name == "PARENT"
                continue
            assert seen.low == layout.offsets[field.name]
            assert seen.width <= field.width


@pytest.mark.parametrize("name", NETWORKS)
def test_no_name_is_a_word_of_systemverilog(name: str) -> None:
    words = elaborated(name).values()
    names = {word.name for word in words} | {field for word in words for field in word.fields}
    assert not names & KEYWORDS


def test_life_stands_above_the_state_where_managers_set_up() -> None:
    words = elaborated("mesh_managed")
    status = words[RegisterWord.STATUS].fields
    for field in LIFE.fields:
        low = STATUS.width + LIFE.offsets[field.name]
        assert status[field.name] == Seen(low, field.width, "r", 0)
    assert status["command"] == Seen(0, 32, "w")


def test_every_target_has_its_words() -> None:
    words = elaborated("mesh_managed")
    registers, counters = 4 * 8, 4
    of_node = registers + counters
    counts = Counter(address // TARGET_WORDS for address in words)
    managers = {1, 4}
    assert counts == {n: of_node + 5 * (n in managers) for n in range(6)}
    manager = MANAGER_BASE + TARGET_WORDS
    assert [words[manager + word].name for word in ManagerWord] == [w.name for w in ManagerWord]
