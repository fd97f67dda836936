"""The parts of MBOA: trees, what is drawn from them, and what a population keeps."""

from collections import Counter

import numpy as np
import pytest

from syncfabric.models.collectives.encoding import Encoding, encode
from syncfabric.models.collectives.mboa.solve import (
    OPTION,
    RATE,
    STEP,
    Model,
    Parameters,
    _Population,
    blank_model,
    draw,
    learn,
    tournament,
)
from syncfabric.models.collectives.moves import Chain, Tables, blank_chains
from syncfabric.models.collectives.random_numbers import below, normal, seeded, uniform
from tests.models.collectives.annealing.test_moves import conflicts
from tests.models.collectives.tasks import TASKS, task


def row_of(chains: Chain, row: int) -> Chain:
    return Chain(*(values[row] for values in chains))


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


def population(name: str, **chosen: float) -> tuple[Encoding, _Population]:
    """A population, for one step less than there is a schedule for, so that it does not end."""
    asked, steps, _ = TASKS[name]
    encoding = encode(asked, steps - 1)
    parameters = Parameters(**({"exchange": 100} | chosen))  # type: ignore[arg-type]
    return encoding, _Population(encoding, parameters, 1, 0)


@pytest.mark.parametrize("name", ["AAS, cube, one port", "OAB, one port", "AAB, cube"])
def test_the_books_are_right(name: str) -> None:
    encoding, made = population(name, population=3, repairs=name.startswith("OAB"))
    for _ in range(20):
        made.run(200)
        for chain, cost in enumerate(made.costs):
            option, step = made.option[chain], made.step[chain]
            assert conflicts(encoding, option, step) == cost >= made.least
            assert encoding.holds(option, step)
    kept, costs = [uses[:3].copy() for uses in made.chains[2:]], made.costs.copy()
    made._recount()
    assert (costs == made.costs).all()
    assert all(np.array_equal(a, b[:3]) for a, b in zip(kept, made.chains[2:], strict=True))


def test_children_change_as_many_genes_as_suit() -> None:
    _, made = population("AAS, cube, one port", children=1, drawn=5, start=1e9, final=1e8)
    before = [values.copy() for values in made.chains[:2]]
    made.heat = made.clock[0]
    made.exchange()
    assert any((old != new).any() for old, new in zip(before, made.chains[:2], strict=True))
    # In the heat all are taken, so more are drawn.
    assert made.drawn[0] == pytest.approx(5 * np.exp(RATE) ** len(made.costs))


def test_in_the_cold_no_child_is_worse() -> None:
    _, made = population("AAS, cube, one port", drawn=20)
    made.clock[0] = made.heat = 1e-9
    for _ in range(20):
        before = made.costs.copy()
        made.exchange()
        assert (made.costs <= before).all()


@pytest.mark.parametrize(("leaves", "nodes"), [(0, 0), (1, 1), (8, 15)])
def test_a_model_has_as_many_leaves_as_it_may(leaves: int, nodes: int) -> None:
    _, made = population("AAS", leaves=leaves, population=8, drawn=12, selected=64)
    made.run(4000)
    assert int(made.model.nodes.max()) <= nodes
    assert bool(made.model.nodes.any()) == (leaves > 0)
    if leaves > 1:
        assert made.model.nodes.max() > 1


def test_only_after_a_descent_the_better_ones_go_on() -> None:
    _, made = population("AAS", leaves=0, population=8)
    made.heat = made.clock[0] * 2
    before = made.costs.copy()
    made.exchange()
    assert (made.costs == before).all()
    made.clock[0] *= 2
    for _ in range(20):
        made.heat = made.clock[0] / 2
        made.exchange()
    assert (made.costs == before.min()).all()
    made._recount()
    assert (made.costs == before.min()).all()


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
    values = np.array([uniform(random) for _ in range(5000)])
    assert 0 <= values.min() < 0.01
    assert 0.99 < values.max() < 1
    values = np.array([normal(random) for _ in range(5000)])
    assert abs(values.mean()) < 0.06
    assert abs(values.std() - 1) < 0.05
    assert seeded(1)[0] != seeded(2)[0]
