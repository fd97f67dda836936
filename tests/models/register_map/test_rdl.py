"""Maps of config ports and hosts have the words, fields and access of their models."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.layout import setup
from syncfabric.models.layout.engine import COMMIT
from syncfabric.models.layout.words import PART_BITS, TABLES, Target
from syncfabric.models.messages.host import (
    DATA_BASE,
    HISTOGRAM_BASE,
    INTERRUPT,
    MASK_BASE,
    RESULT_BASE,
    SHAPE,
    TRAFFIC_CONTROL,
    WAIT_BASE,
    GlobalWord,
    HostShape,
    MeterWord,
    NodeWord,
    TrafficWord,
    meter_word,
    node_word_address,
    traffic_word,
)
from syncfabric.models.messages.layout import Layout
from syncfabric.models.messages.static import ROLE_WORD, STATUS_WORD, Role, StaticWord
from syncfabric.models.networks.spec import KEYWORDS, StaticSpec
from syncfabric.models.register_map.rdl import TARGET_WORDS, config_map, host_map, rdl
from tests.models.register_map.elaborated import NOTHING, Register, words_of
from tests.models.register_map.networks import ENGINES, NETWORKS, STATIC, network
from tests.rtl.host.host_model import HostModel, Request

Ask = Callable[[int, int, int | None], int | None]
"""Reads a target's address, or writes; returns what is read, None if it is refused."""


@dataclass(frozen=True)
class Mapped:
    """A map, and what it is compared with.

    Parameters
    ----------
    words : dict of int to Register
        The map, compiled.
    places : sequence of (target, address, address in the map)
        What is asked for.
    model : callable
        Returns what answers, as after reset.
    data : sequence of int
        What is written, first of all every bit that does not make a register valid.
    anew : bool
        Each word is written first of all.
    """

    words: dict[int, Register]
    places: Sequence[tuple[int, int, int]]
    model: Callable[[], Ask]
    data: Sequence[int]
    anew: bool = False


ONES = 0xFFFF_FFFE
SOME = (*range(40), *range(1022, 1032), *range(2046, 2066), *range(4086, 4096))
"""Addresses of a target of a static network: some of each kind, and what lies around them."""


def port(name: str) -> Ask:
    """Return a network's config port, as its golden model answers it."""
    spec = network(name).network
    model = StaticModel(spec) if isinstance(spec, StaticSpec) else model_of(spec)

    def ask(target: int, address: int, data: int | None) -> int | None:
        model.step(config=ConfigRequest(target, address, data is not None, data or 0))
        for _ in range(300):
            ready, error, word = model.config_answer
            if ready:
                return None if error else word if data is None else 0
            model.step()
        raise AssertionError(f"no answer from {target}, {address}")

    return ask


def targets(name: str) -> Sequence[int]:
    """Return the first two targets and the last; of a static network two nodes and the loader."""
    spec = network(name).network
    nodes = len(spec.topology.nodes)
    if isinstance(spec, StaticSpec):
        return 0, nodes - 1, nodes
    return sorted({0, 1, spec.shape.targets - 1})


def of_network(name: str) -> Mapped:
    spec, static = network(name), name in STATIC
    each = TARGET_WORDS if static else 1 << spec.message_network.layout.config_address_bits
    addresses = SOME if static else range(each)
    places = [(t, a, t * each + a) for t in targets(name) for a in addresses]
    words = words_of(rdl(config_map(spec), "A map."), f"{name}_config")
    return Mapped(words, places, lambda: port(name), (ONES,) if static else (ONES, 4, 1))


SHAPES = {
    "plain": HostShape(nodes=3, registers=3, data_bits=5, targets=5, meters=2),
    "masks": HostShape(nodes=17, registers=4, data_bits=0, targets=17, meters=1, broken=True),
    "full": HostShape(nodes=3, registers=32, data_bits=32, targets=3, meters=16, last=True),
    "no meters": HostShape(nodes=1, registers=1, data_bits=1, targets=1, meters=0, traffic=True),
}
HOST_WORDS = [
    *range(40),
    *(meter_word(m, w) for m in (0, 1, 15) for w in (*range(18), *range(0x7FF, 0x805))),
    *(
        node_word_address(n, 32 * k + w)
        for n in (0, 3, 17)
        for k in range(4)
        for w in (*range(7), 31)
    ),
]
"""What is tried, but for the window: some of each kind, and what lies around."""
IDLE = dict.fromkeys(("released", "result", "broken", "config_ready", "config_error"), 0)
COUNTS = dict.fromkeys(("created", "lost", "received", "wrong", "latency"), 0)


