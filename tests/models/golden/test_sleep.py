"""Sleeping saves time and nothing else: a model that never sleeps says the same."""

import random
from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.mesh import ConfigRequest, MeshModel
from syncfabric.models.golden.network import model_of
from syncfabric.models.messages import CONTROL, NODE_WORD, register_address
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.traffic import rate_word

OPTIONS = [
    {
        "barrier_pipeline": pipeline,
        "sync_links": links,
        "operations": operations,
    }
    for pipeline, links, operations in product((0, 1), ("shared", "own"), ("bitwise", "all"))
]
FIRST = {
    "barrier_pipeline": 0,
    "sync_links": "shared",
    "operations": "bitwise",
}
"""One of the two choices of each."""


def requests(rng: random.Random, network: MeshSpec) -> list[ConfigRequest]:
    """Return images of senseless trees, control words last."""
    found = []
    for node in range(network.width * network.height):
        for _ in range(6):
            slot = rng.randrange(network.barrier_registers)
            for word in (5, 4, 3, 2, 1, 0):
                place = {
                    "x": rng.randrange(network.width),
                    "y": rng.randrange(network.height),
                    "present": rng.random() < 0.4,
                }
                control = {
                    "valid": 1,
                    "root": rng.random() < 0.4,
                    "turn": rng.getrandbits(1),
                    "op": rng.randrange(8),
                    "gid": rng.randrange(4),
                    "epoch": rng.random() < 0.1,
                }
                data = NODE_WORD.pack(place) if word else CONTROL.pack(control)
                address = register_address(slot, word)
                found.append(ConfigRequest(node, address, True, data))
    return found


def case(options: dict[str, Any]) -> Any:
    """Return a case. Half of them, in which still any four options meet in every way, are short."""
    name = "-".join(map(str, options.values()))
    usual = sum(options.get(key) not in (None, first) for key, first in FIRST.items()) % 2 == 0
    return pytest.param(options, id=name, marks=() if usual else pytest.mark.long)


@pytest.mark.parametrize("options", [case(options) for options in OPTIONS])
def test_sleeping_changes_nothing(options: dict[str, Any]) -> None:
    """Random groups that make no sense, random arrivals, config requests and traffic."""
    rng = random.Random(str(options))
    network = MeshSpec(
        kind="mesh", width=3, height=3, barrier_registers=3, buffer_flits=2, **options
    )
    strays = releases = flits = 0
    for _ in range(4):
        model, released = run_two(rng, network)
        strays += sum(router.unit.counters[1] for router in model._routers)
        releases += released
        flits += model.packets.flits_ejected
    assert strays > 0
    assert releases > 0
    assert flits > 500


def run_two(rng: random.Random, network: MeshSpec) -> tuple[MeshModel, int]:
    """Compare two models, one of them kept awake; return the other, and its releases."""
    sleepy, awake = model_of(network), model_of(network)
    assert isinstance(sleepy, MeshModel)
    assert isinstance(awake, MeshModel)
    nodes = range(9)
    todo = requests(rng, network)
    waits, releases = False, 0
    for now in range(800):
        inputs: dict[str, Any] = {"start": now == 5, "load": 1 if now == 3 else None}
        inputs["enable"], inputs["rate"] = now % 400 > 200, rate_word(0.3)
        waits = waits and not sleepy.config_answer[0]
        if todo and not waits and rng.random() < 0.9:
            inputs["config"] = todo.pop(0)
            waits = inputs["config"].address >= 2048
        elif not todo and rng.random() < 0.02:
            todo = requests(rng, network)[:60]
        if now % 100 < 60:
            keys = [(node, r) for node in nodes for r in range(3) if rng.random() < 0.05]
            inputs["arrive"] = {key: rng.getrandbits(4) for key in keys}
        awake._awake.update(nodes)
        assert sleepy.release == awake.release
        releases += len(sleepy.release)
        assert sleepy.config_answer == awake.config_answer
        before = [sleepy.observe(node) for node in nodes]
        sleepy.touched.clear()
        idle = sleepy.idle_until()
        record = sleepy.step(**inputs)
        assert record == awake.step(**inputs)
        if idle is None and not inputs.keys() - {"start", "load", "enable", "rate"}:
            assert record is None
        for node in nodes:
            assert sleepy.observe(node) == awake.observe(node)
            assert node in sleepy.touched or sleepy.observe(node) == before[node]
    return sleepy, releases


def test_skipping_is_stepping() -> None:
    network = MeshSpec(kind="mesh", width=4, height=4)
    stepped, skipped = MeshModel(network), MeshModel(network)
    rate = rate_word(0.002)
    for model in (stepped, skipped):
        model.step(load=5)
    while stepped.cycle < 5000:
        stepped.step(enable=True, rate=rate)
    jumps = 0
    while skipped.cycle < 5000:
        until = skipped.idle_until(enable=True, rate=rate)
        assert until is not None
        if until > skipped.cycle:
            skipped.skip(min(until, 5000) - skipped.cycle, enable=True)
            jumps += 1
        else:
            skipped.step(enable=True, rate=rate)
    assert jumps > 10
    assert stepped.packets.flits_ejected == skipped.packets.flits_ejected > 0
    assert stepped.sources.started == skipped.sources.started
    assert skipped.traffic.step(enable=True, rate=rate) == stepped.traffic.step(
        enable=True, rate=rate
    )
