"""The map of a host has the words, fields and access of the model of its contract."""

from typing import TypeAlias

import pytest

from syncfabric.models.messages import Layout
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
from syncfabric.models.register_map.rdl import host_map, rdl
from tests.models.register_map.elaborated import NOTHING, Register, words_of
from tests.rtl.host.host_model import HostModel, Request

SHAPES = {
    "plain": HostShape(nodes=3, registers=3, data_bits=5, targets=5, meters=2),
    "masks": HostShape(nodes=17, registers=4, data_bits=0, targets=17, meters=1, broken=True),
    "full": HostShape(nodes=3, registers=32, data_bits=32, targets=3, meters=16, last=True),
    "bare": HostShape(nodes=1, registers=1, data_bits=1, targets=1, meters=0, traffic=True),
}

PAGES = (0, DATA_BASE, RESULT_BASE, WAIT_BASE)

WORDS = [
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

Mapped: TypeAlias = tuple[HostShape, dict[int, Register]]

IDLE = dict.fromkeys(("released", "result", "broken", "config_ready", "config_error"), 0)
COUNTS = dict.fromkeys(("created", "lost", "received", "wrong", "latency"), 0)


def ask(model: HostModel, address: int, data: int | None = None) -> int | None:
    """Read, or write; return what is read (0 of a write), None if it is refused."""
    every = (1 << model.shape.width) - 1
    net = {**IDLE, **COUNTS, "config_rdata": 0, "ready": every, "done": every}
    request = Request(address, data is not None, data or 0)
    for _ in range(4):
        model.step(request, net)
        if model.out["ready"]:
            answer = None if model.out["error"] else model.out["rdata"]
            model.step(None, net)
            return answer
    raise AssertionError(address)


def elaborated(shape: HostShape) -> dict[int, Register]:
    return words_of(rdl(host_map(shape, "net_axi"), "A map."), "net_axi")


@pytest.fixture(scope="module", params=SHAPES)
def mapped(request: pytest.FixtureRequest) -> Mapped:
    shape = SHAPES[request.param]
    return shape, elaborated(shape)


def test_what_is_read_and_what_it_reads_after_reset(mapped: Mapped) -> None:
    shape, words = mapped
    model = HostModel(shape)
    for address in WORDS:
        register = words.get(address, NOTHING)
        readable = register.mask("r") | register.mask("rw")
        found = ask(model, address)
        assert (found is not None) == bool(readable), hex(address)
        assert (found or 0) & ~readable == 0, hex(address)
        for name, field in register.fields.items():
            done = name == "registers" and register.name == "DONE"
            if "r" in field.access and field.reset is not None and not done:
                value = (found or 0) >> field.low & (1 << field.width) - 1
                assert value == field.reset, (hex(address), name)


def test_what_is_written_and_what_is_kept_of_it(mapped: Mapped) -> None:
    shape, words = mapped
    for address in WORDS:
        model, register = HostModel(shape), words.get(address, NOTHING)
        answers = {data: ask(model, address, data) for data in (0xFFFFFFFF, 0)}
        took = [data for data, answer in answers.items() if answer is not None]
        kept = register.mask("rw")
        assert bool(took) == bool(kept | register.mask("w")), hex(address)
        if len(took) == 2 and kept:
            ask(model, address, 0xFFFFFFFF)
            assert ask(model, address) == kept, hex(address)


def test_a_target_fits_its_word(mapped: Mapped) -> None:
    shape, words = mapped
    (field,) = words[GlobalWord.CONFIG_NODE].fields.values()
    assert shape.targets - 1 < 1 << field.width
    assert field.width == 1 or shape.targets - 1 >= 1 << field.width - 1


def test_names_are_those_of_the_layout(mapped: Mapped) -> None:
    shape, words = mapped
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
        for name, base in (("DATA", DATA_BASE), ("RESULT", RESULT_BASE), ("WAIT", WAIT_BASE)):
            if name != "DATA" or shape.data_bits:
                registers = range(base, base + shape.registers)
                names |= {node_word_address(n, word): name for word in registers}
    assert {address: word.name for address, word in words.items()} == names


@pytest.mark.parametrize(
    ("word", "layout"),
    [
        (GlobalWord.SHAPE, SHAPE),
        (GlobalWord.IRQ_STATUS, INTERRUPT),
        (traffic_word(TrafficWord.CONTROL), TRAFFIC_CONTROL),
    ],
)
def test_fields_are_those_of_the_layout(word: int, layout: Layout) -> None:
    words = elaborated(SHAPES["bare"])
    seen = {name: (field.low, field.width) for name, field in words[word].fields.items()}
    assert seen == {
        field.name: (layout.offsets[field.name], field.width) for field in layout.fields
    }
