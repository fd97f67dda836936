"""From the last arrival to the last release: exactly 2 L (1 + P) + 2 cycles, whoever else is there.

Everything here runs on the fast model alone.
"""

import random
from itertools import pairwise

import pytest

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.wire_race import Place
from tests.models.golden.wire_trees import WireTree, draw_tree


class Crowd:
    """Groups, one a slot; those beside the first arrive anew with every release."""

    def __init__(self, place: Place, trees: list[WireTree], plane: WirePlane) -> None:
        self.model, self.trees = model_of(place.network(plane)), trees
        self.releases: dict[int, dict[int, int]] = {slot: {} for slot in range(len(trees))}
        for slot, tree in enumerate(trees):
            for unit in tree.parent:
                image, control = tree.words(unit, 0, slot)
                for word, data in ((1, image), (0, control)):
                    self.step({}, ConfigRequest(unit, 8 * slot + word, True, data))
        self.step({})
        others = range(1, len(trees))
        self.step({(node, slot): 0 for slot in others for node in trees[slot].members})

    def step(self, arrive: dict[tuple[int, int], int], config: ConfigRequest | None = None) -> None:
        model = self.model
        for node, slot, _ in model.release:
            self.releases[slot][node] = model.cycle
            if slot:
                arrive[node, slot] = 0
        model.step(arrive=arrive, config=config)

    def latency(self, last: int, gap: int) -> int:
        """Let a member of the first group arrive a while after all others."""
        members = self.trees[0].members
        self.releases[0].clear()
        self.step({(node, 0): 0 for node in members if node != last})
        for _ in range(gap):
            self.step({})
        begin = self.model.cycle
        self.step({(last, 0): 0})
        while len(self.releases[0]) < len(members):
            self.step({})
            assert self.model.cycle - begin < 1000
        return max(self.releases[0].values()) - begin


def measure(rng: random.Random, place: Place, size: int, others: int) -> int:
    """Check every last member of a group; return its L."""
    plane = WirePlane(others + 1, 0, rng.randrange(4), shared=rng.random() < 0.5)
    nodes = [unit for unit, (_, process) in enumerate(place.units) if process]
    members = [rng.sample(nodes, min(size, len(nodes)))]
    members += [rng.sample(nodes, rng.randint(1, len(nodes))) for _ in range(others)]
    trees = []
    for group in members:
        tree = draw_tree(rng, place, group, straight=rng.random() < 0.5)
        assert tree is not None
        trees.append(tree)
    crowd, tree = Crowd(place, trees, plane), trees[0]
    longest = max(tree.depth[member] for member in tree.members)
    hop = 1 + plane.link_registers
    for last in rng.sample(tree.members, min(12, len(tree.members))):
        latency = crowd.latency(last, (2 * longest + 2) * hop)
        assert latency == (tree.depth[last] + longest) * hop + 2, (plane, tree)
    return longest


def test_latency_is_exact_for_every_last_member_and_length() -> None:
    rng, lengths = random.Random(1), set()
    for seed in range(120):
        place = (
            Place.irregular(rng)
            if seed % 3 == 0
            else Place.mesh(*rng.choice([(1, 1), (2, 2), (5, 4)]))
        )
        lengths.add(measure(rng, place, rng.choice((1, 2, 5, 20)), others=seed % 4))
    assert lengths >= set(range(8))


@pytest.mark.long
def test_latency_on_larger_meshes() -> None:
    rng = random.Random(2)
    for _ in range(40):
        measure(rng, Place.mesh(rng.randint(8, 16), rng.randint(8, 16)), 30, others=7)


@pytest.mark.parametrize("registers", range(4))
def test_barriers_back_to_back_follow_at_once(registers: int) -> None:
    """That a slot waits for `stale` after a barrier costs nothing."""
    place, rng = Place.mesh(3, 1), random.Random(registers)
    for _ in range(6):
        tree = draw_tree(rng, place, (0, 1, 2))
        assert tree is not None
        crowd = Crowd(place, [tree, tree], WirePlane(2, 0, registers))
        longest = max(tree.depth.values())
        farthest = next(node for node in tree.members if tree.depth[node] == longest)
        ends = []
        for _ in range(100):
            crowd.step({})
            ends.append(crowd.releases[1].get(farthest, 0))
        cycles = sorted(set(ends) - {0})
        # The farthest is released last and arrives then: each barrier takes its latency.
        gaps = {later - end for end, later in pairwise(cycles)}
        assert gaps == {2 * longest * (1 + registers) + 2}
