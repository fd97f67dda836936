"""The Verilog of an irregular network: names that stay, tables as constants, links that meet."""

import re
from functools import cache
from pathlib import Path

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.updown import routing_tables
from syncfabric.sim.assemble.irregular import link_wires, targets, top_verilog
from syncfabric.sim.assemble.links import links_of, wire_links
from syncfabric.sim.assemble.network import module_names, verilog
from syncfabric.sim.assemble.top import top_ports
from tests.sim.assemble.icarus import compiles
from tests.sim.assemble.verilator import lints
from tests.sim.drive.clusters import SMALL, ring
from tests.sim.drive.networks import irregular

NETWORKS = {
    "default": irregular(SMALL),
    "one switch, no data": irregular(Irregular(2, 1, (), ((0, 1),)), data_bits=0, cycles_per_hop=1),
    "datelines, serial": ring(4, 1, operations="all"),
    "wires alone": irregular(SMALL, sync="wires", channels=0, parity=True),
    "wires, managers": irregular(SMALL, sync="wires", setup="manager", data_bits=0),
    "both": ring(4, 1, sync="both", wires="shared", link_registers=1),
}

# Tools take seconds for a file: by default those that have the most in them.
FILES = [
    pytest.param(
        spec, id=name, marks=[] if name in ("both", "one switch, no data") else pytest.mark.long
    )
    for name, spec in NETWORKS.items()
]


def test_ports_are_those_of_a_mesh_but_config_counts_switches_too() -> None:
    """A network of 4 nodes and 3 switches, 4 registers, 5 data bits, 2 channels, 40-bit flits."""
    spec = irregular(SMALL, data_bits=5, channels=2, flit_bits=40)
    widths = {name: width for _, name, width in top_ports(spec)}
    assert widths["config_node"] == 3
    assert widths["arrive"] == widths["ready"] == 16
    assert widths["data"] == widths["result"] == 80
    assert widths["inject_flit"] == widths["eject_flit"] == 4 * 42
    assert widths["eject_credit"] == 8


FILE = cache(verilog)


@pytest.mark.icarus
@pytest.mark.parametrize("spec", FILES)
def test_icarus_takes_the_file(spec: IrregularSpec, tmp_path: Path) -> None:
    compiles(FILE(spec, "net"), "net", tmp_path)


@pytest.mark.parametrize("spec", FILES)
def test_verilator_has_nothing_to_say_of_the_file(spec: IrregularSpec, tmp_path: Path) -> None:
    lints(FILE(spec, "net"), "net", tmp_path)


def test_instances_and_links_have_the_names_of_the_documentation() -> None:
    text = top_verilog(irregular(SMALL, operations="all"), "net")
    assert re.findall(r"^  (\w+ \w+) \($", text, re.M) == [
        *(f"irregular_switch switch_{s}" for s in range(3)),
        *(f"irregular_node node_{i}" for i in range(4)),
    ]
    wires = set(re.findall(r"^  wire \[\d+:0\] ((?:up)?link_\w+);$", text, re.M))
    used = ("0_0", "0_1", "0_2", "0_3", "1_0", "1_1", "1_3", "2_0", "2_1", "2_3")
    links = [f"link_{link}" for link in used] + [f"uplink_{i}" for i in range(4)]
    bundles = ("valid", "sync_valid", "flit", "credit", "sync_credit")
    assert wires == {f"{link}_{bundle}" for link in links for bundle in bundles}


def test_links_meet_and_a_port_without_a_link_is_quiet() -> None:
    text = top_verilog(irregular(SMALL), "net")
    instances = {
        part.split()[1]: part for part in re.split(r"^(?=  irregular_)", text, flags=re.M)[1:]
    }
    for name, connected in {
        "switch_0": ("in_0__valid(link_1_0_valid)", "out_0__flit(link_0_0_flit)"),
        "switch_1": ("in_0__valid(link_0_0_valid)", "in_3__credit(link_0_2_credit)"),
        "switch_2": ("in_3__sync_valid(link_1_1_sync_valid)", "in_1__flit(uplink_3_flit)"),
        "node_3": ("downlink__flit(link_2_1_flit)", "uplink__credit(uplink_3_credit)"),
        "node_2": ("local_in__valid(inject_valid[2:2])", "local_out__credit(eject_credit[2:2])"),
    }.items():
        for connection in connected:
            assert f".{connection}" in instances[name], (name, connection)
    for connection in (
        "in_2__valid(1'd0)",
        "in_2__credit()",
        "out_2__flit()",
        "out_2__credit(1'd0)",
    ):
        assert f".{connection}" in instances["switch_1"], connection
    assert "sync_credit" not in text


