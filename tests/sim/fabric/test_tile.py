"""The tile: a node with everything that stands beside it."""

import re
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.fabric.tile import TILE, tile_ports, tile_verilog
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.networks import mesh

NETWORKS = {
    "no data, spill": mesh(1, 1, data_bits=0, spill=True),
    "own links": mesh(2, 2, sync_links="own", channels=2),
}


@pytest.mark.icarus
@pytest.mark.parametrize("spec", NETWORKS.values(), ids=NETWORKS)
def test_icarus_takes_it_and_its_ports_are_those_told(spec: MeshSpec, tmp_path: Path) -> None:
    text = tile_verilog(spec)
    compiles(text, TILE, tmp_path)
    head = text.rpartition(f"module {TILE} (")[2].partition(");")[0]
    found = re.findall(r"(input|output) wire \[(\d+):0\] (\w+)", head)
    assert {name: (way, int(high) + 1) for way, high, name in found} == tile_ports(spec)


def test_a_tile_knows_its_place_by_its_inputs_alone() -> None:
    ports = tile_ports(mesh(8, 4))
    assert {name: ports[name] for name in ("x", "y", "index")} == {
        "x": ("input", 3),
        "y": ("input", 2),
        "index": ("input", 5),
    }


def test_links_of_their_own_are_ports_too() -> None:
    shared, own = (tile_ports(mesh(2, 2, sync_links=links)) for links in ("shared", "own"))
    assert own.keys() - shared.keys() == {
        f"{side}_{way}_sync" for side in ("east", "north", "west", "south") for way in ("in", "out")
    }


def test_no_data_no_ports_for_it() -> None:
    ports = tile_ports(mesh(2, 2, data_bits=0, spill=True))
    assert not {"data", "result", "spill_arrive_data", "spill_release_result"} & ports.keys()
    assert "spill_arrive_gid" in ports
