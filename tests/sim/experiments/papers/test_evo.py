"""Paper EVO's experiments."""

from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Task
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.claim import Claim
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.papers import evo
from syncfabric.sim.experiments.papers.evo_runs import Entry, Method, Shortest, shortest


def work_of(name: str, **options: Any) -> Work:
    return Work(EXPERIMENTS[name], **options)


def row(work: Work, claim: str) -> Claim:
    (found,) = (row for row in work.claims if row.claim == claim)
    return found


def ring_oas() -> Task:
    ring = named("ring-4")
    return Task(ring, collective("OAS", ring))


def test_table_4_is_right_as_printed() -> None:
    work = work_of("evo-table4")
    work.experiment.function(work)
    assert row(work, "pairs served").ours == 56
    assert row(work, "conflicts that the checker finds").ours == 0
    assert row(work, "lower bound of steps").ours == 4
    assert row(work, "optimal").ours == "yes"
    assert work.drawing is not None


def test_defects_of_a_printed_schedule_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = evo.TABLE_4
    monkeypatch.setattr(evo, "TABLE_4", (first.replace("073", "012"), *others))
    work = work_of("evo-table4")
    evo.table4.function(work)
    assert row(work, "pairs served").ours == 55
    defects = [claim.ours for claim in work.claims if claim.claim == "defect"]
    assert len(defects) == row(work, "conflicts that the checker finds").ours != 0
    assert any("node 3 never gets the message of node 0" in str(defect) for defect in defects)
    assert row(work, "optimal").ours == "no"


def test_the_chromosome_of_figure_5_is_right_as_printed() -> None:
    work = work_of("evo-fig5")
    work.experiment.function(work)
    assert {claim.verdict for claim in work.claims} == {"holds"}


def test_a_wrong_gene_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tuple((4, 0, 1) if node == 5 else gene for node, gene in enumerate(evo.FIG_5))
    monkeypatch.setattr(evo, "FIG_5", changed)
    work = work_of("evo-fig5")
    evo.fig5.function(work)
    assert row(work, "conflicts that the checker finds").verdict == "does not hold"


def test_named_topologies_have_a_row_a_collective(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evo, "NAMED", {"K-ring": "k-ring-4"})
    monkeypatch.setattr(evo, "SCALED", dict.fromkeys(evo.SCALED, "octagon-8"))
    for name in ("evo-topologies", "evo-octagon"):
        work = work_of(name, time_limit=1)
        work.experiment.function(work)
        steps = [claim for claim in work.claims if claim.claim.endswith(": steps")]
        assert len(steps) == (4 if name == "evo-topologies" else 8)
        assert all(claim.ours is not None for claim in steps)


@pytest.mark.parametrize("kind", evo.TABLE_2)
@pytest.mark.parametrize("size", [8, 16, 32])
def test_bounds_of_table_2_are_the_papers(kind: str, size: int) -> None:
    assert lower_bounds(evo.task(kind, size))[0].value == evo.TABLE_2[kind][1][size][0]


def given(results: dict[tuple[str, str], Entry]) -> Callable[[Work, Method, Task, int], Entry]:
    """What hands out entries by method and topology."""
    return lambda work, method, task, steps: results[method, task.topology.name]


def test_rates_of_table_2_stand_beside_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    results = {
        ("mboa", "hypercube-64"): Entry(10, (), (), 2),
        ("hgsa", "hypercube-64"): Entry(10, (5,) * 9, (1.0,) * 9, 1),
    }
    monkeypatch.setattr(evo, "make_runs", given(results))
    work = work_of("evo-table2", time_limit=5.0)
    monkeypatch.setattr(evo, "SIZES", (64,))
    evo.table2.function(work)
    missed = row(work, "OAB on hypercube-64, MBOA: runs that reach it, %")
    assert (missed.paper, missed.ours) == (70, 0)
    assert missed.note.startswith("below the paper; ")
    footnote = row(work, "OAB on hypercube-64, HGSA: runs that reach it, %")
    assert (footnote.paper, footnote.ours) == (100, 90)
    above = row(work, "AAB on hypercube-64, HGSA: runs that reach it, %")
    assert (above.paper, above.ours) == (80, 90)
    assert "below" not in above.note
    found = row(work, "AAS on hypercube-64, auto: steps")
    assert (found.paper, found.ours) == (None, 32)
    assert found.note.startswith("optimal: ")
    assert not any("AAB on hypercube-64, auto" in claim.claim for claim in work.claims)
    assert work.series["OAS MBOA, paper"] == [(64, 90)]
    assert work.series["AAB HGSA, ours"] == [(64, 90)]


