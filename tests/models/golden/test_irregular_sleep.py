"""Sleeping saves time and nothing else: an irregular model that never sleeps says the same."""

import random
from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.irregular import ConfigRequest, IrregularModel
from syncfabric.models.messages import CONTROL, TREE, SwitchWord, register_address
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.traffic import rate_word
from tests.models.golden.irregular_bench import random_network, star

OPTIONS = [
    {"cycles_per_hop": hop, "operations": operations}
    for hop, operations in product((1, 2), ("bitwise", "all"))
]


def requests(rng: random.Random, network: IrregularSpec) -> list[ConfigRequest]:
    """Return images of senseless trees, control words last."""
    found, nodes = [], len(network.nodes)
    for target in range(nodes + network.switches):
        ports = 2 if target < nodes else network.ports
        for _ in range(6):
            slot = rng.randrange(network.barrier_registers)
            tree = TREE.pack(
                {
                    "parent": rng.randrange(ports) if target >= nodes else 0,
                    "children": rng.randrange(1 << ports) if rng.random() < 0.6 else 2,
                }
            )
            control = CONTROL.pack(
                {
                    "valid": 1,
                    "root": rng.random() < 0.3,
                    "op": rng.randrange(8),
                    "gid": slot,
                    "epoch": rng.random() < 0.1,
                }
            )
            for word, data in ((SwitchWord.TREE, tree), (SwitchWord.CONTROL, control)):
                address = register_address(slot, word)
                found.append(ConfigRequest(target, address, True, data))
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
def test_sleeping_changes_nothing(options: dict[str, Any]) -> None:
    """Random groups that make no sense, random arrivals, config requests and traffic."""
    rng = random.Random(str(options))
    strays = releases = flits = 0
    for _ in range(4):
        network = random_network(
            rng, barrier_registers=3, buffer_flits=2, channels=rng.choice((1, 2)), **options
        )
        model, released = run_two(rng, network)
        nodes = len(network.nodes)
        strays += sum(place.unit.counters[1] for place in model._routers[nodes:])
        releases += released
        flits += model.packets.flits_ejected
    assert strays > 0
    assert releases > 0
    assert flits > 500


def run_two(rng: random.Random, network: IrregularSpec) -> tuple[IrregularModel, int]:
    """Compare two models, one of them kept awake; return the other, and its releases."""
    sleepy, awake = IrregularModel(network), IrregularModel(network)
    nodes = range(len(network.nodes))
    targets = range(len(network.nodes) + network.switches)
    todo = requests(rng, network)
    releases = 0
    for now in range(500):
        inputs: dict[str, Any] = {"start": now == 5, "load": 1 if now == 3 else None}
        inputs["enable"], inputs["rate"] = now % 250 > 100, rate_word(0.3)
        if todo and rng.random() < 0.9:
            inputs["config"] = todo.pop(0)
        elif not todo and rng.random() < 0.02:
            todo = requests(rng, network)[:30]
        if now % 100 < 60:
            keys = [(node, r) for node in nodes for r in range(3) if rng.random() < 0.1]
            inputs["arrive"] = {key: rng.getrandbits(6) for key in keys}
        awake._awake.update(targets)
        assert sleepy.release == awake.release
        releases += len(sleepy.release)
        assert sleepy.config_answer == awake.config_answer
        before = [sleepy.observe(target) for target in targets]
        sleepy.touched.clear()
        idle = sleepy.idle_until()
        record = sleepy.step(**inputs)
        assert record == awake.step(**inputs)
        if idle is None and not inputs.keys() - {"start", "load", "enable", "rate"}:
            assert record is None
        for target in targets:
            assert sleepy.observe(target) == awake.observe(target)
            assert target in sleepy.touched or sleepy.observe(target) == before[target]
    return sleepy, releases


def test_skipping_is_stepping() -> None:
    network = star(buffer_flits=2)
    stepped, skipped = IrregularModel(network), IrregularModel(network)
    rate = rate_word(0.005)
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
