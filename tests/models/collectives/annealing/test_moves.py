"""Conflicts counted move by move are those that a count from nothing finds, and the checker's."""

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.island import Island, Parameters
from syncfabric.models.collectives.annealing.kernel import repair
from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.encoding import Encoding, encode
from syncfabric.models.collectives.moves import Chain, make
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.errors import SpecError
from tests.models.collectives.tasks import TASKS, task

RUNS = 20
"""Runs of 100,000 moves in which a schedule without conflicts is found."""


def conflicts(encoding: Encoding, option: NDArray[np.int32], step: NDArray[np.int32]) -> int:
    """Count conflicts as they are defined."""
    taken: dict[tuple[int, int], int] = {}
    shared = set()
    late = 0
    for gene, (o, t) in enumerate(zip(option.tolist(), step.tolist(), strict=True)):
        if t == encoding.tables.steps:
            continue
        uses = encoding.tables.use[
            encoding.tables.first_use[o] : encoding.tables.first_use[o + 1]
        ].tolist()
        for s in encoding.tables.share[
            encoding.tables.first_share[o] : encoding.tables.first_share[o + 1]
        ]:
            if (s, t) not in shared:
                shared.add((s, t))
                uses.append(int(encoding.tables.main[s]))
        for use in uses:
            taken[use, t] = taken.get((use, t), 0) + 1
        parent = encoding.tables.parent[o]
        late += bool(parent >= 0 and step[parent] >= t)
        assert encoding.tables.first_option[gene] <= o < encoding.tables.first_option[gene + 1]
        assert encoding.tables.low[gene] <= t
    over = (max(0, n - int(encoding.tables.most[use])) for (use, _), n in taken.items())
    return late + sum(over)


@pytest.mark.parametrize("name", [name for name, (*_, who) in TASKS.items() if "h" in who])
@pytest.mark.parametrize("start", [100.0, 0.5])
def test_counting_by_moves_is_counting(name: str, start: float) -> None:
    asked, steps, _ = TASKS[name]
    encoding = encode(asked, max(1, steps - 1))
    repairs = asked.collective.kind in ("OAB", "multicast")
    chosen = Parameters(population=3, start=start, mutation=0.5, repairs=repairs)
    island = Island(encoding, chosen, 7)
    for _ in range(5):
        island.run(997)
        for chain, cost in enumerate(island.costs):
            assert cost == conflicts(encoding, island.option[chain], island.step[chain])
            if cost:  # a chain stops where it has none
                assert island.least > 0 or island.costs.min() == 0
        if island.best.conflicts:
            island.take(Island(encoding, Parameters(population=1), 8).best)
            kept = [uses.copy() for uses in island.chains[2:]]
            costs = island.costs.copy()
            island.load(island.save())
            chains = len(costs)
            assert (costs == island.costs).all()
            for now, before in zip(island.chains[2:], kept, strict=True):
                assert np.array_equal(now[:chains], before[:chains])


@pytest.mark.parametrize(
    "name", ["AAS, cube", "AAS, fat", "AAB, cube", "AAB, one port", "OAB, stored"]
)
def test_there_are_conflicts_where_the_checker_finds_some(name: str) -> None:
    asked, steps, _ = TASKS[name]
    encoding = encode(asked, steps)
    island = Island(encoding, Parameters.of(asked), 3)
    for _ in range(RUNS):
        island.run(100_000)
    assert not island.best.conflicts
    _, option, step = island.best
    rng = np.random.default_rng(5)
    seen = set()
    for _ in range(60):
        gene = rng.integers(encoding.genes)
        others = option.copy(), step.copy()
        others[0][gene] = rng.integers(*encoding.tables.first_option[gene : gene + 2])
        others[1][gene] = rng.integers(encoding.tables.low[gene], encoding.tables.high[gene] + 1)
        made = Schedule(asked.topology, asked.collective, asked.rules, encoding.decode(*others))
        right = check(made).right
        assert right == (conflicts(encoding, *others) == 0)
        seen.add(right)
    assert False in seen


def test_the_printed_rule_starts_with_all_neighbours() -> None:
    encoding = encode(task("hypercube-8", "AAB"), 3, printed=True)
    near = (
        encoding.quotient.task.topology.distances[encoding.messages[:, 0], encoding.messages[:, 1]]
        == 1
    )
    assert (encoding.tables.high[near] == 0).all()
    assert (encoding.tables.high[~near] == 2).all()


