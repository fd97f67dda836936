"""The Verilog of a network: names that stay, no machine's paths, a size linear in the nodes."""

import re
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.links import links_of, wire_links
from syncfabric.sim.assemble.mesh import link_wires, targets, top_verilog
from syncfabric.sim.assemble.network import verilog
from syncfabric.sim.assemble.top import top_ports
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.networks import mesh

NETWORKS = {
    "default": mesh(3, 2),
    "one node": mesh(1, 1, channels=2),
    "column, no data": mesh(1, 3, data_bits=0),
    "own links": mesh(2, 2, sync_links="own", operations="all"),
    "wires alone": mesh(2, 2, sync="wires", channels=0),
    "messages alone": mesh(2, 1, channels=0, barrier_registers=1),
    "wires, managers": mesh(2, 1, sync="wires", setup="manager", wires="shared", data_bits=0),
    "both": mesh(2, 1, sync="both", parity=True, link_registers=1, setup="manager"),
}

# Tools take seconds for a file: by default those that have the most in them.
FILES = [
    pytest.param(
        spec, id=name, marks=[] if name in ("both", "column, no data") else pytest.mark.long
    )
    for name, spec in NETWORKS.items()
]


def test_ports_keep_their_names_and_widths() -> None:
    """A network of 6 nodes, 4 registers, 5 data bits, 2 channels, flits of 40 bits."""
    spec = mesh(3, 2, data_bits=5, channels=2, flit_bits=40)
    assert list(top_ports(spec)) == [
        ("input", "clk", None),
        ("input", "rst", None),
        ("input", "start", None),
        ("input", "arrive", 24),
        ("input", "data", 120),
        ("output", "released", 24),
        ("output", "result", 120),
        ("output", "ready", 24),
        ("output", "done", 24),
        ("input", "config_valid", None),
        ("input", "config_node", 3),
        ("input", "config_address", 12),
        ("input", "config_write", None),
        ("input", "config_data", 32),
        ("output", "config_ready", None),
        ("output", "config_error", None),
        ("output", "config_rdata", 32),
        ("input", "inject_valid", 12),
        ("input", "inject_flit", 252),
        ("output", "inject_credit", 12),
        ("output", "eject_valid", 12),
        ("output", "eject_flit", 252),
        ("input", "eject_credit", 12),
    ]


def test_managers_add_what_a_process_says_and_hears() -> None:
    options = {"data_bits": 5}
    managed = set(top_ports(mesh(3, 2, setup="manager", **options)))
    assert managed - set(top_ports(mesh(3, 2, **options))) == {
        ("input", "last", 24),
        ("output", "broken", 24),
    }


@pytest.mark.parametrize("sync", ["wires", "messages"])
def test_networks_without_packets(sync: str) -> None:
    """A network of 6 nodes, 4 slots or registers, 5 data bits."""
    spec = mesh(3, 2, sync=sync, channels=0, data_bits=5)
    ports = {name: width for _, name, width in top_ports(spec)}
    assert not any(name.startswith(("inject", "eject")) for name in ports)
    widths = {"arrive": 24, "data": 120, "released": 24, "ready": 24, "done": 24}
    assert widths.items() <= ports.items()
    assert "last" not in ports
    assert ("broken" in ports) == (sync == "wires")


def test_both_ways_have_registers_of_each() -> None:
    """Six nodes, 4 registers of messages and 4 slots."""
    local, managed = (
        {name: width for _, name, width in top_ports(mesh(3, 2, sync="both", setup=setup))}
        for setup in ("local", "manager")
    )
    assert local["arrive"] == local["broken"] == managed["last"] == 48
    assert local["data"] == 48 * 4
    assert managed.keys() - local.keys() == {"last"}


@pytest.mark.parametrize("spec", NETWORKS.values(), ids=NETWORKS)
def test_the_text_declares_these_ports(spec: MeshSpec) -> None:
    head = top_verilog(spec, "net").partition(");")[0]
    for direction, name, width in top_ports(spec):
        bits = "" if width is None else f"[{width - 1}:0] "
        declared = f"  {direction} wire {bits}{name}"
        assert (declared in head.replace(",", "").splitlines()) == (width != 0)


@pytest.mark.icarus
@pytest.mark.parametrize("spec", FILES)
def test_icarus_takes_the_file(spec: MeshSpec, tmp_path: Path) -> None:
    compiles(verilog(spec, "net"), "net", tmp_path)


def test_instances_and_links_have_the_names_of_the_documentation() -> None:
    text = top_verilog(mesh(3, 2, sync_links="own"), "net")
    assert re.findall(r"^  mesh_node (\w+) \($", text, re.M) == [
        f"node_{x}_{y}" for y in range(2) for x in range(3)
    ]
    links = set(re.findall(r"^  wire \[\d+:0\] (link_\w+);$", text, re.M))
    assert len(links) == 6 * 2 * 7  # seven links both ways, six bundles of wires
    for bundle in ("valid", "sync_valid", "flit", "credit", "sync_credit", "sync"):
        assert f"link_0_1_east_{bundle}" in links
    assert not any(name.startswith("link_2_0_east") for name in links)


