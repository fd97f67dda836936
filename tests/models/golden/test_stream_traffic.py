"""Predictions of results by arrays against sources, sinks and operators word by word."""

import random

import pytest

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_results import Words, checksum, operand
from syncfabric.models.golden.stream_traffic import Counts, SourceModel
from syncfabric.models.layout.stream_traffic import COMMAND
from syncfabric.models.layout.streams import HEAD, StreamLayout, Type
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
