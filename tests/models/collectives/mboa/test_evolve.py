"""The parts of MBOA: repair, trees, the search's own books."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import below, chance, noise, seeded
from syncfabric.models.collectives.encoding import Encoding, encode
from syncfabric.models.collectives.mboa.evolve import (
    RATE,
    allowed,
    cool,
    evolve,
    repair,
    spread,
    wanted,
)
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
from syncfabric.models.collectives.mboa.trees import (
    OPTION,
    STEP,
    Model,
    blank_model,
    draw,
    learn,
    tournament,
)
from syncfabric.models.collectives.moves import Chain, Tables, blank_chains, recount
from tests.models.collectives.annealing.test_moves import conflicts
from tests.models.collectives.tasks import TASKS, task


def row_of(chains: Chain, row: int) -> Chain:
    return Chain(*(values[row] for values in chains))


def test_repair_lets_only_the_informed_send() -> None:
    encoding = encode(task("hypercube-16", "OAB"), 4)
    tables, rng = encoding.tables, np.random.default_rng(1)
    senders = set[int]()
    for seed in range(50):
        state = begin(tables, Parameters(population=1), seed)
        wild = rng.integers(tables.first_option[:-1], tables.first_option[1:])
        state.chains.option[0] = wild
        state.chains.step[0] = steps = rng.integers(0, 4, len(wild))
        repair(state, row_of(state.chains, 0))
        option = state.chains.option[0]
        assert (state.chains.step[0] == steps).all()
        for old, new, step in zip(wild, option, steps, strict=True):
            assert tables.parent[new] < 0 or steps[tables.parent[new]] < step
            if tables.parent[old] >= 0 and steps[tables.parent[old]] >= step:
                senders.add(int(tables.parent[new]))
            else:
                assert new == old
    assert len(senders) > 10


def linked(copies: bool, values: int = 4) -> tuple[Tables, Chain, Model]:
    """Chromosomes of two genes; the second says what the first says, or anything."""
    tables = encode(task("star-3", "OAS"), values).tables
    chains = blank_chains(tables, 64)
    chains.step[:] = np.random.default_rng(1).integers(0, values, (64, 2))
    if copies:
        chains.step[:, 1] = chains.step[:, 0]
    chains.option[:] = tables.first_option[:-1]
    bounds = np.array([[1, values], [1, values]], np.int32)
    return tables, chains, blank_model(bounds, 64, 8)


@pytest.mark.parametrize("copies", [True, False])
def test_trees_learn_what_goes_together(copies: bool) -> None:
    tables, chains, model = linked(copies)
    random = seeded(1)
    agree = trees = 0
    for _ in range(100):
        learn(model, tables, chains, np.zeros(64, np.int64), 1, random)
        child = row_of(chains, below(random, 64))
        child = child._replace(step=child.step.copy())
        for gene in model.order.tolist():
            _, child.step[gene] = draw(model, tables, gene, child, 0.0, 32, random)
        agree += int(child.step[0] == child.step[1])
        trees += int(model.nodes.max() > 1)
    assert (agree, trees) == (100, 100) if copies else (agree < 60 and trees < 30)


def test_kernels_keep_within_bounds_and_widen() -> None:
    tables, chains, model = linked(False)
    random = seeded(1)
    chains.step[:] = chains.step % 2 * 3
    learn(model, tables, chains, np.zeros(64, np.int64), 1, random)

    def drawn(width: float) -> set[int]:
        child = row_of(chains, 0)
        return {draw(model, tables, 0, child, width, 0, random)[1] for _ in range(200)}

    assert drawn(0.0) == {0, 3}
    assert drawn(20.0) == {0, 1, 2, 3}


def test_tournaments_prefer_few_conflicts() -> None:
    tables, chains, model = linked(False, 64)
    chains.step[:, 0] = cost = np.arange(64)
    learn(model, tables, chains, cost, 4, seeded(1))
    assert 5 < model.values[:, 0, STEP].mean() < 20
    learn(model, tables, chains, cost, 1, seeded(1))
    assert model.values[:, 0, STEP].mean() > 20
    assert (model.values[:, :, OPTION] == 0).all()


def genes(state: State, row: int = 0) -> NDArray[np.int32]:
    """Return a chromosome: option and step of each gene."""
    return np.stack([state.chains.option[row], state.chains.step[row]], axis=1)


def under_way(name: str, tried: int, **chosen: float) -> tuple[Encoding, State]:
    """A search of one step less than there is a schedule for, so that it does not end."""
    asked, steps, _ = TASKS[name]
    steps -= 1
    encoding = encode(asked, steps)
    parameters = Parameters(**({"generation": 2} | chosen))  # type: ignore[arg-type]
    state = begin(encoding.tables, parameters, 1)
    evolve(state, tried)
    return encoding, state


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("AAS", marks=pytest.mark.nightly),
        "AAS, cube, one port",
        "OAB, one port",
        "multicast",
    ],
)
def test_the_books_are_right(name: str) -> None:
    encoding, state = under_way(name, 30, population=8)
    for _ in range(30):
        evolve(state, 100)
        for option, step, cost in zip(*state.chains[:2], state.cost, strict=True):
            assert conflicts(encoding, option, step) == cost
            assert encoding.holds(option, step)
        assert conflicts(encoding, *state.best) == state.figures[LEAST] <= state.cost.min()
    assert_taken(state)


def assert_taken(state: State) -> None:
    """What every chromosome takes is what a count from nothing finds."""
    kept = [uses.copy() for uses in state.chains[2:]]
    for row, cost in enumerate(state.cost):
        assert recount(state.tables, state.chains, row, state.room) == cost
    assert all(np.array_equal(*both) for both in zip(kept, state.chains[2:], strict=True))


def test_new_chromosomes_take_the_place_of_like_and_no_better_ones() -> None:
    _, state = under_way(
        "AAS, cube, one port", 16, population=16, stagnation=10**6, hot=0.01, cold=0.01
    )
    before = state.cost.copy()
    for _ in range(40):
        evolve(state, 50)
        assert (state.cost <= before).all()
        before = state.cost.copy()


def test_a_path_is_replaced_on_stagnation() -> None:
    _, state = under_way("AAS", 1, population=1, rivals=1, window=1)
    state.idle[:] = state.settings.stagnation * state.best.shape[1]
    before = genes(state)
    evolve(state, 1)
    changed = np.argwhere(genes(state) != before)
    assert changed[:, 1].tolist() == [OPTION]
    assert state.idle[0] == 0
    assert state.figures[TRIED] == 2


def test_without_mutation_and_model_nothing_changes() -> None:
    _, state = under_way("AAS", 1, population=1, mutation=0, least=0, stagnation=10**6)
    state.figures[DRAWN] = 0
    before = genes(state)
    evolve(state, 500)
    assert (genes(state) == before).all()


def test_one_gene_is_mutated_or_two_change_places() -> None:
    _, state = under_way("AAS", 1, population=1, least=0, stagnation=10**6, hot=5.0, cold=5.0)
    state.figures[DRAWN] = 0
    kinds = Counter[tuple[int, ...]]()
    for _ in range(600):
        before = genes(state)
        evolve(state, 1)
        changed = np.flatnonzero((genes(state) != before).any(axis=1))
        assert len(changed) <= 2
        if len(changed) == 2:
            (one, two), steps = changed, (before[:, STEP], genes(state)[:, STEP])
            assert steps[1][one] == steps[0][two] or steps[1][two] == steps[0][one]
        items = (genes(state) != before).any(axis=0)
        kinds[len(changed), *np.flatnonzero(items).tolist()] += 1
    for kind in ((1, OPTION), (1, STEP), (1, OPTION, STEP), (2, STEP), (2, OPTION, STEP)):
        assert kinds[kind] > 5, kind


def test_variance_is_adapted() -> None:
    _, state = under_way("AAS, cube, one port", 16, population=16, least=0.5, generation=10**6)
    size = state.best.shape[1]
    share = wanted(size)
    narrower = np.exp(RATE * share / (share - 1))
    wide = narrow = 0
    for _ in range(1500):
        drawn, total = state.figures[DRAWN], state.cost.copy()
        evolve(state, 1)
        better = bool((state.cost < total).any())
        expected = min(drawn * (np.exp(RATE) if better else narrower), size)
        assert state.figures[DRAWN] == pytest.approx(max(expected, 0.5))
        wide, narrow = wide + better, narrow + (not better)
    assert min(wide, narrow) > 20
    evolve(state, 20_000)
    assert 0.5 <= state.figures[DRAWN] < size / 4


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
    size, heats = state.best.shape[1], []
    for _ in range(10):
        cool(state)
        heats.append((state.figures[HEAT], state.figures[SPAN]))
        chances = np.exp(-np.arange(len(state.accept)) / state.figures[HEAT])
        assert np.allclose(state.accept, chances)
        state.figures[LEFT] = 0
    heat = [1.0, 0.8, 0.64, 0.512]
    expected = [(h, size * 2**i) for i in range(3) for h in heat][:10]
    assert np.allclose(heats, expected)
    cool(state)
    assert state.figures[LEFT] == state.figures[SPAN] - 1
    cool(state)
    assert state.figures[LEFT] == state.figures[SPAN] - 2


def test_templates_take_turns() -> None:
    _, state = under_way("AAS", 4, tenure=3)
    turn = 3 * state.best.shape[1]
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
    _, state = under_way("AAS", 8, population=8)
    best = int(state.cost.min())
    for _ in range(200):
        spread(state)
        assert state.cost.min() == best
    assert (state.cost == best).all()
    assert_taken(state)


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
