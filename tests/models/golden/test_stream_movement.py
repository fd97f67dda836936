"""Streams of whole networks: what is left out of a step for being idle changes nothing."""

import random
from functools import partial
from typing import Any

import pytest

from syncfabric.models.golden.record import Beat, Record
from syncfabric.models.golden.streams import ProcessStreams, RouterStreams
from tests.models.golden.planes.nets import (
    draw_irregular,
    draw_mesh,
    set_up_writes,
)
from tests.models.golden.planes.network_bench import Bench
from tests.models.golden.planes.test_streams import group_of, streams_of
from tests.models.golden.stream_bench import packet


def _at_times(pattern: int, now: int) -> bool:
    return bool(pattern >> now % 16 & 1)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_as_if_all_were_stepped(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out of a step for being idle changes nothing."""

    def run() -> tuple[dict[int, Record], list[list[tuple[int, Beat]]]]:
        rng = random.Random(seed)
        fixed: dict[str, Any] = {
            "wires": 2,
            "streams": rng.choice((1, 2)),
            "groups": 2,
            "operations": "none",
        }
        fixed |= {"data_bits": 0, "watchdog": rng.choice((0, 100))}
        fixed |= {"transport": "link"}
        fixed |= {"stream_join": rng.choice(("tree", "serial"))}
        bench = Bench((draw_mesh if seed % 2 else draw_irregular)(rng, **fixed))
        streams, groups = streams_of(bench), []
        for slot in range(bench.shape.router.streams):
            nodes = len(bench.shape.nodes)
            members = tuple(rng.sample(range(nodes), rng.randint(1, nodes)))
            groups.append(group_of(bench, slot, members))
            for request in set_up_writes(bench.shape, groups[-1]):
                bench.ask(request)
            bench.run(40)
        for process in streams.processes:
            pattern = rng.getrandbits(16) | 1
            process.ready = partial(_at_times, pattern)
        for _ in range(4):
            slot = rng.randrange(len(groups))
            length = rng.randint(0, 30)
            for i in groups[slot].members:
                beats = packet([rng.getrandbits(32) for _ in range(length)], slot)
                streams.put(i, beats, bench.now, bench.now + rng.randint(0, 60))
            bench.run(rng.randint(0, 100))
        bench.run(400)
        return bench.records, [process.received for process in streams.processes]

    records, beats = run()
    assert any(beats)
    monkeypatch.setattr(RouterStreams, "is_idle", False)
    monkeypatch.setattr(ProcessStreams, "is_idle", False)
    assert run() == (records, beats)
