"""The sink of streams against its golden twin."""

import random

import pytest

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_traffic import SinkModel
from syncfabric.models.layout.stream_traffic import COUNTS, STALLS
from syncfabric.rtl.streams.traffic import StreamSink
from tests.rtl.streams.layouts import layout_of
from tests.rtl.support import SEED, agree

CASES = {f"channels_{k}_bits_{w}": layout_of(k, w) for k, w in ((1, 32), (2, 128), (4, 512))}


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_model(case: str) -> None:
    """Beats of all channels at random, with all patterns that a process port makes, and pauses."""
    layout, rng = CASES[case], random.Random(f"{SEED}/{case}")
    size = layout.bits // 8
    model, cases = SinkModel(layout), []
    expected: list[dict[str, int]] = []
    beat: Beat | None = None
    for cycle in range(600):
        if beat is None and rng.random() < 0.8:
            last, aborts = rng.random() < 0.4, rng.random() < 0.3
            ones = (0 if aborts else rng.randint(0, size)) if last else size
            tid = rng.randrange(layout.channels)
            data = rng.getrandbits(layout.bits)
            beat = Beat(data, (1 << ones) - 1, last, tid, last and aborts)
        inputs = {"cycle": cycle, "set": 0, "axis__tvalid": beat is not None}
        for i, name in enumerate(COUNTS):
            words = (counts.row[i] << 32 * c for c, counts in enumerate(model.counts))
            if not i:
                expected.append({})
            expected[-1][name] = sum(words)
        if beat:
            inputs |= {"axis__tdata": beat.data, "axis__tkeep": beat.keep, "axis__tid": beat.tid}
            inputs |= {"axis__tlast": beat.last, "axis__tuser": beat.user}
            taken = model.accepts()
            expected[-1] |= {"axis__tready": taken, "taken": taken}
            expected[-1]["data"] = beat.data & (1 << 8 * beat.keep.bit_length()) - 1
            if taken:
                model.take(beat, cycle)
                beat = None
        if cycle % 150 == 20:
            settings = {"sink": rng.choice((60, 200)), "seed": rng.getrandbits(16)}
            inputs |= {"set": 1, "stalls": STALLS.pack(settings)}
            model.set(inputs["stalls"])
        cases.append(inputs)
    agree(StreamSink(layout), cases, expected)
    assert all(counts.packets and counts.aborted for counts in model.counts)
