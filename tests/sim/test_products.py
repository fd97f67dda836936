"""The bench that a build writes, run by the commands that it names."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.networks import reader
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning.set_up_writes import Entry, set_up_entries
from syncfabric.sim.assemble.verilog import modules_of, ports_of
from syncfabric.sim.front import Front
from syncfabric.sim.simulators.verilator import Verilator
from tests.kinds_of_set_up import KINDS, small
from tests.nightly import nightly_but
from tests.sim.assemble.icarus import compiles
from tests.sim.drive.networks import members, plan_of

PASS = re.compile(
    r"Set up in cycle (\d+)\.\n"
    r"PASS: 4 barriers of (\d+) groups, released (\d+) cycles after the last arrival at most\.\n"
)


def commands(bench: Path) -> dict[str, str]:
    """Return what the header names, by the simulator."""
    lines = re.findall(r"^//   \$ (.*)", bench.read_text(), re.MULTILINE)
    return {line.split()[0]: line for line in lines}


def run(bench: Path, simulator: str = "iverilog", *, half: int | None = None) -> tuple[int, str]:
    """Run a command of the header, or its first or second half, as a user does."""
    command = commands(bench)[simulator]
    if half is not None:
        command = command.split(" && ")[half]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=bench.parent,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def bench_of(net: Network, folder: Path, front: Front | None = None) -> Path:
    net.build(folder, front=front)
    return folder / f"{net.name}_tb.v"


def write_set_up(bench: Path, entries: Iterable[Entry]) -> None:
    """Write the hex file in the form that docs/registers.md gives."""
    lines = [f"{kind << 68 | to << 44 | at << 32 | value:018x}" for kind, to, at, value in entries]
    name = bench.name.replace("_tb.v", "_setup.hex")
    (bench.parent / name).write_text("\n".join(lines) + "\n")


def passes(net: Network, code: int, said: str) -> None:
    """See that all is well, and for a group alone how long it takes."""
    found = PASS.search(said)
    assert code == 0, said
    assert found, said
    groups = net.plan().groups
    assert int(found[2]) == len(groups)
    assert int(found[1]) >= len(set_up_entries(net.plan()))
    if len(groups) == 1 and groups[0].bound is not None:
        assert int(found[3]) <= groups[0].bound


COSTLY = {"switches_managed_wires", "switches_managed", "mesh_managed", "mesh_wires"}
"""Kinds whose parts other kinds have, too."""


@pytest.mark.icarus
@pytest.mark.parametrize("kind", nightly_but({*KINDS} - COSTLY, KINDS))
def test_every_kind_passes_under_icarus(kind: str, tmp_path: Path) -> None:
    net = small(kind)
    passes(net, *run(bench_of(net, tmp_path)))


@pytest.mark.icarus
def test_the_network_of_the_docs(tmp_path: Path) -> None:
    """Commands and what is printed are those of docs/ports.md; in time, as planned."""
    net = Network.load("mesh-4x4")
    bench = bench_of(net, tmp_path)
    code, said = run(bench)
    passes(net, code, said)
    page = (Path(__file__).parents[2] / "docs" / "ports.md").read_text(encoding="utf-8")
    page = re.sub(r" \\\n +", " ", page)
    for line in (*commands(bench).values(), *said.splitlines()):
        assert f"\n{line}\n" in page


@pytest.mark.icarus
@pytest.mark.parametrize("front", ["axi", "uart"])
def test_with_a_front_the_network_is_driven(front: str, tmp_path: Path) -> None:
    net = small("ring")
    passes(net, *run(bench_of(net, tmp_path, Front(front))))


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bench of a mesh, compiled for Icarus, with an early time-out."""
    bench = bench_of(small("mesh"), tmp_path_factory.mktemp("mesh"))
    bench.write_text(re.sub(r"LIMIT = \d+", "LIMIT = 300", bench.read_text()))
    assert run(bench, half=0) == (0, "")
    return bench


