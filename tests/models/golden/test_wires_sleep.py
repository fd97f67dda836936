"""The model of barrier wires sleeps over cycles in which nothing changes, and says how long."""

import random

import pytest

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.wires import WireModel, WireRecord
from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.wire_race import random_place
from tests.models.golden.wire_trees import draw_tree

Line = tuple[int, WireRecord | None, list[tuple[int, int, int]], tuple[bool, bool, int]]


def play(seed: int, *, sleeps: bool) -> tuple[list[Line], int]:
    """Return what is new in each cycle of a play by chance, and the cycles stepped."""
    rng = random.Random(seed)
    place = random_place(rng)
    plane = WirePlane(2, 1, rng.randrange(4), watchdog=rng.choice((0, 20, 90)))
    model = WireModel(place.wiring, plane)
    nodes = [unit for unit, (_, process) in enumerate(place.units) if process]
    tree = draw_tree(rng, place, nodes)
    assert tree is not None
    configs = {}
    for unit in tree.parent:
        for word, data in enumerate(reversed(tree.words(unit, 1, 0))):
            configs[rng.randrange(40 * (1 - word), 40 + 40 * (1 - word))] = (unit, word, data)
    arrivals = {rng.randrange(80, 1500): rng.choice(nodes) for _ in range(60)}
    lines: list[Line] = []
    steps, shown = 0, None
    while model.cycle < 1800:
        now = model.cycle
        record = model.record()
        if record != shown or model.release or model.config_answer[0]:
            lines.append((now, record, model.release, model.config_answer))
            shown = record
        events = [cycle for cycle in (*configs, *arrivals, 1800) if cycle >= now]
        wake = model.idle_until()
        ahead = min(events) if wake is None else min(wake, *events)
        if sleeps and ahead > now:
            model.skip(ahead - now)
            continue
        steps += 1
        config = None
        if now in configs:
            unit, word, data = configs[now]
            config = ConfigRequest(unit, word, True, data)
        arrive = {(arrivals[now], 0): now & 1} if now in arrivals else {}
        model.step(arrive=arrive, config=config)
    return lines, steps


@pytest.mark.parametrize("seed", range(12))
def test_sleeping_changes_nothing(seed: int) -> None:
    lines, steps = play(seed, sleeps=False)
    again, fewer = play(seed, sleeps=True)
    assert again == lines
    assert fewer < steps


def test_quiet_wires_are_the_same_object() -> None:
    """So whoever compares them need not look again."""
    rng = random.Random(5)
    place = random_place(rng)
    model = WireModel(place.wiring, WirePlane(1, 0))
    nodes = [unit for unit, (_, process) in enumerate(place.units) if process]
    tree = draw_tree(rng, place, nodes)
    assert tree is not None
    assert len(nodes) > 1
    for unit in tree.parent:
        image, control = tree.words(unit, 0, 0)
        model.step(config=ConfigRequest(unit, 1, True, image))
        model.step(config=ConfigRequest(unit, 0, True, control))
    leaf = max(nodes, key=lambda node: tree.depth.get(node, 0))
    model.step()
    model.step(arrive={(leaf, 0): 0})
    for _ in range(20):
        model.step()
    assert model.idle_until() is None
    record = model.step()
    assert record is not None
    assert record.up
    assert model.step() is record
