"""Different networks in one design: their Verilog and their headers."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.fpga.tools import find_tool
from syncfabric.models.errors import SpecError
from syncfabric.sim.front import Front
from syncfabric.sim.simulators.base import LINT_OFF
from syncfabric.sim.simulators.icarus import Icarus
from syncfabric.sim.simulators.verilator import Verilator

PLAIN, OTHER = (
    f"""
    name = "{name}"
    [network]
    kind = "mesh"
    width = 2
    height = 1
    groups = {groups}
    [[group]]
    id = 1
    members = "all"
    """
    for name, groups in (("one", 1), ("other", 4))
)
"""Two meshes whose routers are not the same."""
BUILDS: Mapping[str, tuple[Network, Front | None]] = {
    "one": (Network.loads(PLAIN), None),
    "other": (Network.loads(OTHER), Front("axi")),
    "reflex_2x2": (Network.load("reflex-2x2"), Front("uart")),
    "twins": (Network.load("twins"), Front("axi", meters=0)),
}
TOPS = {f"{name}_{front.kind}" if front else name for name, (_, front) in BUILDS.items()}
C99 = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the one folder into which all of them are built."""
    folder = tmp_path_factory.mktemp("built")
    written = [p for net, front in BUILDS.values() for p in net.build(folder, front=front)]
    assert len({*written}) == len(written)
    return folder


@pytest.fixture(scope="module")
def design(built: Path) -> str:
    """Return a design with each of them."""
    places = "\n".join(f"  {top} {top} ();" for top in sorted(TOPS))
    texts = [path.read_text() for path in sorted(built.glob("*.v")) if "_tb" not in path.name]
    return "\n".join([*texts, f"module all;\n{places}\nendmodule"])


def clashing(prefix: str) -> str:
    """Return two networks, their tops of different names."""
    return "\n".join(BUILDS[name][0].verilog(prefix=prefix) for name in ("one", "other"))


def refused(*command: str, text: str, folder: Path, more: Mapping[str, str] = os.environ) -> str:
    """Run a tool on a text; return what it says if it refuses it."""
    (folder / "text.v").write_text(text)
    run = subprocess.run(
        [*command], cwd=folder, capture_output=True, text=True, check=False, env={**more}
    )
    return run.stderr if run.returncode else ""


@pytest.mark.nightly
@pytest.mark.icarus
def test_icarus_elaborates_all(design: str, tmp_path: Path) -> None:
    command = (Icarus.find().compiler, "-g2012", "-t", "null", "text.v", "-s")
    assert refused(*command, "all", text=design, folder=tmp_path) == ""
    said = refused(*command, "one", text=clashing("same"), folder=tmp_path)
    assert "'same_router_node' has already been declared" in said


@pytest.mark.nightly
def test_yosys_elaborates_all(design: str, tmp_path: Path) -> None:
    program = find_tool("yosys").program
    command = (program, "-q", "-p", "read_verilog text.v; hierarchy -check -top all")
    assert refused(*command, text=design, folder=tmp_path) == ""
    said = refused(*command, text=clashing("same"), folder=tmp_path)
    assert "Re-definition of module `\\same_router_node'" in said


def test_verilator_elaborates_all(design: str, tmp_path: Path) -> None:
    """Of two modules of one name it would take the first."""
    tool = Verilator.find()
    off = [f"-Wno-{rule}" for rule in (*LINT_OFF, "PINMISSING")]
    command = (tool.program, "--lint-only", *off, "text.v", "--top-module")
    more = {**os.environ, **tool.environment}
    assert refused(*command, "all", text=design, folder=tmp_path, more=more) == ""
    said = refused(*command, "one", text=clashing("same"), folder=tmp_path, more=more)
    assert "MODDUP" in said
    assert "Duplicate declaration of module: 'same_router_node'" in said


@pytest.mark.parametrize("compiler", [["gcc", *C99], ["g++", "-Wall", "-Werror", "-fsyntax-only"]])
def test_all_headers_go_into_one_program(compiler: list[str], built: Path) -> None:
    headers = sorted(path.name for path in built.glob("*.h"))
    assert len(headers) == 3 * 4 - 1
    text = "".join(f'#include "{name}"\n' for name in (*headers, *headers))
    uses = "".join(f"    {name}_set_up(base);\n" for name in BUILDS)
    (built / "main.c").write_text(
        f"{text}void all(volatile uint32_t *base);\n"
        f"void all(volatile uint32_t *base)\n{{\n{uses}}}\n"
    )
    subprocess.run([*compiler, "main.c"], cwd=built, check=True)


def test_another_prefix(tmp_path: Path) -> None:
    net = BUILDS["one"][0]
    net.build(tmp_path, prefix="soc", front=Front("axi"))
    text = (tmp_path / "one.v").read_text()
    assert "\nmodule one (" in text
    assert "\nmodule one_axi (" in text
    assert "\nmodule soc_router_node (" in text
    assert "\nmodule soc_axi_host (" in text
    assert "one_router_node" not in text
    for header in tmp_path.glob("*.h"):
        assert "SOC_" in header.read_text()
        assert "ONE_" not in header.read_text()
    call = "int main(void) { return soc_set_up((volatile uint32_t *)0) + soc_members[0].reg; }"
    (tmp_path / "main.c").write_text(f'#include "one_setup.h"\n{call}\n')
    subprocess.run(["gcc", *C99, "main.c"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("prefix", ["a-b", "1st", "_x", "a b"])
def test_a_prefix_that_is_none(prefix: str, tmp_path: Path) -> None:
    message = rf"^prefix = '{prefix}' must be letters, digits and _, a letter first, as in my_mesh$"
    with pytest.raises(SpecError, match=message):
        BUILDS["one"][0].build(tmp_path / "out", prefix=prefix)
    assert not (tmp_path / "out").exists()
