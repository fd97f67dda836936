"""In every cycle the model of barrier wires agrees with a literal reading of the contract."""

import random
from collections import Counter

import pytest

from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.wire_race import WireRace, random_place
from tests.models.golden.wire_trees import draw_tree

PLAY = 400


def random_plane(rng: random.Random) -> WirePlane:
    return WirePlane(
        slots=rng.choice((1, 2, 3)),
        data_bits=rng.choice((0, 1, 4)),
        link_registers=rng.randrange(4),
        shared=rng.random() < 0.5,
        parity=rng.random() < 0.5,
        watchdog=rng.choice((0, 0, 1, 7, 30)),
    )


def random_image(rng: random.Random, links: int) -> int:
    """Draw a tree word, often one of few children."""
    children = rng.getrandbits(links + 1) & (rng.getrandbits(links + 1) | 1 << links)
    return rng.randrange(16) | children << 4


def random_request(rng: random.Random, race: WireRace) -> tuple[int, int, bool, int]:
    """Draw a request; most of them set something up."""
    unit = rng.randrange(len(race.place.units) + (rng.random() < 0.05))
    links = race.place.units[unit][0] if unit < len(race.place.units) else 4
    r, kind = rng.randrange(race.plane.slots), rng.random()
    if kind < 0.45:
        root = (rng.random() < 0.3) << 1
        return unit, 8 * r, True, 1 | root | rng.randrange(3) << 3 | rng.getrandbits(12) << 6
    if kind < 0.7:
        return unit, 8 * r + 1, True, random_image(rng, links)
    if kind < 0.8:
        return unit, 8 * r, True, 0 if rng.random() < 0.7 else rng.getrandbits(18) & ~1
    if kind < 0.85:
        return unit, 8 * r + 4, True, rng.randrange(4)
    address = rng.choice(
        (8 * r + rng.randrange(8), 8 * rng.randrange(8), rng.randrange(1022, 1030))
    )
    return unit, address, rng.random() < 0.3, rng.getrandbits(32)


def chaos(seed: int) -> tuple[WireRace, Counter[str]]:
    """Ask for anything at any time, break wires and mend them."""
    rng = random.Random(seed)
    race = WireRace(random_place(rng), random_plane(rng))
    seen: Counter[str] = Counter()
    busy, share = rng.choice((0.1, 0.5)), rng.choice((0.05, 0.3))
    members = [u for u, (_, process) in enumerate(race.place.units) if process]
    breaks = rng.random() < 0.5
    for _ in range(PLAY):
        arrive = {
            (u, r): rng.getrandbits(8)
            for u in members
            for r in range(race.plane.slots)
            if rng.random() < share
        }
        config = random_request(rng, race) if rng.random() < busy else None
        if breaks and race.place.ends and rng.random() < 0.05:
            link = rng.choice(sorted(race.place.ends))
            wires = rng.sample(sorted(race.literal.names()), rng.randrange(2))
            race.stick(link, [(wire, r, rng.randrange(2)) for wire, r in wires])
        race.act(arrive, config)
        for _, _, _, broken in race.released:
            seen["broken" if broken else "released"] += 1
    for unit in race.literal.units:
        for name, value in zip(("stray", "arrive", "write"), unit.counters[1:], strict=True):
            seen[name] += value
    return race, seen


def disturbed(seed: int) -> Counter[str]:
    """Set groups up as they should be, then clear units and set them up again, and break wires."""
    rng = random.Random(seed)
    race = WireRace(random_place(rng), random_plane(rng))
    nodes = [u for u, (_, process) in enumerate(race.place.units) if process]
    images: dict[tuple[int, int], tuple[int, int]] = {}
    for r in range(race.plane.slots):
        tree = draw_tree(rng, race.place, rng.sample(nodes, rng.randint(1, len(nodes))))
        assert tree is not None
        op = rng.randrange(3)
        images |= {(u, r): tree.words(u, op, r) for u in tree.parent}
    waiting = [
        (u, 8 * r + word, True, images[u, r][1 - word]) for u, r in images for word in (1, 0)
    ]
    seen: Counter[str] = Counter()
    share, harm = rng.choice((0.1, 0.9)), rng.choice((0.0, 0.02, 0.1))
    for _ in range(PLAY):
        if not waiting and rng.random() < harm:
            u, r = rng.choice(sorted(images))
            waiting += [(u, 8 * r, True, 0), (u, 8 * r, True, images[u, r][1])]
        if race.place.ends and rng.random() < harm:
            link = rng.choice(sorted(race.place.ends))
            wires = rng.sample(sorted(race.literal.names()), rng.randrange(2))
            race.stick(link, [(wire, r, rng.randrange(2)) for wire, r in wires])
        arrive = {
            (u, r): rng.getrandbits(8)
            for u in nodes
            for r in range(race.plane.slots)
            if rng.random() < share
        }
        race.act(arrive, waiting.pop(0) if waiting else None)
        for _, _, _, broken in race.released:
            seen["broken" if broken else "released"] += 1
    seen["stray"] += sum(unit.counters[1] for unit in race.literal.units)
    return seen


@pytest.mark.parametrize("seed", range(24))
def test_model_is_the_literal_contract(seed: int) -> None:
    chaos(seed)


@pytest.mark.parametrize("seed", range(24))
def test_groups_that_are_disturbed(seed: int) -> None:
    disturbed(seed)


def test_disturbed_groups_go_on() -> None:
    total: Counter[str] = Counter()
    for seed in range(100, 110):
        total += disturbed(seed)
    assert total["released"] > 300
    assert min(total["broken"], total["stray"]) > 30


def test_the_races_reach_what_they_are_for() -> None:
    total: Counter[str] = Counter()
    for seed in range(100, 120):
        total += chaos(seed)[1]
    assert min(total[what] for what in ("broken", "released", "stray", "arrive", "write")) > 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 2000))
def test_many_races(seed: int) -> None:
    chaos(seed)
    disturbed(seed)
