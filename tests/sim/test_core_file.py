"""The core files of networks are as FuseSoC wants them."""

from importlib.metadata import version
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.sim.core_file import core_file, parameters
from syncfabric.sim.front import Front
from tests.sim.fusesoc import lint, set_up


def test_name_and_parameters_are_in_the_core_file() -> None:
    network = Network.load("wires-8x8").spec.network
    lines = core_file("network", "wires-8x8", "top", 'a "mesh"', network).splitlines()
    assert lines[0] == "CAPI=2:"
    assert lines[1] == f'name: "syncfabric:network:wires-8x8:{version("syncfabric")}"'
    assert lines[2].startswith('description: "a \\"mesh\\"; kind = mesh, width = ')
    assert "wires = 4" in lines[2]
    assert "managers" not in lines[2]


def test_meanings_of_parameters_are_those_of_the_schema() -> None:
    found = parameters(Network.load("mesh-4x4").spec.network)
    assert found["groups"] == (16, "Groups a router can hold.")
    assert found["width"] == (4, "Nodes from west to east.")


@pytest.mark.nightly
@pytest.mark.parametrize("front", [None, Front("axi"), Front("uart")])
@pytest.mark.parametrize("name", ["mesh-2x2", "churn-cluster", "wires-cluster", "reflex-2x2"])
def test_networks_lint_and_have_their_targets(
    name: str, front: Front | None, tmp_path: Path
) -> None:
    Network.load(name).build(tmp_path, front=front)
    for target in ("synth", "place"):
        set_up(tmp_path, f"network:{name}", target)
    lint(tmp_path, f"network:{name}")