MESH = set_up_entries(small("mesh").plan())
CHANGING = [i for i, entry in enumerate(MESH) if entry.value]
"""Writes without which the engines are others: staged words are 0 after reset."""
NODES = ((0, 0), (1, 0), (0, 1), (1, 1))


def another_set_up(*groups: GroupSpec) -> list[Entry]:
    """Return the mesh's set-up with other groups beside its second."""
    network = small("mesh").plan().spec.message_network
    return set_up_entries(plan_of(network, *groups, members(7, NODES[0], NODES[3])))


def go_of(place: int) -> int | None:
    """Return where the GO is of what a write sets up; None if it is itself, or no root's."""
    target = MESH[place].target
    commits = [i for i, entry in enumerate(MESH) if (entry.target, entry.address) == (target, 0)]
    words = {i: COMMIT.unpack(MESH[i].value) for i in commits}
    committed = words[min(i for i in commits if i >= place)]
    goes = [i for i in commits if words[i]["code"] == Code.GO and i > place]
    return next((i for i in goes if words[i]["entry"] == committed["entry"]), None)


@pytest.mark.nightly
@pytest.mark.icarus
def test_every_write_that_is_dropped_fails(mesh: Path) -> None:
    """A root that is not set up refuses GO; else the groups never start."""
    unused = Entry(0, 0, EngineWord.IMAGE, 0)
    never = "FAIL: time-out; members that are not ready: 0*[1-9a-f]"
    for place in CHANGING:
        write_set_up(mesh, [*MESH[:place], *MESH[place + 1 :], unused])
        code, said = run(mesh, half=1)
        assert code == 1, place
        go = go_of(place)
        refused = never if go is None else f"FAIL: entry {go - 1} of the set-up is refused\n"
        assert re.search(refused if MESH[place].address == 0 else f"{never}|{refused}", said), said
    write_set_up(mesh, MESH)
    passes(small("mesh"), *run(mesh, half=1))


@pytest.mark.icarus
def test_members_that_are_released_early_fail(mesh: Path) -> None:
    """Of two halves that do not wait for each other, one is released before the late member."""
    halves = another_set_up(members(1, *NODES[:2], op="and"), members(2, *NODES[2:], op="and"))
    halves.remove(next(entry for entry in halves if not entry.value))  # as after reset
    assert len(halves) == len(MESH)
    write_set_up(mesh, halves)
    code, said = run(mesh, half=1)
    assert code == 1
    assert "FAIL: released before all have arrived" in said


@pytest.mark.icarus
def test_wrong_data_fail(mesh: Path) -> None:
    """Members combine by another operation."""
    write_set_up(mesh, another_set_up(members(1, *NODES, op="or")))
    code, said = run(mesh, half=1)
    assert code == 1
    assert re.search(r"FAIL: wrong result of member \d+$", said, re.MULTILINE)


@pytest.mark.icarus
def test_entries_that_are_refused_or_missing_fail(mesh: Path) -> None:
    write_set_up(mesh, MESH[:-1])
    assert "FAIL: there is no entry 22 of the set-up\n" in run(mesh, half=1)[1]
    write_set_up(mesh, [MESH[0]._replace(address=7), *MESH[1:]])
    assert "FAIL: entry 0 of the set-up is refused\n" in run(mesh, half=1)[1]


@pytest.mark.nightly
def test_verilator_passes_and_fails(tmp_path: Path) -> None:
    net = small("ring")
    bench = bench_of(net, tmp_path)
    passes(net, *run(bench, "verilator"))
    write_set_up(bench, set_up_entries(net.plan())[:-1])
    code, said = run(bench, "verilator", half=1)
    assert code != 0
    assert "FAIL: there is no entry" in said


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ring"])
def test_every_kind_passes_under_verilator(kind: str, tmp_path: Path) -> None:
    net = small(kind)
    passes(net, *run(bench_of(net, tmp_path), "verilator"))


