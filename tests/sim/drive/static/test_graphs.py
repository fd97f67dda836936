"""Static networks on graphs in hardware, compared with the golden model in every cycle."""

from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import loads
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.operations import Collective
from syncfabric.sim.network import Network
from tests.models.golden.static_plans import plan_of
from tests.nightly import nightly_but
from tests.sim.drive.static.collectives.runs import check

GRAPH = """\
0 1
1 2
2 0
2 3
3 4
1 5
"""
"""A triangle with two tails: no Hamiltonian cycle."""
RUNS = {
    "torus": 'topology = "torus-4x3"',
    "hypercube": 'topology = "hypercube-8"',
    "star": 'topology = "star-5"',
    "fat tree": 'topology = "fat-tree-2x3"',
    "graph": 'graph = "graph.txt"',
    "graph, nodes inside": 'graph = "graph.txt"\ninterfaces = false\nflit_bits = 8\nwatchdog = 99',
    "random": "ports = 5\nrandom = { switches = 8, nodes = 9, connectivity = 0.9, seed = 4 }",
}


def network(folder: Path, links: str, planner: str) -> Network:
    (folder / "graph.txt").write_text(GRAPH)
    group = f'[[group]]\nid = 1\nmembers = "all"\nplanner = "{planner}"\n'
    text = f'name = "a"\n[network]\nkind = "static"\n{links}\n{group}'
    return Network(loads(text, folder))


def runs(name: str, planner: str, simulator: str, episodes: int, folder: Path) -> None:
    made = network(folder, RUNS[name], planner)
    found = made.run(simulator, episodes, seed=3)
    assert found.verdict == "match"
    (group,) = made.plan().groups
    assert found.groups[0].latency is not None
    assert found.groups[0].latency.max <= group.bound


@pytest.mark.nightly
@pytest.mark.parametrize("planner", ["ring", "tree"])
@pytest.mark.parametrize("name", RUNS)
def test_runs(name: str, planner: str, tmp_path: Path) -> None:
    runs(name, planner, "verilator", 20, tmp_path)


@pytest.mark.icarus
@pytest.mark.parametrize("planner", ["ring", "tree"])
@pytest.mark.parametrize("name", nightly_but(["star", "graph, nodes inside", "random"], RUNS))
def test_runs_under_icarus(name: str, planner: str, tmp_path: Path) -> None:
    """Small ones are compiled and run in a tenth of the time that a compiler of C++ takes."""
    runs(name, planner, "icarus", 20, tmp_path)


@pytest.mark.parametrize("name", ["star-5", "fat-tree-2x2", "torus-3x3"])
def test_collectives(name: str) -> None:
    plan = plan_of(f'topology = "{name}"')
    asked = [("broadcast", 5), ("scatter", 2), ("reduce", 3), ("allreduce", 2)]
    collectives = tuple(Collective(1, kind, flits) for kind, flits in asked)
    scenario = Scenario(episodes=3, seed=5, policy="mixed", jitter=9, collectives=collectives)
    check(plan, scenario, ScenarioRunner(plan, scenario).run_model())


def test_cores_take_a_mesh() -> None:
    from syncfabric.sim.cores.system import shape_of

    spec: Any = plan_of('topology = "star-5"').spec
    with pytest.raises(SpecError, match=r"have a static network that is a mesh, not star-5; set"):
        shape_of(spec.network, 5, 16)