@pytest.mark.parametrize("spec", NETWORKS.values(), ids=NETWORKS)
def test_tables_and_datelines_are_constants(spec: IrregularSpec) -> None:
    text, bits = top_verilog(spec, "net"), spec.layout.port_bits
    words = [int(word, 16) for word in re.findall(r"\.routes\(\d+'h(\w+)\)", text)]
    own = [{-1: 0}.get(port, port) for row in routing_tables(spec) for port in row]
    count = spec.switches
    assert [word >> bits * to & (1 << bits) - 1 for word in words for to in range(count)] == own
    crossed = [int(word) for word in re.findall(r"\.dateline\(\d+'d(\d+)\)", text)]
    marked = {(s, p) for s, word in enumerate(crossed) for p in range(spec.ports) if word >> p & 1}
    assert marked == set(spec.datelines)


def test_every_switch_and_node_knows_its_number() -> None:
    text = top_verilog(irregular(SMALL, operations="all"), "net")
    assert re.findall(r"\.number\((.*)\)", text) == ["2'd0", "2'd1", "2'd2"]
    assert re.findall(r"\.target\((.*)\)", text) == [
        *(f"3'd{4 + s}" for s in range(3)),
        *(f"3'd{i}" for i in range(4)),
    ]


@pytest.mark.long
def test_the_largest_network_is_emitted() -> None:
    spec = load("cluster-300").network
    assert isinstance(spec, IrregularSpec)
    text = verilog(spec, "net")
    for module, count in zip(module_names(spec), (spec.switches, len(spec.nodes)), strict=True):
        assert len(re.findall(rf"^module {module}\b", text, re.M)) == 1
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.M)) == count


def test_widths() -> None:
    spec = irregular(SMALL, barrier_registers=3, data_bits=6, channels=2)
    observe = dict(targets(spec))
    assert list(observe) == [*(f"node_{i}" for i in range(4)), *(f"switch_{s}" for s in range(3))]
    assert observe["switch_0"] == 3 * (4 + 1 + 4 + 1 + 2 * 6) + 32
    assert observe["node_0"] == 3 * (2 + 1 + 2 + 1 + 2 * 6) + 32
    plain = {"valid": 2, "sync_valid": 1, "flit": 34, "credit": 2}
    assert dict(link_wires(spec)) == plain
    assert dict(link_wires(irregular(SMALL, channels=2, operations="all"))) == {
        **plain,
        "sync_credit": 1,
    }


def test_barrier_wires_are_one_word_of_a_link() -> None:
    spec = irregular(SMALL, sync="wires", channels=0, barrier_registers=3, data_bits=6)
    assert dict(link_wires(spec)) == {"wires": 2 * 3 * 7}
    wired = irregular(SMALL, sync="wires", setup="manager", barrier_registers=3, data_bits=6)
    assert dict(link_wires(wired)) == {"valid": 2, "flit": 34, "credit": 2, "wires": 42}
    text = top_verilog(spec, "net")
    for connection in (
        "in_0__wires(link_1_0_wires)",
        "out_0__wires(link_0_0_wires)",
        "in_2__wires(42'd0)",
        "out_2__wires()",
        "in_1__wires(uplink_0_wires)",
        "uplink__wires(uplink_0_wires)",
        "downlink__wires(link_2_1_wires)",
    ):
        assert f".{connection}" in text, connection
    for absent in ("valid(link", "flit", "credit", "local_in", "inject"):
        assert absent not in text, absent


def test_links_of_barrier_wires_are_numbered_as_all_links() -> None:
    spec = irregular(SMALL, sync="wires", channels=0)
    links = wire_links(spec)
    assert links == links_of(spec).names
    assert links[:4] == ((0, "0"), (0, "1"), (0, "2"), (0, "3"))
    assert links[6] is None
    assert links[12] == ((0, 1), "inject")
    assert links_of(spec).width == 0