def test_barrier_wires_are_one_word_of_a_link() -> None:
    text = top_verilog(mesh(2, 1, sync="wires", channels=0), "net")
    west, east = text.split("  mesh_node ")[1:]
    assert set(re.findall(r"^  wire (.+);$", text.partition("wire [1:0] all_ready")[0], re.M)) == {
        "[39:0] link_0_0_east_wires",
        "[39:0] link_1_0_west_wires",
    }
    assert ".east_out__wires(link_0_0_east_wires)" in west
    assert ".west_in__wires(link_0_0_east_wires)" in east
    assert ".west_in__wires(40'd0)" in west
    assert ".west_out__wires()" in west
    for absent in ("valid(link", "flit", "credit", "local", "header"):
        assert absent not in text, absent


def test_links_meet_their_neighbours_and_the_rim_is_quiet() -> None:
    text = top_verilog(mesh(2, 1), "net")
    west, east = text.split("  mesh_node ")[1:]
    assert ".east_out__flit(link_0_0_east_flit)" in west
    assert ".west_in__flit(link_0_0_east_flit)" in east
    assert ".west_in__credit(link_0_0_east_credit)" in east
    assert ".east_in__sync_valid(link_1_0_west_sync_valid)" in west
    assert ".west_in__valid(1'd0)" in west
    assert ".west_out__valid()" in west
    assert ".north_out__credit(1'd0)" in west


def test_beyond_the_rim_all_buffers_are_empty() -> None:
    """What is sent there is lost, and its credit comes back."""
    west = top_verilog(mesh(2, 1, check_bits=4), "net").split("  mesh_node ")[1]
    assert ".east_out__empty(link_0_0_east_empty)" in west
    assert all(f".{side}_out__empty({{3{{1'd1}}}})" in west for side in ("north", "west", "south"))


def test_nothing_of_this_machine_is_in_the_file() -> None:
    text = verilog(mesh(2, 2), "net")
    for path in (str(Path(__file__).parents[3]), str(Path.home()), "/usr/", "/tmp", ".py"):
        assert path not in text, path


def test_the_router_is_there_once_and_placed_at_every_node() -> None:
    text = verilog(mesh(6, 6), "net")
    assert len(re.findall(r"^module mesh_node\b", text, re.M)) == 1
    assert len(re.findall(r"^  mesh_node node_", text, re.M)) == 36


def test_the_size_grows_no_faster_than_the_nodes() -> None:
    def a_node(size: int) -> float:
        return len(top_verilog(mesh(size, size), "net")) / size**2

    assert a_node(32) < 1.1 * a_node(8)


def test_widths() -> None:
    observe = 3 * (12 + 2 * 6) + 32
    assert targets(mesh(2, 1, barrier_registers=3, data_bits=6)) == [
        ("node_0_0", observe),
        ("node_1_0", observe),
    ]
    assert dict(link_wires(mesh(4, 4, channels=2))) == {
        "valid": 2,
        "sync_valid": 2,
        "flit": 34,
        "credit": 2,
        "sync_credit": 2,
    }
    wired = mesh(2, 1, sync="wires", barrier_registers=3, data_bits=6, wires="shared", parity=True)
    assert [width for _, width in targets(wired)] == 2 * [3 * (6 + 2 * 6) + 32]
    assert dict(link_wires(wired)) == {"valid": 1, "flit": 34, "credit": 1, "wires": 3 * 7 + 1}
    both = mesh(2, 1, sync="both", barrier_registers=3, data_bits=6)
    assert [width for _, width in targets(both)] == 2 * [observe + 3 * (6 + 2 * 6)]
    plain = link_wires(mesh(2, 1, barrier_registers=3, data_bits=6))
    assert link_wires(both) == {**plain, "wires": 2 * 3 * 7}
    own = link_wires(mesh(4, 4, sync_links="own"))
    assert own["sync"] == 2 + 8 + 2 + 2 + 2 + 1 + 4
    alone = link_wires(mesh(4, 4, channels=0))
    assert dict(alone) == {"sync_valid": 2, "sync_credit": 2, "sync": own["sync"]}


def test_links_of_barrier_wires_have_numbers_of_their_own() -> None:
    """Four to a router; those at the rim are not there."""
    links = wire_links(mesh(2, 1, sync="both"))
    west, east = (0, 0), (1, 0)
    assert links == ((west, "east"), None, None, None, None, None, (east, "west"), None)
    assert wire_links(mesh(2, 1)) == ()


def test_lanes_are_those_of_packets_and_messages() -> None:
    counts = [
        (links.channels, links.setup, links.classes, links.width)
        for links in (
            links_of(mesh(2, 1, sync="both")),
            links_of(mesh(2, 1, sync="wires", channels=2, setup="manager")),
            links_of(mesh(2, 1, sync="wires", channels=0)),
            links_of(mesh(2, 1, channels=0)),
        )
    ]
    assert counts == [(1, 0, 2, 3), (2, 1, 0, 3), (0, 0, 0, 0), (0, 0, 2, 2)]
