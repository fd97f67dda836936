"""The parts of MBOA: chromosomes, conflicts, repair, trees, the search's own books."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.mboa.chance import below, chance, noise, seeded
from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP, Encoding, encode
from syncfabric.models.collectives.mboa.evolve import DRAWN, LEAST, TRIED, State, begin, evolve
from syncfabric.models.collectives.mboa.fitness import repair, weigh
from syncfabric.models.collectives.mboa.parameters import Parameters
from syncfabric.models.collectives.mboa.trees import blank_model, draw, learn
from syncfabric.models.collectives.schedule import Rules, Schedule
from tests.models.collectives.mboa.test_solve import TASKS, task
from tests.models.collectives.right_schedules import FIG_5, fig_5

Genes = NDArray[np.int16]


def at_random(encoding: Encoding, seed: int) -> Genes:
    bounds = encoding.instance.bounds
    genes = np.random.default_rng(seed).integers(0, bounds).astype(np.int16)
    if encoding.instance.grows:
        repair(encoding.instance.steps, genes, seeded(seed))
    return genes


def conflicts(encoding: Encoding, genes: Genes) -> int:
    used = np.zeros((encoding.instance.steps, len(encoding.instance.room)), np.int16)
    return weigh(encoding.instance, genes, used)


def counted(encoding: Encoding, genes: Genes) -> int:
    """Conflicts by the schedule itself: pairs of paths on a channel, messages beyond the ports."""
    asked = encoding.task
    rules, broadcast = asked.rules, asked.collective.broadcast
    once = broadcast and rules.single_use
    found = 0
    for step in encoding.schedule(genes):
        channels = Counter(
            channel
            for _, path in step
            for channel in pairwise(path)
            if not (once and not asked.topology.routers[channel[0]])
        )
        found += sum(times * (times - 1) // 2 for times in channels.values())
        if rules.ports != "all":
            for end in (0, -1):
                nodes = Counter(path[end] for _, path in step)
                if not (once and end == 0):
                    over = [times - rules.ports for times in nodes.values() if times > rules.ports]
                    found += sum(more * (more + 1) // 2 for more in over)
    return found


def test_the_chromosome_of_fig_5() -> None:
    schedule = fig_5()
    encoding = encode(task("ring-8", "OAB"), 2, 64)
    genes = np.array([(FIG_5[d][0], 0, FIG_5[d][1] - 1) for d in range(1, 8)], np.int16)
    kept = genes.copy()
    repair(2, genes, seeded(1))
    assert (genes == kept).all()
    assert conflicts(encoding, genes) == 0
    assert [set(step) for step in encoding.schedule(genes)] == [set(s) for s in schedule.steps]


@pytest.mark.parametrize("name", TASKS)
def test_conflicts_are_those_of_the_schedule(name: str) -> None:
    asked, steps = TASKS[name]
    encoding = encode(asked, steps, 64)
    for seed in range(20):
        genes = at_random(encoding, seed)
        assert conflicts(encoding, genes) == counted(encoding, genes)
        schedule = Schedule(asked.topology, asked.collective, asked.rules, encoding.schedule(genes))
        assert check(schedule).right == (conflicts(encoding, genes) == 0)


def test_conflicts_with_all_images() -> None:
    encoding = encode(task("torus-4x4", "AAS", Rules(2)), 10, 64, 16)
    assert len(encoding.instance.bounds) == 15
    for seed in range(20):
        genes = at_random(encoding, seed)
        assert conflicts(encoding, genes) == counted(encoding, genes) > 0


def test_a_path_counts_modulo_the_paths_there_are() -> None:
    encoding = encode(task("hypercube-8", "OAS"), 3, 64)
    genes = at_random(encoding, 1)
    beyond = genes.copy()
    ways = np.diff(encoding.instance.first_path)
    beyond[:, PATH] += 5 * ways.astype(np.int16)
    assert encoding.schedule(beyond) == encoding.schedule(genes)
    assert conflicts(encoding, beyond) == conflicts(encoding, genes)


def test_repair_lets_only_the_informed_send() -> None:
    encoding = encode(task("hypercube-16", "OAB"), 4, 64)
    rng = np.random.default_rng(1)
    replacements = set[int]()
    for seed in range(50):
        wild = rng.integers(0, encoding.instance.bounds).astype(np.int16)
        genes = wild.copy()
        repair(4, genes, seeded(seed))
        since = [-1, *wild[:, STEP].tolist()]
        assert (genes[:, PATH:] == wild[:, PATH:]).all()
        for before, after in zip(wild.tolist(), genes.tolist(), strict=True):
            assert since[after[SOURCE]] < after[STEP]
            if since[before[SOURCE]] < before[STEP]:
                assert after[SOURCE] == before[SOURCE]
            else:
                replacements.add(after[SOURCE])
    assert len(replacements) > 10


def linked(copies: bool) -> tuple[Genes, NDArray[np.int32]]:
    """Chromosomes of two genes; the second says what the first says, or anything."""
    rng = np.random.default_rng(1)
    steps = rng.integers(0, 4, (64, 2))
    if copies:
        steps[:, 1] = steps[:, 0]
    genes = np.zeros((64, 2, 3), np.int16)
    genes[:, :, STEP] = steps
    return genes, np.array([[1, 1, 4], [1, 1, 4]], np.int32)


@pytest.mark.parametrize("copies", [True, False])
def test_trees_learn_what_goes_together(copies: bool) -> None:
    genes, bounds = linked(copies)
    instance = encode(task("ring-4", "OAS"), 4, 8).instance._replace(bounds=bounds)
    model, random = blank_model(instance, 64, 8), seeded(1)
    agree = trees = 0
    for _ in range(100):
        learn(model, genes, np.zeros(64, np.int64), 1, random)
        child = genes[below(random, 64)].copy()
        for gene in model.order.tolist():
            draw(bounds, model, gene, child, 0.0, 32, random)
        agree += int(child[0, STEP] == child[1, STEP])
        trees += int(model.nodes.max() > 1)
    assert (agree, trees) == (100, 100) if copies else (agree < 60 and trees < 30)


def test_kernels_keep_within_bounds_and_widen() -> None:
    genes, bounds = linked(False)
    instance = encode(task("ring-4", "OAS"), 4, 8).instance._replace(bounds=bounds)
    model, random = blank_model(instance, 64, 1), seeded(1)
    genes[:, :, STEP] = genes[:, :, STEP] % 2 * 3
    learn(model, genes, np.zeros(64, np.int64), 1, random)

    def drawn(width: float) -> set[int]:
        child, found = genes[0].copy(), set[int]()
        for _ in range(200):
            draw(bounds, model, 0, child, width, 4, random)
            found.add(int(child[0, STEP]))
        return found

    assert drawn(0.0) == {0, 3}
    assert drawn(20.0) == {0, 1, 2, 3}


def test_tournaments_prefer_few_conflicts() -> None:
    genes, bounds = linked(False)
    instance = encode(task("ring-4", "OAS"), 4, 8).instance._replace(bounds=bounds)
    genes[:, 0, SOURCE] = np.arange(64)
    cost = np.arange(64, dtype=np.int64)
    model = blank_model(instance, 64, 8)
    learn(model, genes, cost, 4, seeded(1))
    assert 5 < model.values[:, 0, SOURCE].mean() < 20
    learn(model, genes, cost, 1, seeded(1))
    assert model.values[:, 0, SOURCE].mean() > 20


def under_way(name: str, tried: int, **chosen: float) -> tuple[Encoding, State]:
    """A search of one step less than there is a schedule for, so that it does not end."""
    asked, steps = TASKS[name]
    steps -= 1
    encoding = encode(asked, steps, 64)
    parameters = Parameters(**({"generation": 50} | chosen))  # type: ignore[arg-type]
    state = begin(encoding.instance, parameters, 1)
    evolve(state, tried)
    return encoding, state


@pytest.mark.parametrize("name", ["AAS", "AAS, one port", "OAB, one port", "multicast"])
def test_the_books_are_right(name: str) -> None:
    encoding, state = under_way(name, 30, population=8)
    for _ in range(30):
        evolve(state, 100)
        for genes, cost in zip(state.genes, state.cost, strict=True):
            assert conflicts(encoding, genes) == cost
            assert (genes >= 0).all()
            assert (genes < encoding.instance.bounds).all()
        assert conflicts(encoding, state.best) == state.figures[LEAST] <= state.cost.min()
    used = np.zeros_like(state.used)
    for genes, table in zip(state.genes, used, strict=True):
        weigh(encoding.instance, genes, table)
    assert (used == state.used).all()


def test_new_chromosomes_take_the_place_of_like_and_no_better_ones() -> None:
    _, state = under_way("AAS, one port", 16, stagnation=10**6)
    before = state.cost.copy()
    for _ in range(40):
        evolve(state, 50)
        assert (state.cost <= before).all()
        before = state.cost.copy()


def test_a_path_is_replaced_on_stagnation() -> None:
    _, state = under_way("AAS", 1, population=1, rivals=1, window=1)
    state.idle[:] = state.settings.stagnation * len(state.best)
    before = state.genes[0].copy()
    evolve(state, 1)
    changed = np.argwhere(state.genes[0] != before)
    assert changed[:, 1].tolist() == [PATH]
    assert state.idle[0] == 0
    assert state.figures[TRIED] == 2


def test_without_mutation_and_model_nothing_changes() -> None:
    _, state = under_way("AAS", 1, population=1, mutation=0, least=0, stagnation=10**6)
    state.figures[DRAWN] = 0
    before = state.genes.copy()
    evolve(state, 500)
    assert (state.genes == before).all()


def test_one_gene_is_mutated() -> None:
    _, state = under_way("AAS", 1, population=1, least=0, stagnation=10**6)
    state.figures[DRAWN] = 0
    most = 0
    for _ in range(300):
        before = state.genes[0].copy()
        evolve(state, 1)
        changed = (state.genes[0] != before).any(axis=1).sum()
        assert changed <= 1
        most = max(most, int(changed))
    assert most == 1


def test_variance_is_adapted() -> None:
    _, state = under_way("AAS, one port", 16, least=0.5)
    wider, genes = np.exp(4 / 50), len(state.best)
    wanted = 0.05 + 0.3 / np.sqrt(genes)
    narrower = wider ** (wanted / (wanted - 1))
    wide = narrow = 0
    for _ in range(300):
        drawn, total = state.figures[DRAWN], state.cost.sum()
        evolve(state, 1)
        better = state.cost.sum() < total
        expected = min(drawn * (wider if better else narrower), genes)
        assert state.figures[DRAWN] == pytest.approx(max(expected, 0.5))
        wide, narrow = wide + better, narrow + (not better)
    assert min(wide, narrow) > 20
    evolve(state, 20_000)
    assert 0.5 <= state.figures[DRAWN] < genes / 4


def test_random_numbers_are_even() -> None:
    random = seeded(5)
    drawn = Counter(below(random, 5) for _ in range(5000))
    assert set(drawn) == set(range(5))
    assert min(drawn.values()) > 850
    values = np.array([chance(random) for _ in range(5000)])
    assert 0 <= values.min() < 0.01
    assert 0.99 < values.max() < 1
    normal = np.array([noise(random) for _ in range(5000)])
    assert abs(normal.mean()) < 0.06
    assert abs(normal.std() - 1) < 0.05
    assert seeded(1)[0] != seeded(2)[0]
