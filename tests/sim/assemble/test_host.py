"""Networks with a host in front: their tops, and software on them."""

import re
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.errors import SpecError
from syncfabric.sim.assemble.host import host_shape
from syncfabric.sim.front import Front
from syncfabric.sim.simulators import find_simulator
from syncfabric.sim.simulators.base import Design
from tests.cocotb_runs import build_cocotb, run_cocotb
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.networks import mesh


def run(simulator: str, name: str, front: Front, bench: str, folder: Path) -> None:
    """Run a bench on a ready-made network."""
    network = Network.load(name)
    source = folder / "top.v"
    source.write_text(network.verilog(front))
    tool = find_simulator(simulator)
    built = build_cocotb(tool, Design(f"{network.spec.module}_{front.kind}", [source]))
    module, env = f"tests.sim.assemble.{bench}", {"HOST_NETWORK": name}
    run_cocotb(tool, built, module, folder=folder / "run", env=env, seconds=600)


@pytest.mark.nightly_under("verilator")
def test_a_mesh_behind_axi(simulator: str, tmp_path: Path) -> None:
    run(simulator, "mesh-2x2", Front("axi"), "bench_host", tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["row-1x8", "wires-cluster"])
def test_others_behind_axi(name: str, tmp_path: Path) -> None:
    run("icarus", name, Front("axi", meters=3), "bench_host", tmp_path)


@pytest.mark.nightly
def test_a_mesh_behind_a_console(simulator: str, tmp_path: Path) -> None:
    run(simulator, "mesh-2x2", Front("uart", bit_cycles=4), "bench_host_uart", tmp_path)


ENGINES = {
    "mesh": 'kind = "mesh"\nwidth = 2\nheight = 2\nmessage_links = "shared"',
    "managed": 'kind = "mesh"\nwidth = 2\nheight = 2\nsetup = "manager"\ngroups = 3',
    "cluster": """kind = "irregular"
ports = 4
links = [[[0, 0], [1, 3]], [[1, 0], [2, 3]]]
nodes = [[0, 1], [0, 2], [1, 1], [2, 0]]
switches = 3
data_bits = 5""",
}
"""Keys of ``[network]`` beside ``transport``."""


def engines(name: str, folder: Path) -> str:
    """Write a network of engines, and return its path."""
    path = folder / f"{name}.toml"
    groups = '[[group]]\nid = 1\nmembers = "all"\n[[group]]\nid = 2\nmembers = "all"\nop = "and"'
    keys = f'[network]\ntransport = "link"\n{ENGINES[name]}'
    path.write_text(f'name = "engines"\n{keys}\n{groups}\n')
    return str(path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENGINES)
def test_engines_behind_axi(simulator: str, name: str, tmp_path: Path) -> None:
    run(simulator, engines(name, tmp_path), Front("axi", meters=2), "bench_host", tmp_path)


@pytest.mark.parametrize("name", ["managed", "cluster"])
@pytest.mark.nightly
def test_engines_behind_a_console(simulator: str, name: str, tmp_path: Path) -> None:
    front = Front("uart", bit_cycles=4)
    run(simulator, engines(name, tmp_path), front, "bench_host_uart", tmp_path)


def test_the_top_has_the_names_of_the_standard() -> None:
    """Packets are led out; what the host has to do with is not."""
    text = Network.load("mesh-2x2").verilog(Front("axi"))
    header = re.search(r"^module mesh_2x2_axi \((.*?)\);", text, re.DOTALL | re.MULTILINE)
    assert header
    ports = set(re.findall(r"(\w+),?$", header[1], re.MULTILINE))
    channels = {
        "aw": ("addr", "prot", "valid", "ready"),
        "w": ("data", "strb", "valid", "ready"),
        "b": ("resp", "valid", "ready"),
        "ar": ("addr", "prot", "valid", "ready"),
        "r": ("data", "resp", "valid", "ready"),
    }
    axi = {f"s_axi_{channel}{name}" for channel, names in channels.items() for name in names}
    packets = {f"{end}_{part}" for end in ("inject", "eject") for part in ("valid", "flit")}
    packets |= {"inject_credit", "eject_credit"}
    assert ports == {"clk", "rst", "irq"} | axi | packets


@pytest.mark.icarus
@pytest.mark.nightly
@pytest.mark.parametrize("front", [Front("axi", meters=2), Front("uart", meters=0)])
@pytest.mark.parametrize(
    "name",
    ["fig1", "churn-cluster", "reflex-2x2", "wires-both", "board-4x4"],
)
def test_tops_of_all_kinds_compile(name: str, front: Front, tmp_path: Path) -> None:
    network = Network.load(name)
    compiles(network.verilog(front), f"{network.spec.module}_{front.kind}", tmp_path)


def test_a_network_that_is_too_large() -> None:
    with pytest.raises(SpecError, match=r"nodes = 1056: a host front has room for at most 1024"):
        host_shape(mesh(33, 32), 1)
