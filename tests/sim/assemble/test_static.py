"""The Verilog of a static network: names that stay, every module once, a size linear in nodes."""

import re
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assemble.bench import BENCH, bench_verilog
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.network import module_names, targets, top_ports, verilog
from syncfabric.sim.assemble.static import top_verilog
from tests.models.golden.static_plans import network_of
from tests.sim.assemble.icarus import compiles
from tests.sim.assemble.verilator import lints


def static(width: int, height: int, **options: int) -> StaticSpec:
    return StaticSpec.model_validate(
        {"kind": "static", "width": width, "height": height, **options}
    )


def test_ports_keep_their_names_and_widths() -> None:
    """A network of 6 nodes, flits of 5 bits; the loader is target 6."""
    assert list(top_ports(static(3, 2, flit_bits=5))) == [
        ("input", "clk", None),
        ("input", "rst", None),
        ("input", "arrive", 6),
        ("output", "released", 6),
        ("output", "ready", 6),
        ("output", "done", 6),
        ("input", "hold", 6),
        ("input", "send_valid", 6),
        ("input", "send_flit", 30),
        ("output", "send_ready", 6),
        ("output", "recv_valid", 6),
        ("output", "recv_flit", 30),
        ("input", "recv_take", 6),
        ("input", "config_valid", None),
        ("input", "config_node", 3),
        ("input", "config_address", 12),
        ("input", "config_write", None),
        ("input", "config_data", 32),
        ("output", "config_ready", None),
        ("output", "config_error", None),
        ("output", "config_rdata", 32),
    ]


@pytest.mark.icarus
@pytest.mark.parametrize("size", [(1, 1), (3, 2)])
def test_icarus_takes_network_and_bench(size: tuple[int, int], tmp_path: Path) -> None:
    spec = static(*size, flit_bits=40)
    compiles(verilog(spec, "net"), "net", tmp_path)
    compiles(bench_verilog(spec), BENCH, tmp_path)


def test_every_module_is_there_once_and_the_chain_goes_through_all_nodes() -> None:
    text = verilog(static(3, 2), "net")
    for module, placed in zip(module_names(static(3, 2)), (6, 1), strict=True):
        assert len(re.findall(rf"^module {module}\b", text, re.M)) == 1
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.M)) == placed
    for place in range(6):
        assert text.count(f".route_in(route_chain[{place}:{place}])") == 1 + (place == 0)
        assert text.count(f".route_out(route_chain[{place + 1}:{place + 1}])") == 1
    for path in (str(Path(__file__).parents[3]), str(Path.home()), "/usr/", "/tmp", ".py"):
        assert path not in text, path


def test_links_meet_their_neighbours_and_the_rim_is_quiet() -> None:
    west, east = top_verilog(static(2, 1), "net").split("  static_node ")[1:]
    assert ".east_out__flit(link_0_0_east_flit)" in west
    assert ".west_in__flit(link_0_0_east_flit)" in east
    assert ".west_in__credit(link_0_0_east_credit)" in east
    assert ".west_in__flush(link_0_0_east_flush)" in east
    assert ".west_in__valid(1'd0)" in west
    assert ".west_in__flush(rst)" in west
    assert ".north_out__credit(1'd0)" in west


def test_size_and_widths() -> None:
    def a_node(size: int) -> float:
        return len(top_verilog(static(size, size), "net")) / size**2

    assert a_node(32) < 1.1 * a_node(8)
    observe = 4 * 3 + 1 + 2 + 25 + 32
    spec = static(2, 1, switch_buffer=4, injection_buffer=1)
    assert targets(spec) == [("node_0_0", observe), ("node_1_0", observe)]


@pytest.mark.parametrize(("name", "placed"), [("star-4", (4, 1)), ("fat-tree-2x2", (4, 4, 1))])
def test_graphs_have_a_module_a_part_and_pass_lint(
    name: str, placed: tuple[int, ...], tmp_path: Path
) -> None:
    spec = network_of(f'topology = "{name}"', flit_bits=3)
    text = verilog(spec, "net")
    for module, count in zip(module_names(spec), placed, strict=True):
        assert len(re.findall(rf"^module {module}\b", text, re.M)) == 1
        assert len(re.findall(rf"^  {module} \w+ \($", text, re.M)) == count
    for place in range(spec.graph.switches):
        assert text.count(f".route_out(route_chain[{place + 1}:{place + 1}])") == 1
    lints(text, "net", tmp_path)
    links = links_of(spec)
    assert links.count == spec.graph.ports * spec.graph.switches + len(spec.graph.nodes)
    joined = sum(name is not None for name in links.names)
    assert joined == 2 * (len(spec.graph.links) + len(spec.graph.nodes))
