"""The tiles: a node, or a switch, with everything that stands beside it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.sim.fabric import irregular as irregular_tiles
from syncfabric.sim.fabric import mesh as mesh_tile
from syncfabric.sim.fabric import static as static_tiles
from syncfabric.sim.fabric.tile import Ports
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.clusters import SMALL, ring
from tests.sim.drive.networks import irregular, mesh
from tests.sim.drive.static.networks import SMALL as SMALL_STATIC

MESHES = {
    "no data": mesh(1, 1, data_bits=0),
    "own links": mesh(2, 2, sync_links="own", channels=2),
    "wires alone": mesh(2, 2, sync="wires", channels=0),
    "messages alone": mesh(2, 1, channels=0, barrier_registers=1),
    "both, managers": mesh(2, 2, sync="both", data_bits=0, setup="manager", parity=True),
}
CLUSTERS = {
    "no data": irregular(Irregular(2, 1, (), ((0, 1),)), data_bits=0),
    "two channels": ring(3, 1),
    "wires alone": irregular(SMALL, sync="wires", channels=0, data_bits=0),
    "wires, managers": irregular(SMALL, sync="wires", wires="shared", setup="manager"),
}


def declared(text: str, top: str) -> Ports:
    """Return the ports that a text's last module declares."""
    head = text.rpartition(f"module {top} (")[2].partition(");")[0]
    found = re.findall(r"(input|output) wire \[(\d+):0\] (\w+)", head)
    return {name: (way, int(high) + 1) for way, high, name in found}


def some(names: Iterable[str]) -> list[Any]:
    """Return the names, of which those that have not the most in them are long."""
    few = ("both, managers", "no data")
    return [pytest.param(name, marks=[] if name in few else pytest.mark.long) for name in names]


@pytest.mark.icarus
@pytest.mark.parametrize("name", some(MESHES))
def test_icarus_takes_a_mesh_tile_and_its_ports_are_those_told(name: str, tmp_path: Path) -> None:
    spec = MESHES[name]
    ((top, text),) = mesh_tile.tiles(spec, queue=64).items()
    compiles(text, top, tmp_path)
    assert declared(text, top) == mesh_tile.tile_ports(spec)


@pytest.mark.icarus
@pytest.mark.parametrize("name", some(CLUSTERS))
def test_icarus_takes_switch_and_node_tile_and_their_ports(name: str, tmp_path: Path) -> None:
    spec = CLUSTERS[name]
    tiles = irregular_tiles.tiles(spec, queue=64)
    assert list(tiles) == ["switch_tile", "node_tile"]
    ports = irregular_tiles.switch_ports(spec), irregular_tiles.node_ports(spec)
    for (top, text), told in zip(tiles.items(), ports, strict=True):
        compiles(text, top, tmp_path)
        assert declared(text, top) == told


@pytest.mark.icarus
def test_icarus_takes_a_static_networks_tiles_and_their_ports(tmp_path: Path) -> None:
    tiles = static_tiles.tiles(SMALL_STATIC)
    assert list(tiles) == ["tile", "loader_tile"]
    ports = static_tiles.tile_ports(SMALL_STATIC), static_tiles.loader_ports(SMALL_STATIC)
    for (top, text), told in zip(tiles.items(), ports, strict=True):
        compiles(text, top, tmp_path)
        assert declared(text, top) == told
    assert ports[0]["west_in_flush"] == ("input", 1)
    assert ports[0]["index"] == ports[1]["config_node"] == ("input", 4)  # 12 nodes, a loader


def test_a_tile_knows_its_place_by_its_inputs_alone() -> None:
    ports = mesh_tile.tile_ports(mesh(8, 4))
    places = {"x": 3, "y": 2, "index": 5, "header": 3 + 2 + 1}
    assert {name: ports[name] for name in places} == {
        name: ("input", width) for name, width in places.items()
    }
    spec = irregular(SMALL)  # ports of 3 bits, 3 switches, 4 nodes
    ports = irregular_tiles.node_ports(spec)
    places = {"target": 3, "index": 2, "header": 1 + 3 + 2}
    assert {name: ports[name] for name in places} == {
        name: ("input", width) for name, width in places.items()
    }
    ports = irregular_tiles.switch_ports(spec)
    places = {"number": 2, "target": 3, "routes": 9, "dateline": 4}
    assert {name: ports[name] for name in places} == {
        name: ("input", width) for name, width in places.items()
    }


def test_links_of_their_own_are_ports_too() -> None:
    shared, own = (mesh_tile.tile_ports(mesh(2, 2, sync_links=ways)) for ways in ("shared", "own"))
    assert own.keys() - shared.keys() == {
        f"{side}_{way}_sync" for side in ("east", "north", "west", "south") for way in ("in", "out")
    }


def test_credits_for_messages_are_ports_where_messages_wait() -> None:
    plain, buffered = (
        irregular_tiles.switch_ports(irregular(SMALL, operations=operations))
        for operations in ("bitwise", "all")
    )
    extra = {f"{way}_{p}_sync_credit" for way in ("in", "out") for p in range(4)}
    assert buffered.keys() - plain.keys() == extra
    assert buffered["in_0_sync_credit"] == ("output", 1)
    assert buffered["out_0_sync_credit"] == ("input", 1)


def test_a_tile_of_wires_alone_knows_no_packets() -> None:
    for ports, wires in (
        (mesh_tile.tile_ports(mesh(2, 2, sync="wires", channels=0)), 8),
        (irregular_tiles.node_ports(irregular(SMALL, sync="wires", channels=0)), 2),
    ):
        for name in ("header", "cycle", "put_valid", "created", "inject_valid", "last"):
            assert name not in ports, name
        assert sum(name.endswith("_wires") for name in ports) == wires
        assert not any(name.endswith(("_flit", "_credit", "sync_valid")) for name in ports)
        assert ports["broken"] == ("output", 4)


def test_a_tile_of_messages_alone_knows_no_packets() -> None:
    ports = mesh_tile.tile_ports(mesh(2, 2, channels=0))
    for name in ("header", "cycle", "put_valid", "created", "inject_valid"):
        assert name not in ports, name
    ends = {name.rpartition("_out_")[2] for name in ports if "_out_" in name}
    assert ends == {"sync_valid", "sync", "sync_credit"}


def test_no_data_no_ports_for_it() -> None:
    for ports in (
        mesh_tile.tile_ports(mesh(2, 2, data_bits=0)),
        irregular_tiles.node_ports(irregular(SMALL, data_bits=0)),
    ):
        assert not {"data", "result"} & ports.keys()