def test_evaluations_are_means_of_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    results = {
        ("hgsa", "hypercube-8"): Entry(4, (10, 20), (0.5, 2.0), 3),
        ("hgsa", "hypercube-16"): Entry(4, (30, 60), (0.25, 1.0), 3),
        ("hgsa", "hypercube-32"): Entry(4, (), (), 3),
    }
    monkeypatch.setattr(evo, "make_runs", given(results))
    work = work_of("evo-fig9")
    monkeypatch.setattr(evo, "FIG_9", (8, 16, 32))
    evo.fig9.function(work)
    assert work.series == {"AAB by HGSA": [(8, 15), (16, 45)]}
    assert row(work, "AAB by HGSA on hypercube-32: mean evaluations").ours is None
    assert row(work, "AAB by HGSA: every doubling takes more evaluations").ours == "yes"
    assert row(work, "AAB by HGSA: times more evaluations a doubling, at most").ours == 3
    assert row(work, "AAB by HGSA: time of a run").ours == "0.25 s to 2 s"
    work = work_of("evo-fig9")
    results["hgsa", "hypercube-32"] = Entry(1, (40,), (1.0,), None)
    monkeypatch.setattr(evo, "FIG_9", (8, 16, 32))
    evo.fig9.function(work)
    assert row(work, "AAB by HGSA: every doubling takes more evaluations").ours == "no"


def test_tables_3_and_5_have_the_specified_sets() -> None:
    octagon = named("fat-octagon-16")
    routers = [octagon.successors[node][0] for node in evo.EIGHT]
    counts = [routers.count(router) for router in dict.fromkeys(routers)]
    assert counts == [1, 2, 2, 2, 1]
    assert sorted((*evo.EIGHT, *evo.OTHERS)) == list(evo.ALL)
    assert [name for name, *_ in evo.TABLE_3] == ["mesh-4x4", "mesh-4x4", "coated-mesh-4x4"]


def test_table_3_takes_the_best_that_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = shortest(work_of("evo-table3"), ring_oas(), "a ring")
    lengths = iter([16, 24, 24, 18])
    monkeypatch.setattr(evo, "shortest", lambda *_: found._replace(steps=next(lengths)))
    monkeypatch.setattr(evo, "TABLE_3", (("mesh-4x4", 1, (17, 60), (17, 60)),))
    entries = {("hgsa", "mesh-4x4"): Entry(1, (5,), (1.0,), None)}
    monkeypatch.setattr(evo, "make_runs", given(entries))
    entries["mboa", "mesh-4x4"] = entries["hgsa", "mesh-4x4"]
    work = work_of("evo-table3")
    evo.table3.function(work)
    assert row(work, "AAB on mesh-4x4, 1 port: steps").ours == 16
    best = row(work, "AAS on mesh-4x4, 1 port: steps")
    assert (best.ours, best.note[:22]) == (17, "by MBOA, not by auto; ")
    assert row(work, "AAB on mesh-4x4, 1 port, each copy counting: steps").ours == 24
    entries["mboa", "mesh-4x4"] = Entry(1, (), (), 3)
    lengths = iter([16, 18, 18])
    work = work_of("evo-table3")
    evo.table3.function(work)
    assert row(work, "AAS on mesh-4x4, 1 port: steps").ours == 18


def test_table_5_states_bounds_and_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evo, "TABLE_5", {"8 to the other 8": {"MNS": (8, 10)}})
    work = work_of("evo-table5", time_limit=10.0)
    evo.table5.function(work)
    bound = row(work, "MNS, 8 to the other 8: lower bound, steps")
    assert (bound.paper, bound.ours) == (8, 10)
    assert bound.note.startswith("more than the paper's: ")
    assert row(work, "MNS, 8 to the other 8: steps").ours == 10


def test_table_5_names_every_kind_of_every_group(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "8 to the same 8"
    monkeypatch.setattr(evo, "TABLE_5", {name: evo.TABLE_5[name]})
    monkeypatch.setattr(evo, "shortest", lambda *_: Shortest(7, 7, "", 7, "", None))
    work = work_of("evo-table5")
    evo.table5.function(work)
    rows = ("lower bound, steps", "steps", "paths of 1 hop more allowed: steps")
    found = [
        claim.claim.replace(f", {name}, ", ": ").replace(f", {name}", "") for claim in work.claims
    ]
    assert found == [f"{kind}: {row}" for kind in ("MNB", "MNS") for row in rows]
    longer = row(work, f"MNS, {name}, paths of 1 hop more allowed: steps")
    assert (longer.paper, longer.ours) == (7, 7)


@pytest.mark.nightly
def test_fig_7_needs_one_longer_path() -> None:
    work = work_of("evo-fig7", time_limit=60.0)
    work.experiment.function(work)
    what = "OAS from an edge node, non-minimal paths"
    assert row(work, f"{what}: steps").ours == 5
    assert row(work, f"{what}: messages in every step, at least").ours == 3
    assert row(work, f"{what}: messages on a longer path").ours == 1
    assert row(work, f"{what}: minimal ones alone need more steps").ours == "yes"
    assert row(work, "OAS from a corner, minimal paths: steps").ours == 8
    assert row(work, "OAS from an edge node, minimal paths: steps").ours == 6
    assert row(work, "OAS from an inner node, minimal paths: steps").ours == 4
