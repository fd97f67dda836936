"""Predictions of results by arrays against sources, sinks and operators word by word."""

import random
from itertools import product

import numpy as np
import pytest

from syncfabric.models.golden.operators import Operators
from syncfabric.models.golden.stream_port import Beat
from syncfabric.models.golden.stream_results import Order, Words, checksum, operand, reduced
from syncfabric.models.golden.stream_traffic import Counts, SourceModel
from syncfabric.models.layout.stream_traffic import COMMAND
from syncfabric.models.layout.streams import HEAD, Function, StreamLayout, Type, built
from tests.mixed import mixed

OPERATIONS = ("integer", "bf16", "fp32", "offload")
SIZE = {Type.INT8: 1, Type.INT16: 2, Type.BF16: 2, Type.INT32: 4, Type.FP32: 4, Type.OFFLOAD: 4}


def layout(bits: int) -> StreamLayout:
    return StreamLayout(1, bits, OPERATIONS, "tree", 4, own=True, offload=mixed())


def words_of(array: Words) -> list[int]:
    return [int.from_bytes(row.tobytes(), "little") for row in array]


def beats(words: list[int], size: int, width: int) -> list[Beat]:
    keeps = [width] * (len(words) - 1) + [size or width]
    last = len(words) - 1
    return [
        Beat(word, (1 << keep) - 1, i == last)
        for i, (word, keep) in enumerate(zip(words, keeps, strict=True))
    ]


@pytest.mark.parametrize("bits", [32, 512])
def test_a_source_makes_what_arrays_say(bits: int) -> None:
    for kind in Type:
        source = SourceModel(layout(bits))
        command = {"seed": 99 * kind, "words": 17, "bytes": 3, "user": HEAD.pack({"type": kind})}
        source.put(COMMAND.pack(command))
        made = []
        while beat := source.offer():
            made.append(beat)
            source.took()
        whole = words_of(operand(99 * kind, 17, layout(bits), kind))
        assert made == [
            beat._replace(user=command["user"])
            for beat in beats([*whole[:-1], whole[-1] & 0xFFFFFF], 3, bits // 8)
        ]


@pytest.mark.parametrize("bits", [32, 256])
def test_a_sink_has_the_checksum_of_arrays(bits: int) -> None:
    counts, rng, before = Counts(), random.Random(1), 0
    for length in (1, 40, 0, 31, 2):
        size = rng.randrange(bits // 8)
        array = operand(length, length, layout(bits), Type.INT32)
        packet = beats(words_of(array), size, bits // 8) if length else [Beat(0, 0, True)]
        for beat in packet:
            counts.take(beat, 0)
        before = checksum(array, size, before)
        assert counts.checksum == before


@pytest.mark.parametrize(("function", "kind"), sorted(built(OPERATIONS)))
def test_results_are_those_of_operators(function: Function, kind: Type) -> None:
    bits = 64
    here = layout(bits)
    combine = Operators(here).of(function, kind)
    orders: tuple[Order, ...] = (2, (0, 1), ((0, 1), (2, 3)), (((0, 1), 2), 3))

    def by_words(order: Order, place: int) -> int:
        if isinstance(order, int):
            return given[order][place]
        return combine(by_words(order[0], place), by_words(order[1], place))

    for order, last in product(orders, (0, SIZE[kind])):
        arrays = {i: operand(1000 * i + last, 50, here, kind) for i in range(4)}
        given = {i: words_of(array) for i, array in arrays.items()}
        mask = (1 << 8 * (last or 8)) - 1
        for words in given.values():
            words[-1] &= mask
        wanted = [by_words(order, place) for place in range(50)]
        wanted[-1] &= mask
        assert words_of(reduced(here, function, kind, arrays, order, last)) == wanted
    assert np.unique(arrays[0]).size > 90
