"""Vectors of cores in streams and by software: the networks, and what is said of their cycles."""

from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.networks.reader import load
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.cores.events import Events, Put
from syncfabric.sim.experiments.bench import core_vectors as figures
from tests.sim.experiments.bench.conftest import rows_of
from tests.sim.experiments.bench.test_cores import EMPTY


@pytest.mark.parametrize(
    ("made", "name"),
    [(figures.all_cores, "vectors-4x4"), (figures.rows_and_columns, "vectors-rows")],
)
def test_the_meshes_are_the_ready_made_ones(made: Any, name: str) -> None:
    ours, there = made(4), load(name)
    assert ours.network == there.network
    assert ours.groups == there.groups
    assert len(made(8).network.topology.nodes) == 64


def test_the_best_over_messages_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each method takes cycles by its macros; one core is later than the others."""
    asked: list[dict[str, str]] = []

    def ran(name: str, spec: Any, barrier: str, cores: int, defines: Any, kib: int) -> Any:
        asked.append({"name": name, "kib": str(kib), **defines})
        slow = {"0": 10, "2": 300 if defines.get("SF_SHORT") == "0" else 200, "3": 50}
        end = 1000 + slow.get(defines["BY"], 40)
        put = (Put(core, 0, at) for core in range(cores) for at in (1000 - core, end + core % 2))
        return replace(EMPTY, cores=cores, console=tuple(put)), Events()

    monkeypatch.setattr(figures, "run_cores", ran)
    monkeypatch.setattr(figures, "SIDES", (2,))
    rows = {row.claim: row.ours for row in rows_of(figures.core_vectors)}
    assert rows["4 cores, broadcast, 4 KiB"] == "11; chains, rings 301, halves 201, tree 51: 4.6"
    assert rows["4 cores, broadcast, 16 KiB"] == "11; chains, rings 301, halves 201: 18.3"
    assert rows["4 cores, broadcast, mean ratio"] == "11.5"
    assert rows["4 cores, all-reduce, 1 KiB"] == "11; chains, rings 301, halves 201: 18.3"
    assert {one["WORDS"] for one in asked} == {"256", "1024", "4096", "8192"}
    rows = {row.claim: row.ours for row in rows_of(figures.core_vector_programs)}
    assert rows["4 cores, sgd"] == "11, 41, 201: 3.73, 18.27"
    assert {one["kib"] for one in asked[-12:]} == {"32"}


def test_each_edge_of_the_tree_of_pairs_has_a_stream() -> None:
    groups = {group.id: group for group in make_plan(figures.pairs()).groups}
    index = figures.pairs().network.topology.index
    for child in range(1, 16):
        assert [*map(index, groups[100 + child].members)] == [child & child - 1, child]
        assert groups[100 + child].stream_bound is not None


@pytest.mark.nightly
def test_a_tree_of_pairs_takes_four_times_as_long() -> None:
    pytest.importorskip("ziglang")
    pytest.importorskip("pythondata_cpu_picorv32")
    for kind in range(2):
        given = {"WORDS": "300", "KIND": str(kind), "BY": "4"}
        assert 4 * 300 < figures.took("collectives", figures.pairs(), given) < 4 * (300 + 300)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", figures.KINDS)
def test_streams_take_less_than_any_method_over_messages(kind: str) -> None:
    pytest.importorskip("ziglang")
    pytest.importorskip("pythondata_cpu_picorv32")
    stream, software = figures.collective(figures.all_cores(2), kind, 1)
    assert 256 < stream < 256 + 150
    assert len(software) == 2 + (kind == "broadcast")
    assert min(software.values()) > 30 * stream
