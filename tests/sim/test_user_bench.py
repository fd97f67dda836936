"""The bench that a build writes, run by the commands that it names."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.messages import CONTROL
from syncfabric.models.networks import reader
from syncfabric.models.planning.set_up_writes import Entry, set_up_entries
from syncfabric.sim.front import Front
from tests.kinds_of_set_up import KINDS, small

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


COSTLY = ("switches_managed_both",)
"""Kinds whose parts other kinds have, too."""


@pytest.mark.icarus
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.long] if kind in COSTLY else []) for kind in KINDS],
)
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
    for line in (*commands(bench).values(), *said.splitlines()):
        assert f"\n    {line}\n" in page


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


def replaced(place: int, value: int) -> list[Entry]:
    """Return a mesh's set-up with another word at a place."""
    entries = set_up_entries(small("mesh").plan())
    entries[place] = entries[place]._replace(value=value)
    return entries


MESH = set_up_entries(small("mesh").plan())
CHANGING = [i for i, entry in enumerate(MESH) if entry.value]
"""Writes without which the registers are others: they are 0 after reset."""


@pytest.mark.icarus
def test_every_write_that_is_dropped_fails(mesh: Path) -> None:
    """Each in turn is left out, another one performed twice."""
    for place in CHANGING:
        again = MESH[place - 1 if place else 1]
        write_set_up(mesh, [again if i == place else entry for i, entry in enumerate(MESH)])
        code, said = run(mesh, half=1)
        assert code == 1, place
        assert re.search("FAIL: time-out|FAIL: released before all", said), said
        never = re.search("not ready: 0*[1-9a-f]", said) is not None
        assert never == (MESH[place].address % 8 == 0), said
    write_set_up(mesh, MESH)
    passes(small("mesh"), *run(mesh, half=1))


@pytest.mark.icarus
def test_members_that_are_released_early_fail(mesh: Path) -> None:
    """A parent that does not wait for a child lets the others go before it."""
    said = set()
    for place in CHANGING:
        if MESH[place].address % 8 >= 2:
            write_set_up(mesh, replaced(place, 0))
            code, text = run(mesh, half=1)
            assert code == 1
            said |= set(re.findall("FAIL: (released before all|time-out)", text))
    assert said == {"released before all", "time-out"}


@pytest.mark.icarus
def test_wrong_data_fail(mesh: Path) -> None:
    """Members combine by another operation."""
    controls = [i for i in CHANGING if MESH[i].address == 0]
    entries = list(MESH)
    for place in controls:
        word = CONTROL.unpack(MESH[place].value)
        entries[place] = MESH[place]._replace(value=CONTROL.pack({**word, "op": word["op"] ^ 2}))
    write_set_up(mesh, entries)
    code, said = run(mesh, half=1)
    assert code == 1
    assert re.search(r"FAIL: wrong result of member \d+$", said, re.MULTILINE)


@pytest.mark.icarus
def test_entries_that_are_refused_or_missing_fail(mesh: Path) -> None:
    write_set_up(mesh, MESH[:-1])
    assert "FAIL: there is no entry 35 of the set-up\n" in run(mesh, half=1)[1]
    write_set_up(mesh, [MESH[0]._replace(address=7), *MESH[1:]])
    assert "FAIL: entry 0 of the set-up is refused\n" in run(mesh, half=1)[1]


def test_verilator_passes_and_fails(tmp_path: Path) -> None:
    net = small("ring")
    bench = bench_of(net, tmp_path)
    passes(net, *run(bench, "verilator"))
    write_set_up(bench, set_up_entries(net.plan())[:-1])
    code, said = run(bench, "verilator", half=1)
    assert code != 0
    assert "FAIL: there is no entry" in said


@pytest.mark.long
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ring"])
def test_every_kind_passes_under_verilator(kind: str, tmp_path: Path) -> None:
    net = small(kind)
    passes(net, *run(bench_of(net, tmp_path), "verilator"))


@pytest.mark.long
@pytest.mark.icarus
@pytest.mark.parametrize(
    "name",
    [
        name
        for name in reader.ready_made()
        if (spec := reader.load(name)).groups and len(spec.network.topology.nodes) <= 80
    ],
)
def test_networks_of_the_library_pass(name: str, tmp_path: Path) -> None:
    net = Network.load(name)
    passes(net, *run(bench_of(net, tmp_path)))
