"""Two solutions meet: what the outcome is made of, and who stays."""

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.island import Island, Parameters
from syncfabric.models.collectives.annealing.kernel import exchange
from syncfabric.models.collectives.encoding import encode
from tests.models.collectives.tasks import TASKS

ENCODING = encode(TASKS["AAS, one port"][0], 8)


def genes(island: Island) -> NDArray[np.int32]:
    return np.stack([island.option[0], island.step[0]], axis=1)


def met(seed: int, heat: float, mutation: float, ready: int = 0) -> tuple[NDArray[np.int32], ...]:
    """Let two islands' solutions meet; return both, and the outcome, with its conflicts below."""
    mine, other = (Island(ENCODING, Parameters(start=0.3), s) for s in (seed, seed + 1000))
    mine.run(ready)
    mine.clock[:] = heat, mutation
    parents = genes(mine), genes(other)
    costs = np.array([mine.costs[0], other.costs[0], 0])
    mine.take(other.best)
    costs[2] = mine.costs[0]
    return *parents, genes(mine), costs


def cuts(child: NDArray[np.int32], one: NDArray[np.int32], two: NDArray[np.int32]) -> int:
    """Return how often a child changes from one parent to the other, around the encoding."""
    alike = (one == two).all(axis=1)
    first = (child == one).all(axis=1)[~alike]
    return int((first != np.roll(first, 1)).sum())


def test_a_child_has_all_genes_of_its_parents_in_two_cuts() -> None:
    crossed = 0
    for seed in range(60):
        one, two, child, _ = met(seed, 1e9, 0.0)
        strange = (child != one).any(axis=1) & (child != two).any(axis=1)
        assert strange.sum() <= 1  # a parent is mutated, in one gene
        if not strange.any() and (child != one).any() and (child != two).any():
            crossed += 1
            assert cuts(child, one, two) == 2
    assert crossed > 20


def test_a_child_is_mutated_as_often_as_asked() -> None:
    def strange(mutation: float) -> int:
        found = 0
        for seed in range(60):
            one, two, child, _ = met(seed, 1e9, mutation)
            found += ((child != one).any(axis=1) & (child != two).any(axis=1)).any()
        return int(found)

    assert strange(0.0) + 15 < strange(1.0)


@pytest.mark.parametrize("heat", [1e-9, 1e9])
def test_metropolis_chooses(heat: float) -> None:
    worse = better = 0
    for seed in range(40):
        _, _, _, (mine, _, now) = met(seed, heat, 1.0, 2000 if seed % 2 else 0)
        worse, better = worse + (now > mine), better + (now < mine)
    assert better > 5
    assert worse == 0 if heat < 1 else worse > 5


def test_a_roulette_sends_good_solutions_most() -> None:
    island = Island(ENCODING, Parameters(population=3), 1)
    island.clock[:] = 1e9, 0.0
    chains = island.option[:3].copy(), island.step[:3].copy()
    copies = 0
    for _ in range(300):
        island.option[:3], island.step[:3] = chains
        island._recount()
        island.costs[:] = 99, 0, 99  # none is better than the second, which is not even mutated
        rest = island.clock, island.seeds, island.told
        exchange(ENCODING.tables, island.chains, island.costs, *rest)
        copies += (island.option[0] == chains[0][1]).all() and (
            island.step[0] == chains[1][1]
        ).all()
    assert copies > 270