def host(shape: HostShape) -> Ask:
    """Return what answers as the model of a host's contract does."""
    model, every = HostModel(shape), (1 << shape.width) - 1
    net = {**IDLE, **COUNTS, "config_rdata": 0, "ready": every, "done": every}

    def ask(_: int, address: int, data: int | None) -> int | None:
        request = Request(address, data is not None, data or 0)
        for _ in range(4):
            model.step(request, net)
            if model.out["ready"]:
                answer = None if model.out["error"] else model.out["rdata"]
                model.step(None, net)
                return answer
        raise AssertionError(address)

    return ask


def of_host(name: str) -> Mapped:
    shape = SHAPES[name]
    words = words_of(rdl(host_map(shape, "net_axi"), "A map."), "net_axi")
    places = [(0, address, address) for address in HOST_WORDS]
    return Mapped(words, places, lambda: host(shape), (0xFFFFFFFF, 0), anew=True)


@cache
def mapped(name: str) -> Mapped:
    return of_host(name) if name in SHAPES else of_network(name)


@pytest.mark.parametrize("name", [*SHAPES, *NETWORKS])
def test_what_is_read_and_what_it_reads_after_reset(name: str) -> None:
    own = mapped(name)
    ask = own.model()
    for target, address, at in own.places:
        register = own.words.get(at, NOTHING)
        readable = register.mask("r") | register.mask("rw")
        found = ask(target, address, None)
        assert (found is not None) == bool(readable), (target, address)
        # What is no field reads 0.
        assert (found or 0) & ~readable == 0, (target, address)
        for part, field in register.fields.items():
            done = name in SHAPES and (register.name, part) == ("DONE", "registers")
            if "r" in field.access and field.reset is not None and not done:
                value = (found or 0) >> field.low & (1 << field.width) - 1
                assert value == field.reset, (target, address)


@pytest.mark.parametrize("name", [*SHAPES, *NETWORKS])
def test_what_is_written_and_what_is_kept_of_it(name: str) -> None:
    own = mapped(name)
    ask, ones = own.model(), own.data[0]
    for target, address, at in own.places:
        ask = own.model() if own.anew else ask
        register = own.words.get(at, NOTHING)
        kept, commands = register.mask("rw"), register.mask("w")
        taken = [data for data in own.data if ask(target, address, data) is not None]
        # Commands of a static network are not all bits: see the next test.
        assert bool(taken) == bool(kept | commands) or (name in STATIC and not kept and not taken)
        if kept and len(taken) == len(own.data):
            ask(target, address, ones)
            assert ask(target, address, None) == kept & ones, (target, address)
        assert name in SHAPES or not kept or len(taken) == len(own.data), (target, address)


@pytest.mark.parametrize("name", STATIC)
def test_commands_of_a_static_network(name: str) -> None:
    """Of the words that keep nothing, those that are for writing take one of these, others none."""
    for target in targets(name):
        ask = port(name)
        ask(target, 0, Role.RING_ROOT)
        for address in SOME:
            register = mapped(name).words.get(target * TARGET_WORDS + address, NOTHING)
            if not register.mask("rw"):
                answers = [ask(target, address, data) for data in (1, 2, 4)]
                took = any(answer is not None for answer in answers)
                assert took == bool(register.mask("w")), (target, address)


@pytest.mark.parametrize("name", [*SHAPES, *NETWORKS])
def test_no_name_is_a_word_of_systemverilog(name: str) -> None:
    words = mapped(name).words.values()
    names = {word.name for word in words} | {field for word in words for field in word.fields}
    assert not names & KEYWORDS


