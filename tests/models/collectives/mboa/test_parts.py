"""The parts of MBOA: chromosomes, conflicts, repair, trees, the search's own books."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.dice import below, chance, noise, seeded
from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP, Encoding, encode
from syncfabric.models.collectives.mboa.evolve import RATE, allowed, cool, evolve, spread, wanted
from syncfabric.models.collectives.mboa.genes import added, in_the_way, repair, take, values, weigh
from syncfabric.models.collectives.mboa.state import (
    DRAWN,
    HEAT,
    LEAST,
    LEFT,
    SPAN,
    TEMPLATE,
    TRIED,
    Parameters,
    State,
    begin,
)
from syncfabric.models.collectives.mboa.trees import blank_model, draw, learn, tournament
from syncfabric.models.collectives.schedule import Rules, Schedule
from tests.models.collectives.mboa.test_solve import TASKS, task
from tests.models.collectives.right_schedules import FIG_5, fig_5

Genes = NDArray[np.int16]


def repaired(steps: int, genes: Genes, seed: int) -> None:
    repair(steps, genes, np.zeros(len(genes) + 1, np.int16), seeded(seed))


def at_random(encoding: Encoding, seed: int) -> Genes:
    bounds = encoding.instance.bounds
    genes = np.random.default_rng(seed).integers(0, bounds).astype(np.int16)
    if encoding.instance.grows:
        repaired(encoding.instance.steps, genes, seed)
    return genes


def blank(encoding: Encoding) -> NDArray[np.int32]:
    return np.zeros((encoding.instance.steps, len(encoding.instance.room), 2), np.int32)


def conflicts(encoding: Encoding, genes: Genes) -> int:
    return weigh(encoding.instance, genes, blank(encoding))


def counted(encoding: Encoding, genes: Genes) -> int:
    """Conflicts by the schedule itself: pairs of paths on a channel, messages beyond the ports."""
    asked = encoding.quotient.task
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
    repaired(2, genes, 1)
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
        repaired(4, genes, seed)
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
    parameters = Parameters(**({"generation": 2} | chosen))  # type: ignore[arg-type]
    state = begin(encoding.instance, parameters, 1)
    evolve(state, tried)
    return encoding, state


@pytest.mark.parametrize(
    "name",
    [pytest.param("AAS", marks=pytest.mark.long), "AAS, one port", "OAB, one port", "multicast"],
)
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
    _, state = under_way("AAS, one port", 16, population=16, stagnation=10**6, hot=0.01, cold=0.01)
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


def test_one_gene_is_mutated_or_two_change_places() -> None:
    _, state = under_way("AAS", 1, population=1, least=0, stagnation=10**6, hot=5.0, cold=5.0)
    state.figures[DRAWN] = 0
    kinds = Counter[tuple[int, ...]]()
    for _ in range(600):
        before = state.genes[0].copy()
        evolve(state, 1)
        changed = np.flatnonzero((state.genes[0] != before).any(axis=1))
        assert len(changed) <= 2
        if len(changed) == 2:
            (one, two), steps = changed, (before[:, STEP], state.genes[0, :, STEP])
            assert steps[1][one] == steps[0][two] or steps[1][two] == steps[0][one]
        items = (state.genes[0] != before).any(axis=0)
        kinds[len(changed), *np.flatnonzero(items).tolist()] += 1
    for kind in ((1, PATH), (1, STEP), (1, PATH, STEP), (2, STEP), (2, PATH, STEP)):
        assert kinds[kind] > 5, kind


def test_mutation_draws_all_values_within_their_bounds() -> None:
    bounds, random = np.array([[1, 5, 4]], np.int32), seeded(1)
    genes = np.array([[0, 2, 1]], np.int16)
    for kind in range(8):
        drawn = [values(bounds, genes, 0, kind, random) for _ in range(200)]
        assert {path for path, _ in drawn} == ({2} if kind in (2, 3) else set(range(5)))
        assert {step for _, step in drawn} == ({1} if kind < 2 else set(range(4)))


def test_what_a_change_adds_is_what_it_makes() -> None:
    encoding = encode(*TASKS["AAS, one port"], 64)
    instance, rng, cut = encoding.instance, np.random.default_rng(1), 0
    for seed in range(200):
        genes, used = at_random(encoding, seed), blank(encoding)
        before = weigh(instance, genes, used)
        gene = int(rng.integers(len(genes)))
        step = int((genes[gene, STEP] + rng.integers(1, instance.steps)) % instance.steps)
        path, most = int(rng.integers(instance.bounds[gene, PATH])), int(rng.integers(4))
        told = added(instance, genes, gene, path, step, used, most)
        other = in_the_way(instance, gene, path, step, used)
        genes[gene, PATH], genes[gene, STEP] = path, step
        more = conflicts(encoding, genes) - before
        assert told == more or min(told, more) > most
        cut += told != more
        if other >= 0:
            assert genes[other, STEP] == step
            without = used.copy()
            take(instance, genes, gene, without, 1)
            both = without[:, :, 0] > used[:, :, 0]
            assert (used[:, :, 1][both & (used[:, :, 0] == 1)] == other).any()
    assert cut > 5


def test_variance_is_adapted() -> None:
    _, state = under_way("AAS, one port", 16, population=16, least=0.5, generation=10**6)
    genes = len(state.best)
    share = wanted(genes)
    narrower = np.exp(RATE * share / (share - 1))
    wide = narrow = 0
    for _ in range(1500):
        drawn, total = state.figures[DRAWN], state.cost.copy()
        evolve(state, 1)
        better = bool((state.cost < total).any())
        expected = min(drawn * (np.exp(RATE) if better else narrower), genes)
        assert state.figures[DRAWN] == pytest.approx(max(expected, 0.5))
        wide, narrow = wide + better, narrow + (not better)
    assert min(wide, narrow) > 20
    evolve(state, 20_000)
    assert 0.5 <= state.figures[DRAWN] < genes / 4


@pytest.mark.parametrize(("leaves", "nodes"), [(0, 0), (1, 1), (8, 15)])
def test_a_model_has_as_many_leaves_as_it_may(leaves: int, nodes: int) -> None:
    _, state = under_way("AAS", 4, leaves=leaves, least=5, generation=10**6, selected=64)
    evolve(state, 3000)
    assert int(state.model.nodes.max()) <= nodes
    assert bool(state.model.nodes.any()) == (leaves > 0)
    assert (state.figures[DRAWN] > 0) == (leaves > 0)
    if leaves > 1:
        assert state.model.nodes.max() > 1


def test_it_cools_and_is_heated_again_for_twice_as_long() -> None:
    _, state = under_way("AAS", 4, hot=1.0, cold=0.5, cooling=0.8, span=1.0)
    genes, heats = len(state.best), []
    for _ in range(10):
        cool(state)
        heats.append((state.figures[HEAT], state.figures[SPAN]))
        chances = np.exp(-np.arange(len(state.accept)) / state.figures[HEAT])
        assert np.allclose(state.accept, chances)
        state.figures[LEFT] = 0
    heat = [1.0, 0.8, 0.64, 0.512]
    expected = [(h, genes * 2**i) for i in range(3) for h in heat][:10]
    assert np.allclose(heats, expected)
    cool(state)
    assert state.figures[LEFT] == state.figures[SPAN] - 1
    cool(state)
    assert state.figures[LEFT] == state.figures[SPAN] - 2


def test_templates_take_turns() -> None:
    _, state = under_way("AAS", 4, tenure=3)
    turn = 3 * len(state.best)
    seen = []
    for _ in range(4 * turn):
        evolve(state, 1)
        seen.append(int(state.figures[TEMPLATE]))
    assert seen == [template for template in (1, 2, 3, 0) for _ in range(turn)]


def test_only_at_the_end_of_a_descent_the_better_ones_go_on() -> None:
    _, state = under_way("AAS", 16, population=16, hot=1.0, cold=0.5, cooling=0.8, rivals=4)
    before = state.cost.copy()
    assert before.std() > 0
    for heat in (1.0, 0.8, 0.64, 0.512):
        state.figures[LEFT] = 0
        cool(state)
        assert state.figures[HEAT] == pytest.approx(heat)
        assert (state.cost == before).all()
    state.figures[LEFT] = 0
    cool(state)
    assert state.figures[HEAT] == 1.0
    assert (state.cost <= before).all()
    assert state.cost.mean() < before.mean() - before.std() / 2


def test_a_worse_one_is_taken_as_often_as_boltzmann_says() -> None:
    _, state = under_way("AAS", 4, hot=0.8, cold=0.8)
    cool(state)
    drawn = np.array([allowed(state) for _ in range(4000)])
    for more in range(5):
        assert abs((drawn >= more).mean() - np.exp(-more / 0.8)) < 0.03
    assert state.cost.min() > 0
    before, worse = state.cost.copy(), 0
    for _ in range(400):
        evolve(state, 1)
        worse += int((state.cost > before).any())
        before = state.cost.copy()
    assert worse > 10


def test_the_better_of_two_takes_both_places() -> None:
    encoding, state = under_way("AAS", 8, population=8)
    best = int(state.cost.min())
    for _ in range(200):
        spread(state)
        assert state.cost.min() == best
    assert (state.cost == best).all()
    for genes, cost, used in zip(state.genes, state.cost, state.used, strict=True):
        table = blank(encoding)
        assert weigh(encoding.instance, genes, table) == cost
        assert (table == used).all()


def test_tournaments_have_as_many_rivals_as_asked() -> None:
    cost, random = np.arange(100, dtype=np.int64), seeded(1)
    for rivals in (1, 2, 9):
        mean = np.mean([tournament(cost, rivals, random) for _ in range(2000)])
        assert mean == pytest.approx(100 / (rivals + 1), rel=0.1)


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
