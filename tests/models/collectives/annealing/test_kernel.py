"""Conflicts counted move by move are those that a count from nothing finds, and the checker's."""

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.chromosome import Chromosome
from syncfabric.models.collectives.annealing.encode import encode
from syncfabric.models.collectives.annealing.island import Island
from syncfabric.models.collectives.annealing.parameters import Parameters
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError
from tests.models.collectives.annealing.tasks import TASKS, task


def conflicts(chromosome: Chromosome, option: NDArray[np.int32], step: NDArray[np.int32]) -> int:
    """Count conflicts as they are defined."""
    taken: dict[tuple[int, int], int] = {}
    shared = set()
    late = 0
    for gene, (o, t) in enumerate(zip(option.tolist(), step.tolist(), strict=True)):
        if t == chromosome.steps:
            continue
        uses = chromosome.use[chromosome.first_use[o] : chromosome.first_use[o + 1]].tolist()
        for s in chromosome.share[chromosome.first_share[o] : chromosome.first_share[o + 1]]:
            if (s, t) not in shared:
                shared.add((s, t))
                uses.append(int(chromosome.main[s]))
        for use in uses:
            taken[use, t] = taken.get((use, t), 0) + 1
        parent = chromosome.parent[o]
        late += bool(parent >= 0 and step[parent] >= t)
        assert chromosome.first_option[gene] <= o < chromosome.first_option[gene + 1]
        assert chromosome.low[gene] <= t
    over = (max(0, n - int(chromosome.most[use])) for (use, _), n in taken.items())
    return late + sum(over)


@pytest.mark.parametrize(("asked", "steps"), TASKS.values(), ids=TASKS)
@pytest.mark.parametrize("start", [100.0, 0.5])
def test_counting_by_moves_is_counting(asked: Task, steps: int, start: float) -> None:
    chromosome = encode(asked, max(1, steps - 1))
    island = Island(chromosome, Parameters(population=3, start=start, mutation=0.5), 7)
    for _ in range(5):
        island.run(997)
        for chain, cost in enumerate(island.costs):
            assert cost == conflicts(chromosome, island.option[chain], island.step[chain])
            if cost:  # a chain stops where it has none
                assert island.least > 0 or island.costs.min() == 0
        if island.best.conflicts:
            island.take(Island(chromosome, Parameters(population=1), 8).best)
            kept = [uses.copy() for uses in island._uses]
            costs = island.costs.copy()
            island.load(island.save())
            chains = len(costs)
            assert (costs == island.costs).all()
            for now, before in zip(island._uses, kept, strict=True):
                assert np.array_equal(now[:chains], before[:chains])


@pytest.mark.parametrize(
    "name", ["AAS, cube", "AAS, fat", "AAB, cube", "AAB, one port", "OAB, stored"]
)
def test_there_are_conflicts_where_the_checker_finds_some(name: str) -> None:
    asked, steps = TASKS[name]
    chromosome = encode(asked, steps)
    island = Island(chromosome, Parameters.of(asked), 3)
    while island.best.conflicts:
        island.run(100_000)
    _, option, step = island.best
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        gene = rng.integers(chromosome.genes)
        others = option.copy(), step.copy()
        others[0][gene] = rng.integers(*chromosome.first_option[gene : gene + 2])
        others[1][gene] = rng.integers(chromosome.low[gene], chromosome.high[gene] + 1)
        made = Schedule(asked.topology, asked.collective, asked.rules, chromosome.decode(*others))
        right = check(made).right
        assert right == (conflicts(chromosome, *others) == 0)
        seen.add(right)
    assert False in seen


def test_the_printed_rule_starts_with_all_neighbours() -> None:
    chromosome = encode(task("hypercube-8", "AAB"), 3, printed=True)
    near = chromosome.task.topology.distances[chromosome.pairs[:, 0], chromosome.pairs[:, 1]] == 1
    assert (chromosome.high[near] == 0).all()
    assert (chromosome.high[~near] == 2).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("population", 0), ("iterations", 0), ("cooling", 1.0), ("final", 0.0), ("mutation", 1.5)],
)
def test_parameters_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(SpecError, match=rf"^annealing: {name} must be .*, not {value}$"):
        Parameters(**{name: value})  # type: ignore[arg-type]