def is_laid_out(register: Register, layout: Layout) -> bool:
    """Whether a word has the fields of a layout, each in its bits."""
    seen = {name: (field.low, field.width) for name, field in register.fields.items()}
    return seen == {each.name: (layout.offsets[each.name], each.width) for each in layout.fields}


@pytest.mark.parametrize("name", ENGINES)
def test_words_of_engines_are_those_of_the_tables(name: str) -> None:
    """Each word is where the tables of words have it, and so is each of its fields."""
    spec = network(name).message_network
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
    for address, register in mapped(name).words.items():
        part, word = divmod(address % (1 << spec.layout.config_address_bits), 32)
        assert part < 1 << PART_BITS
        assert register.name == named[Target(part)][word]
        layout = layouts.get((Target(part), register.name))
        assert layout is None or is_laid_out(register, layout)


def test_words_of_a_static_network_are_those_of_the_layout() -> None:
    """At a node of a network without a watchdog; the names of its counters follow."""
    layouts = {"ROLE": ROLE_WORD, "STATUS": STATUS_WORD}
    first = {address: word for address, word in mapped("circuit").words.items() if address < 8}
    names = {int(word): word.name for word in StaticWord if word is not StaticWord.TIMEOUT}
    assert {address: word.name for address, word in first.items()} == names
    for word in first.values():
        for field in layouts.get(word.name, Layout("", ())).fields:
            seen = word.fields[field.name]
            assert (seen.low, seen.width) == (layouts[word.name].offsets[field.name], field.width)


def test_every_target_of_a_static_network_has_its_words() -> None:
    """Nodes have three words and four counters, the loader three; a watchdog has one more."""
    for name, nodes, words in (("circuit", 4, 7), ("static_watched", 2, 8)):
        counts = Counter(address // TARGET_WORDS for address in mapped(name).words)
        assert counts == {**dict.fromkeys(range(nodes), words), nodes: 3}


@pytest.mark.parametrize("name", SHAPES)
def test_a_target_fits_its_word(name: str) -> None:
    targets = SHAPES[name].targets
    (field,) = mapped(name).words[GlobalWord.CONFIG_NODE].fields.values()
    assert targets - 1 < 1 << field.width
    assert field.width == 1 or targets - 1 >= 1 << field.width - 1


@pytest.mark.parametrize("name", SHAPES)
def test_words_of_a_host_are_those_of_the_layout(name: str) -> None:
    shape = SHAPES[name]
    names = {int(word): word.name for word in GlobalWord}
    if not shape.meters:
        del names[GlobalWord.ARRIVE_ALL]
    if shape.traffic:
        names |= {traffic_word(word): f"TRAFFIC_{word.name}" for word in TrafficWord}
    for m in range(shape.meters):
        names |= {meter_word(m, word): word.name for word in MeterWord}
        names |= {meter_word(m, HISTOGRAM_BASE + bin_): "HISTOGRAM" for bin_ in range(8)}
        last = shape.mask_words - 1
        ragged = shape.width % 32 and last
        names |= {meter_word(m, MASK_BASE + k): "MASK" for k in range(shape.mask_words)}
        names |= {meter_word(m, MASK_BASE + last): "MASK_LAST"} if ragged else {}
    for n in range(shape.nodes):
        there = [word for word in NodeWord if shape.last or word != NodeWord.ARRIVE_LAST]
        names |= {node_word_address(n, word): word.name for word in there}
        for of, base in (("DATA", DATA_BASE), ("RESULT", RESULT_BASE), ("WAIT", WAIT_BASE)):
            if of != "DATA" or shape.data_bits:
                registers = range(base, base + shape.registers)
                names |= {node_word_address(n, word): of for word in registers}
    assert {address: word.name for address, word in mapped(name).words.items()} == names


@pytest.mark.parametrize(
    ("word", "layout"),
    [
        (GlobalWord.SHAPE, SHAPE),
        (GlobalWord.IRQ_STATUS, INTERRUPT),
        (traffic_word(TrafficWord.CONTROL), TRAFFIC_CONTROL),
    ],
)
def test_fields_of_a_host_are_those_of_the_layout(word: int, layout: Layout) -> None:
    assert is_laid_out(mapped("no meters").words[word], layout)
