"""Network files, and the graphs and tables that they name."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.networks.reader import LIBRARY
from syncfabric.sim.network import Network
from tests.fuzz.campaign import fuzzed, sandbox
from tests.fuzz.holds import stub
from tests.fuzz.mutation import as_toml, broken_bytes, mutated

SEEDS = (
    *("mesh-2x2", "demo", "churn-mesh", "cluster-fig1", "churn-cluster", "star-9"),
    *("twins", "ring-8", "reflex-4x4", "reflex-groups", "wires-4x4", "wires-both", "wires-cluster"),
)
GRAPHML = b"""<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="k" for="node" attr.name="kind" attr.type="string"/>
<key id="n" for="node" attr.name="nodes" attr.type="int"><default>1</default></key>
<graph edgedefault="undirected">
<node id="a"/><node id="b"><data key="n">2</data></node><node id="c"/>
<edge source="a" target="b"/><edge source="b" target="c"/><edge source="c" target="a"/>
</graph></graphml>
"""
EDGES = b"# a ring\n0 1\n1 2 {'weight': 3}\n2 3\n3 0\n"
RANDOM = {"switches": 9, "nodes": 12, "connectivity": 0.8, "seed": 1}
COMMANDS = [
    ["plan", "n.toml", "--json"],
    ["plan", "n.toml"],
    ["plan", "n.toml", "--draw", "folder/n.svg"],
    ["schemes", "n.toml", "--json"],
    ["run", "n.toml", "--sim", "model", "-o", "out", "--log", "log.csv"],
    ["build", "n.toml", "-o", "out", "--json"],
    ["report", "n.toml", "-o", "page.html"],
]
"""Each ends where it would begin to run or emit."""


@pytest.fixture(autouse=True, scope="module")
def _no_long_work() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        stub(patch, "syncfabric.sim.network.Network._drive")
        patch.setattr(
            "syncfabric.sim.products.network_verilog",
            lambda spec, *_: f"module {spec.module} (\n  input clk\n);\nendmodule\n",
        )
        yield


def _tree(name: str) -> dict[str, Any]:
    return tomllib.loads((LIBRARY / f"{name}.toml").read_text())


def _random() -> dict[str, Any]:
    return {
        "name": "drawn",
        "network": {"kind": "irregular", "ports": 4, "random": RANDOM},
        "group": [{"id": 1, "members": {"random": 4, "seed": 2}}],
    }


TREES = {**{name: _tree(name) for name in SEEDS}, "drawn": _random()}


def _call(files: dict[str, bytes], words: list[str]) -> None:
    with sandbox() as box:
        for name, data in files.items():
            (box.here / name).write_bytes(data)
        box.call(words)


@fuzzed(3)
@given(
    st.sampled_from(sorted(TREES)).flatmap(lambda name: mutated(TREES[name])),
    st.sampled_from(COMMANDS),
)
def test_values_of_a_network_file(values: dict[str, Any], words: list[str]) -> None:
    _call({"n.toml": as_toml(values), "ring-8.csv": b""}, words)


@fuzzed()
@given(
    st.sampled_from(SEEDS).flatmap(lambda n: broken_bytes((LIBRARY / f"{n}.toml").read_bytes())),
    st.sampled_from(COMMANDS[:1]),
)
def test_bytes_of_a_network_file(data: bytes, words: list[str]) -> None:
    _call({"n.toml": data}, words)


@fuzzed()
@given(
    st.one_of(broken_bytes(GRAPHML), broken_bytes(EDGES)),
    st.sampled_from(["g.graphml", "g.txt"]),
    st.booleans(),
)
def test_a_graph(data: bytes, name: str, topology: bool) -> None:
    text = f'name = "n"\n[network]\nkind = "irregular"\nports = 4\ngraph = "{name}"\n'
    words = ["topologies", name] if topology else ["plan", "n.toml", "--json"]
    _call({"n.toml": text.encode(), name: data}, words)


@fuzzed()
@given(broken_bytes((LIBRARY / "ring-8.csv").read_bytes()))
def test_tables(data: bytes) -> None:
    files = {"n.toml": (LIBRARY / "ring-8.toml").read_bytes(), "ring-8.csv": data}
    _call(files, ["plan", "n.toml", "--json"])


@fuzzed(0.5)
@given(
    st.sampled_from(["graph", "tables"]),
    st.sampled_from(["folder", "loop", "fifo", "empty", "/dev/zero", "/proc/self/mem", "a" * 300]),
)
def test_a_file_beside_that_is_none(key: str, name: str) -> None:
    values = _tree("ring-8")
    if key == "graph":
        del values["network"]["links"], values["network"]["nodes"]
    values["network"][key] = name
    _call({"n.toml": as_toml(values)}, ["plan", "n.toml"])


def test_seeds_are_sound(tmp_path: Path) -> None:
    """Or mutations of them would show little."""
    for values in TREES.values():
        file = tmp_path / "n.toml"
        file.write_bytes(as_toml(values))
        (tmp_path / "ring-8.csv").write_bytes((LIBRARY / "ring-8.csv").read_bytes())
        Network.load(file).plan()
