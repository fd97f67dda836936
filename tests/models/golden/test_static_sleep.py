"""A static model that sleeps when it says that it can shows what one does that never sleeps."""

import random
from typing import Any

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.static import LoaderWord
from tests.models.golden.static_bench import mesh_of, random_groups, ready_bench, static

ARRIVALS, APART = 12, 120


@pytest.mark.parametrize("seed", range(12))
def test_sleep(seed: int) -> None:
    rng = random.Random(seed)
    buffers = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    spec = static(rng.randint(2, 4), rng.randint(2, 4), buffers)
    groups = random_groups(rng, mesh_of(spec))
    awake, asleep = (ready_bench(spec, *groups).model for _ in range(2))
    members = [spec.topology.index(node) for group in groups for node in group.members]
    shown: list[tuple[object, ...]] = []

    def show(model: StaticModel, record: object) -> None:
        if record is not None or model.config_answer[0]:
            state = [model.observe(node) for node in range(len(spec.topology.nodes))]
            shown.append((model.cycle, record, tuple(model.release), model.config_answer, *state))

    inputs: dict[int, dict[str, Any]] = {}
    for _ in range(ARRIVALS):
        moment = awake.cycle + rng.randrange(1, ARRIVALS * APART)
        shift = ConfigRequest(len(spec.topology.nodes), LoaderWord.SHIFT, True, rng.getrandbits(32))
        inputs[moment] = {
            "arrive": {(node, 0): 0 for node in members if rng.random() < 0.8},
            "config": shift if rng.random() < 0.5 else None,
        }
    end = awake.cycle + ARRIVALS * APART + 400
    while awake.cycle < end:
        show(awake, awake.step(**inputs.get(awake.cycle, {})))
    seen, steps = shown, 0
    shown = []
    while asleep.cycle < end:
        now, stirs = asleep.cycle, asleep.idle_until()
        ahead = [cycle for cycle in inputs if cycle >= now]
        until = min([end, *ahead, *([] if stirs is None else [stirs])])
        if until > now:
            asleep.skip(until - now)
            if asleep.config_answer[0] and asleep.cycle < end:
                show(asleep, None)
            continue
        steps += 1
        show(asleep, asleep.step(**inputs.get(now, {})))
    assert shown == seen
    assert steps < ARRIVALS * APART
