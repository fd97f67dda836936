"""Faults on the links of whole networks: none is lost by what is left out of a step."""

import random
from collections import Counter

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.network import CollectiveNetwork
from tests.models.golden.planes.nets import draw_irregular, draw_mesh, mesh
from tests.models.golden.planes.network_race import FAULTS, NetworkRace
from tests.nightly import nightly_but


def play_faults(seed: int, kind: str, cycles: int) -> Counter[str]:
    rng = random.Random(f"faults {kind} {seed}")
    draw, keys = (draw_mesh if kind == "mesh" else draw_irregular), {"check_bits": 8}
    shape = draw(rng, seed % 3, **keys)
    race = NetworkRace(shape, rng)
    race.faults = 0.05 if shape.ends or shape.interfaces else 0.0
    for _ in range(cycles):
        race.step()
    return race.seen


@pytest.mark.parametrize("kind", nightly_but(["mesh"], ["mesh", "irregular"]))
def test_faults_of_links(kind: str) -> None:
    """What was never sent, and what never comes: the same whatever is left out of a step."""
    seen = sum((play_faults(seed, kind, 500) for seed in range(9)), Counter[str]())
    assert min(seen[kind.name] for kind in FAULTS) > 1, seen
    assert min(seen[what] for what in ("wires", "releases", "guards", "skipped", "put")) > 5


@pytest.mark.parametrize("link", [2, 4, 99])
def test_only_links_with_guards_have_faults(link: int) -> None:
    for check_bits in (0, 8):
        net = CollectiveNetwork(mesh(2, 1, check_bits=check_bits))
        with pytest.raises(ValueError, match=f"link {link} has no guards"):
            net.inject([Fault(9, link, FaultKind.DROP)])
    net.step()
    with pytest.raises(ValueError, match="cycle 0 is over"):
        net.inject([Fault(0, 0, FaultKind.DROP)])


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize(
    "first",
    [
        pytest.param(n, marks=pytest.mark.campaign if n % 50 else pytest.mark.nightly)
        for n in range(100, 200, 10)
    ],
)
def test_faults_of_links_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 10):
        play_faults(seed, kind, 2000)