@pytest.mark.parametrize(
    ("name", "value"),
    [("population", 0), ("iterations", 0), ("cooling", 1.0), ("final", 0.0), ("mutation", 1.5)],
)
def test_parameters_out_of_range_are_refused(name: str, value: float) -> None:
    with pytest.raises(SpecError, match=rf"^annealing: {name} must be .*, not {value}$"):
        Parameters(**{name: value})  # type: ignore[arg-type]


def test_a_move_changes_a_gene_or_lets_two_change_steps() -> None:
    encoding = encode(TASKS["AAS, one port"][0], 8)
    island = Island(encoding, Parameters(start=0.5, final=0.4), 3)
    kinds = Counter[tuple[int, bool, bool]]()
    for _ in range(3000):
        option, step = island.option[0].copy(), island.step[0].copy()
        island.run(1)
        options, times = island.option[0] != option, island.step[0] != step
        changed = np.flatnonzero(options | times)
        assert len(changed) <= 2
        if len(changed) == 2:
            assert island.step[0][changed].tolist() == step[changed][::-1].tolist()
        kinds[len(changed), bool(options.any()), bool(times.any())] += 1
    for kind in ((1, True, False), (1, False, True), (1, True, True), (2, True, True)):
        assert kinds[kind] > 10, kind
    assert kinds[2, False, True] > 0


@pytest.mark.parametrize("heat", [0.01, 0.7])
def test_metropolis_takes_worse_ones_as_often_as_it_is_hot(heat: float) -> None:
    encoding = encode(TASKS["AAS, one port"][0], 6)
    island = Island(encoding, Parameters(start=heat, final=heat / 2, iterations=10**6), 3)
    island.run(20_000)
    rises = Counter[int]()
    for _ in range(4000):
        before = int(island.costs[0])
        island.run(1)
        rises[int(island.costs[0]) - before] += 1
    if heat < 0.1:
        assert max(rises) == 0
    else:
        assert rises[1] > 100
        assert rises[1] > 2 * rises[2] > 0
        assert max(rises) < 8


def test_it_cools_and_is_heated_again_for_twice_as_long() -> None:
    encoding = encode(TASKS["AAS, one port"][0], 6)
    parameters = Parameters(start=1.0, final=0.5, again=0.8, cooling=0.8, iterations=100)
    island = Island(encoding, parameters, 3)
    heats = []
    for _ in range(12):
        heats.append(float(island.clock[0]))
        island.run(100)
    once = [1.0, 0.8, 0.64, 0.512]
    twice = [0.8, 0.8, 0.64, 0.64, 0.512, 0.512]
    assert np.allclose(heats, [*once, *twice, 0.8, 0.8])


def test_a_message_may_go_in_every_step_that_lets_it_arrive() -> None:
    scatter = encode(TASKS["AAS, cube"][0], 5)
    assert set(scatter.tables.low) == {0}
    assert set(scatter.tables.high) == {4}
    broadcast = encode(TASKS["AAB, cube"][0], 6)
    hops = broadcast.quotient.task.topology.distances[
        broadcast.messages[:, 0], broadcast.messages[:, 1]
    ]
    assert (broadcast.tables.low == hops - 1).all()
    assert set(broadcast.tables.high) == {5}
    for encoding in (scatter, broadcast):
        island = Island(encoding, Parameters(start=1e9), 1)
        drawn = []
        for _ in range(400):
            island.run(50)
            drawn.append(island.step[0].copy())
        assert (np.min(drawn, axis=0) == encoding.tables.low).all()
        assert (np.max(drawn, axis=0) == encoding.tables.high).all()


def test_those_who_would_send_on_too_early_are_given_others() -> None:
    """All whose message comes from a gene that now has it no earlier, or not before their step."""
    encoding, seen = encode(TASKS["OAB, stored"][0], 4), Counter[bool]()
    tables, genes = encoding.tables, encoding.genes
    for seed in range(20):
        island = Island(encoding, Parameters(population=1), seed)
        chain = Chain(*(uses[0] for uses in island.chains))
        scratch = np.empty((genes, 2), np.int64)
        for gene in range(genes):
            step = int(tables.high[gene]) - seed % 2
            make(tables, chain, gene, int(chain.option[gene]), step)
            early = {
                k
                for k, (o, t) in enumerate(zip(chain.option, chain.step, strict=True))
                if tables.parent[o] == gene and t <= step and t < tables.steps
            }
            seen += Counter(bool(chain.step[k] == step) for k in early)
            moved, _ = repair(tables, chain, gene, step, island.seeds, 0, scratch)
            assert {*scratch[:moved, 0].tolist()} == early
    assert seen[True]
    assert seen[False]
