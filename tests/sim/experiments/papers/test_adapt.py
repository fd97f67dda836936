"""The experiments of paper ADAPT: what they count, and that the figures come out."""

import random

import numpy as np
import pytest

from syncfabric.models.broadcast.layout import parent
from syncfabric.models.broadcast.strategies import STRATEGIES
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.experiments.papers import adapt
from syncfabric.sim.experiments.papers.adapt import SlowLink, drawn
from tests.models.broadcast.golden import GoldenTree
from tests.sim.experiments.papers.done import ours, work_of


def test_distances_are_symmetric_and_as_far_as_they_may() -> None:
    matrix = drawn(np.random.default_rng(1), 200, 10)
    assert (matrix == matrix.T).all()
    assert set(np.unique(matrix[~np.eye(200, dtype=bool)])) == set(range(1, 11))
    assert not matrix.diagonal().any()


@pytest.mark.parametrize("seed", range(6))
def test_a_slow_link_is_swapped_away_as_by_a_plain_reference(seed: int) -> None:
    link = SlowLink.draw(seed, 24)
    nodes = link.before.at.tolist()
    usual = link.before.link(link.child)
    gain, step = adapt.topology(seed, 24)
    for factor in (5, 40):
        place = adapt.FACTORS.index(factor)
        raised = link.slow(factor)
        assert raised.link(link.child) == usual + factor
        for strategy in STRATEGIES:
            after, found = link.swap(strategy, raised)
            pairs = [(i, j) for i in range(24) for j in range(i)]
            known = {
                frozenset(pair): float(link.costs.between(*np.array(pair)[:, None])[0])
                for pair in pairs
            }
            ends = nodes[link.child], nodes[parent(link.child)]
            golden = GoldenTree(list(nodes), known | {frozenset(ends): usual}, rise=strategy)
            golden.update_cost(*ends, usual + factor)
            assert (found.steps, after.at.tolist()) == (golden.steps, golden.nodes)
            assert (raised.cost, after.cost) == (golden.raised, golden.cost)
            strategy_place = STRATEGIES.index(strategy)
            assert step[place][strategy_place] == golden.steps
            assert gain[place][strategy_place] == pytest.approx(1 - golden.cost / golden.raised)
    assert link.before.at.tolist() == nodes


def test_figures_7_and_8_have_a_curve_a_strategy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt, "NODES", 64)
    seven, eight = work_of("adapt-fig7", 3), work_of("adapt-fig8", 3)
    assert list(seven.series) == ["family", "path", "leaf", "position", "highest gain, paper"]
    assert seven.series.pop("highest gain, paper") == [(40, 0.8)]
    for points in seven.series.values():
        assert [x for x, _ in points] == list(adapt.FACTORS)
        assert all(0 <= y < 1 for _, y in points)
    for strategy in STRATEGIES:
        gain, step, benefit = (
            dict(work.series[label])
            for work, label in (
                (seven, strategy),
                (eight, f"steps of {strategy}"),
                (eight, f"benefit of {strategy}"),
            )
        )
        assert all(benefit[x] == pytest.approx(gain[x] / step[x]) for x in adapt.FACTORS if step[x])
    assert len(figure_of(eight).axes) == 2
    again = work_of("adapt-fig7", 3).series
    assert {label: again[label] for label in seven.series} == seven.series
    assert work_of("adapt-fig7", 3, seed=6).series != seven.series


def test_figure_9_counts_what_is_left_of_the_swaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt, "NODES", 32)
    monkeypatch.setattr(adapt, "EVENTS", 60)
    for name in ("adapt-fig9", "adapt-fig9-before"):
        work = work_of(name, 3)
        assert list(work.series)[:3] == ["no swaps", "position/path", "position/position"]
        assert work.series[f"over no swaps, {adapt.NEARLY}, paper"][0] == (10, 0.5)
        assert len(figure_of(work).axes) == 2
        cost = {label: dict(points) for label, points in work.series.items()}
        for farthest in adapt.FARTHEST:
            claim = f"cost with position/path over that with no swaps, distances to {farthest}"
            ratio = cost["position/path"][farthest] / cost["no swaps"][farthest]
            assert ours(work)[claim] == pytest.approx(ratio)
            assert ratio < 1


def test_the_best_tree_is_never_dearer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt, "SMALL", 8)
    work = work_of("adapt-optimum", 4)
    assert len(work.series) == 6 + 2 * 8
    assert all(y >= 1 for points in work.series.values() for _, y in points)
    assert len(figure_of(work).axes) == 3


def test_a_rebuilt_tree_is_one_of_those_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt, "NODES", 32)
    work = work_of("adapt-rebuild", 2)
    for words in adapt.MEASURES:
        assert [y for _, y in work.series[f"{words}, rebuilt"]] == [1, 1, 1]


def test_the_tables_come_out() -> None:
    work = work_of("adapt-tables")
    assert len(work.claims) == 12
    assert {claim.verdict for claim in work.claims} == {"holds"}


def test_a_user_can_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt, "NODES", 64)
    stop = random.Random(1)
    work = Work(EXPERIMENTS["adapt-fig7"], runs=1000, stop=lambda: stop.random() < 0.2)
    with pytest.raises(KeyboardInterrupt):
        work.experiment.function(work)
    assert work.series == {}


# References of SPEC section 4 for factor 40: gain, steps, and four standard errors of each.
REFERENCES = {
    "family": (0.359, 0.05, 3.4, 0.4),
    "path": (0.666, 0.05, 3.7, 0.4),
    "leaf": (0.781, 0.02, 55, 25),
    "position": (0.778, 0.02, 232, 50),
}


@pytest.mark.nightly
def test_figures_7_and_8_at_the_paper_s_size() -> None:
    gain, step = work_of("adapt-fig7", 1000), work_of("adapt-fig8", 1000)
    for strategy, (mean, away, steps, apart) in REFERENCES.items():
        assert dict(gain.series[strategy])[40] == pytest.approx(mean, abs=away)
        assert dict(step.series[f"steps of {strategy}"])[40] == pytest.approx(steps, abs=apart)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "path", "position"),
    [
        ("adapt-fig9", (0.54, 0.51, 0.50), (0.38, 0.32, 0.31)),
        ("adapt-fig9-before", (0.75, 0.70, 0.73), (0.38, 0.33, 0.33)),
    ],
)
def test_figure_9_at_a_tenth_of_the_paper_s_size(
    name: str, path: tuple[float, ...], position: tuple[float, ...]
) -> None:
    found = ours(work_of(name, 10))
    for label, values in (("position/path", path), ("position/position", position)):
        for farthest, value in zip(adapt.FARTHEST, values, strict=True):
            claim = f"cost with {label} over that with no swaps, distances to {farthest}"
            assert found[claim] == pytest.approx(value, abs=0.08)