SIZES = {
    name: len(spec.network.topology.nodes)
    for name in reader.ready_made()
    if (spec := reader.load(name)).groups
}


@pytest.mark.icarus
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.nightly if size <= 20 else pytest.mark.campaign)
        for name, size in SIZES.items()
        if size <= 80
    ],
)
def test_networks_of_the_library_pass(name: str, tmp_path: Path) -> None:
    net = Network.load(name)
    passes(net, *run(bench_of(net, tmp_path)))


NETWORKS = ("mesh-2x2", "twins", "reflex-2x2")


def lint(folder: Path, name: str) -> str:
    tool = Verilator.find()
    command = [tool.program, "--lint-only", "-Wall", "-f", f"{name}.f"]
    environment = {**os.environ, **tool.environment}
    run = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    return run.stderr


@pytest.mark.parametrize("name", NETWORKS)
def test_each_module_has_a_file_and_no_warning(name: str, tmp_path: Path) -> None:
    network = Network.load(name)
    network.build(tmp_path, split=True)
    files = (tmp_path / f"{name}.f").read_text().split()
    assert files[0] == f"{network.spec.module}.v"
    for file in files:
        assert list(modules_of((tmp_path / file).read_text())) == [file.removesuffix(".v")]
    assert lint(tmp_path, name) == ""
    package = (tmp_path / f"{name}.bender.yml").read_text()
    assert re.findall(r"^      - (\S+)$", package, re.M) == files
    assert f"    files: {json.dumps(files)}\n" in (tmp_path / f"{name}.core").read_text()


@pytest.mark.icarus
@pytest.mark.parametrize("name", NETWORKS[:2])
def test_a_macro_has_all_that_is_in_it_and_nothing_else(name: str, tmp_path: Path) -> None:
    network = Network.load(name)
    network.build(tmp_path, macro="router")
    module = f"{network.spec.module}_router_node"
    files = (tmp_path / f"{name}.f").read_text().split()
    assert files[:2] == [f"{name}.v", f"{module}.v"]
    top, macro, *both = ((tmp_path / file).read_text() for file in files)
    assert len(both) == (name == "twins")  # node interfaces count and have credits, too
    modules = [found for text in (top, macro, *both) for found in modules_of(text)]
    assert len({*modules}) == len(modules)
    assert {*modules} == modules_of(network.verilog()).keys()
    (tmp_path / "alone").mkdir()
    compiles("".join((macro, *both)), module, tmp_path / "alone")
    compiles("".join((top, macro, *both)), network.spec.module, tmp_path)


def test_constraints_name_every_port(tmp_path: Path) -> None:
    network = Network.load("mesh-2x2")
    network.build(tmp_path, macro="router")
    for file, module, still in (
        ("mesh-2x2", "mesh_2x2", set()),
        ("mesh_2x2_router_node", "mesh_2x2_router_node", {"index", "x", "y"}),
    ):
        text = (tmp_path / f"{file}.sdc").read_text()
        said = {
            command: set(ports.split())
            for command, ports in re.findall(r"^(\w+) .*\[get_ports \{(.*?)\}\]", text, re.M)
        }
        ports = ports_of((tmp_path / f"{file}.v").read_text(), module)
        inputs = {name for name, (comes_in, _) in ports.items() if comes_in} - {"clk"}
        assert said["set_input_delay"] | said.get("set_false_path", set()) == inputs
        assert said.get("set_false_path", set()) == still
        assert said["set_output_delay"] == ports.keys() - inputs - {"clk"}
        assert "create_clock -name clk -period $PERIOD [get_ports clk]" in text


def test_unknown_files_are_refused(tmp_path: Path) -> None:
    network = Network.load("mesh-2x2")
    with pytest.raises(SpecError, match=r"^macro = 'core': only a router can be one$"):
        network.build(tmp_path, macro="core")
    with pytest.raises(SpecError, match=r"^split: with a macro the files are its and the top's"):
        network.build(tmp_path, split=True, macro="router")
    assert not list(tmp_path.iterdir())
