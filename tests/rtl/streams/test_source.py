"""The source of streams against its golden twin, and what it makes against arrays."""

import random

import numpy as np
import pytest

from syncfabric.models.golden.stream_results import operand
from syncfabric.models.golden.stream_traffic import SourceModel
from syncfabric.models.layout.stream_traffic import COMMAND, STALLS
from syncfabric.models.layout.streams import HEAD, Type
from syncfabric.rtl.streams.traffic import StreamSource
from tests.rtl.streams.layouts import layout_of
from tests.rtl.support import SEED, clocked

CASES = {f"channels_{k}_bits_{w}": layout_of(k, w) for k, w in ((1, 32), (2, 64), (4, 512))}


@pytest.mark.parametrize("stalls", [0, 100])
@pytest.mark.parametrize("case", CASES)
def test_agrees_with_model(case: str, stalls: int) -> None:
    """Packets of all kinds, taken at random; beats are kept until they are."""
    layout, rng = CASES[case], random.Random(f"{SEED}/{case}/{stalls}")
    model, cases, expected = SourceModel(layout), [], []
    data: dict[int, tuple[int, int]] = {}
    ahead = kinds = 0
    for cycle in range(700):
        inputs: dict[str, int] = {"put": 0, "set": 0, "axis__tready": rng.random() < 0.7}
        beat = model.offer()
        wanted: dict[str, int] = {"axis__tvalid": beat is not None}
        if beat:
            wanted |= {"axis__tkeep": beat.keep, "axis__tlast": beat.last, "axis__tid": beat.tid}
            wanted |= {"axis__tuser": beat.user}
            inside = (1 << 8 * beat.keep.bit_length()) - 1
            data[cycle] = inside, beat.data
            if inputs["axis__tready"]:
                model.took()
                ahead -= beat.last
        if ahead < 5 and rng.random() < 0.2:
            kind = rng.choice((*Type,))
            kinds |= 1 << kind
            words = rng.choice((0, 1, 2, rng.randint(3, 20)))
            command = {
                "seed": rng.getrandbits(32),
                "words": words,
                "bytes": rng.randrange(layout.bits // 8) if words else 0,
                "user": HEAD.pack({"function": rng.randrange(8), "type": kind, "takes": 1}),
                "tid": rng.randrange(layout.channels),
            }
            inputs |= {"put": 1, "command": COMMAND.pack(command)}
            model.put(inputs["command"])
            ahead += 1
        if cycle % 100 == 5 and stalls:
            settings = {"source": rng.choice((0, stalls, 250)), "seed": rng.getrandbits(16)}
            inputs |= {"set": 1, "stalls": STALLS.pack(settings)}
            model.set(inputs["stalls"])
        cases.append(inputs)
        expected.append(wanted)
    seen = clocked(StreamSource(layout), cases)
    for cycle, (row, wanted) in enumerate(zip(seen, expected, strict=True)):
        assert {name: row[name] for name in wanted} == wanted, cycle
    for cycle, (inside, word) in data.items():
        assert seen[cycle]["axis__tdata"] & inside == word, cycle
    assert len(data) > 50
    assert kinds.bit_count() == len(Type)


@pytest.mark.parametrize("kind", [Type.INT16, Type.BF16, Type.FP32])
@pytest.mark.parametrize("case", CASES)
def test_operands_are_those_of_arrays(case: str, kind: Type) -> None:
    layout, words = CASES[case], 40
    command = {"seed": 0xFFFF_FFF0, "words": words, "user": HEAD.pack({"type": kind})}
    begin = {"put": 1, "command": COMMAND.pack(command), "axis__tready": 1}
    rows = clocked(StreamSource(layout), [begin, *([{"put": 0}] * words)])[1:]
    data = b"".join(row["axis__tdata"].to_bytes(layout.bits // 8, "little") for row in rows)
    wanted = operand(0xFFFF_FFF0, words, layout, kind)
    assert data == wanted.tobytes()
    if kind == Type.FP32:
        sizes = np.abs(wanted.view(np.float32))
        assert sizes.min() >= 2**-7
        assert sizes.max() < 2
