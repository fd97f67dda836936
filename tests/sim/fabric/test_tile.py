"""The tiles: a node, or a switch, with everything that stands beside it."""

import re
from pathlib import Path

import pytest

from syncfabric.sim.fabric import static as static_tiles
from syncfabric.sim.fabric.tile import Ports
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.static.networks import SMALL as SMALL_STATIC


def declared(text: str, top: str) -> Ports:
    """Return the ports that a text's last module declares."""
    head = text.rpartition(f"module {top} (")[2].partition(");")[0]
    found = re.findall(r"(input|output) wire \[(\d+):0\] (\w+)", head)
    return {name: (flow, int(high) + 1) for flow, high, name in found}


@pytest.mark.icarus
def test_icarus_takes_a_static_networks_tiles_and_their_ports(tmp_path: Path) -> None:
    tiles = static_tiles.tiles(SMALL_STATIC)
    assert list(tiles) == ["tile", "loader_tile"]
    ports = static_tiles.tile_ports(SMALL_STATIC), static_tiles.loader_ports(SMALL_STATIC)
    for (top, text), listed in zip(tiles.items(), ports, strict=True):
        compiles(text, top, tmp_path)
        assert declared(text, top) == listed
    assert ports[0]["west_in_flush"] == ("input", 1)
    assert ports[0]["index"] == ports[1]["config_node"] == ("input", 4)  # 12 nodes, a loader
