"""Reading network files, ready-made and others."""

import random
import re
import time
from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh

READY = """
    board-4x4 board-streams campaign-cluster campaign-mesh campaign-shared campaign-static
    campaign-streams
    campaign-wires
    churn-cluster churn-mesh cluster-19 cluster-75 cluster-300 cluster-fig1 demo fig1 mesh-2x2
    mesh-4x4 mesh-5x3
    mesh-8x8-groups mesh-8x8 mesh-16x16 mesh-32x32 recover-4x4 reduce-4x4 reflex-2x2 reflex-4x4
    reflex-8x8 reflex-fat-tree reflex-groups reflex-odd reflex-torus reflex-tree-8x8 ring-8
    row-1x8 shared-links soak-4x4
    soak-8x8 soak-cluster soak-fat-tree soak-streams soak-torus-8x8 soak-torus soak-wires star-9
    transit twins two-channels
    vectors-4x4 vectors-rows wires-4x4 wires-8x8 wires-16x16 wires-64x64 wires-both wires-cluster
"""


def test_ready_made_networks_are_listed_with_a_description() -> None:
    found = reader.ready_made()
    assert list(found) == READY.split()
    assert found["mesh-8x8"] == "All nodes of an 8x8 mesh"
    assert all(line and "\n" not in line for line in found.values())


@pytest.mark.parametrize("name", READY.split())
def test_ready_made_networks_load_under_their_own_name(name: str) -> None:
    spec = reader.load(name)
    assert spec.name == name
    assert spec.groups


def test_demo_has_the_three_groups() -> None:
    one, two, three = reader.load("demo").groups
    assert one.members == reader.load("fig1").groups[0].members
    assert len(one.members) == 14
    assert list(two.members) == Mesh(8, 8).nodes
    assert list(three.members) == random.Random(7).sample(Mesh(8, 8).nodes, 16)
    assert [group.id for group in (one, two, three)] == [1, 2, 3]


def test_a_path_is_read_and_is_not_taken_for_a_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\n[network]\nkind = "mesh"\nwidth = 2\nheight = 3\n')
    spec = reader.load(path)
    assert spec.name == "mine"
    assert spec.groups == ()
    assert reader.load(str(path)) == spec


def test_ready_made_clusters_are_as_large_as_the_papers() -> None:
    sizes = {}
    for name in ("cluster-19", "cluster-75", "cluster-300"):
        network = reader.load(name).network
        assert network.kind == "irregular"
        sizes[name] = network.switches, len(network.nodes), len(network.links), network.notes
    assert sizes == {
        "cluster-19": (19, 64, 25, ()),
        "cluster-75": (75, 256, 97, ()),
        "cluster-300": (300, 1024, 388, ()),
    }


def test_the_ring_sends_packets_by_the_shortest_path() -> None:
    network = reader.load("ring-8").network
    assert network.kind == "irregular"
    assert network.tables is not None
    for switch in range(8):
        for destination in set(range(8)) - {switch}:
            here, hops = switch, 0
            while here != destination:
                there = network.topology.across(here, network.tables[here][destination])
                assert there is not None
                here, hops = there[0], hops + 1
            assert hops == min((destination - switch) % 8, (switch - destination) % 8)
    for place in network.datelines:
        ends = {place[0], (network.topology.across(*place) or place)[0]}
        assert ends == {0, 7}


def test_the_transit_network_has_a_switch_without_node_between_others() -> None:
    network = reader.load("transit").network
    assert network.kind == "irregular"
    bare = set(range(network.switches)) - {switch for switch, _ in network.nodes}
    assert bare == {1}
    assert sum(1 in (a[0], b[0]) for a, b in network.links) == 3


IRREGULAR = 'name = "n"\n[network]\nkind = "irregular"\nports = 4\n'


def test_files_are_found_from_the_network_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    text = IRREGULAR + 'graph = "../net.txt"\ntables = "routes.csv"\n'
    (folder / "net.toml").write_text(text)
    (tmp_path / "net.txt").write_text("a b\n")
    (folder / "routes.csv").write_text("switch,destination,port\n0,1,0\n1,0,0\n")
    spec = reader.load(folder / "net.toml")
    assert spec.network.kind == "irregular"
    assert spec.network.links == (((0, 0), (1, 0)),)
    assert spec.network.tables == ((-1, 0), (0, -1))
    assert reader.loads(text, folder=folder) == spec
    with pytest.raises(SpecError, match=r"^network: graph \.\./net\.txt does not exist; "):
        reader.loads(text)
    monkeypatch.chdir(folder)
    assert reader.loads(text) == spec
    assert reader.load("net.toml") == spec


def test_a_large_random_network_is_read_in_a_few_seconds() -> None:
    text = IRREGULAR.replace("= 4", "= 8") + (
        "random = { switches = 20000, nodes = 60000, connectivity = 0.75, seed = 1 }\n"
        '[[group]]\nid = 1\nmembers = "all"\n'
    )
    start = time.process_time()
    spec = reader.loads(text)
    assert spec.network.kind == "irregular"
    assert len(spec.network.links) == 30000
    assert time.process_time() - start < 6


def test_an_unknown_network_is_refused_with_the_nearest() -> None:
    message = '"fig2" is neither a network file nor a ready-made network; did you mean "fig1"?'
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        reader.load("fig2")


def test_a_folder_and_a_binary_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SpecError, match=f"^{re.escape(str(tmp_path))}: it is a folder; name a file$"
    ):
        reader.load(tmp_path)
    path = tmp_path / "a.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SpecError, match=f"^{re.escape(str(path))}: not a text file in UTF-8$"):
        reader.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\nwidth = = 3\n', "line 2, column 9: not TOML: invalid value"),
        (
            "name = 1\nname = 2\n",
            "line 2, column 9: not TOML: cannot overwrite a value",
        ),
        (
            "[network",
            "line 1, column 9: not TOML: expected ']' at the end of a table declaration",
        ),
        ("x = ", "line 1, column 5: not TOML: invalid value"),
    ],
)
def test_malformed_toml_is_refused_with_line_and_column(text: str, message: str) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        reader.loads(text)
