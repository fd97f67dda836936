"""Groups that programs make: over messages, those of the file, and by managers on engines."""

from pathlib import Path

import pytest

from syncfabric.models.messages.boot import BootGroup
from syncfabric.models.messages.registers import Op
from syncfabric.models.networks.reader import loads
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import with_channels, with_world
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import break_software, mesh

SOURCE = Path(__file__).with_name("groups.c")


@pytest.mark.parametrize("barrier", ["engine", "tree", "dissemination"])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_groups_are_made_and_freed(barrier: str, seed: int) -> None:
    """Without managers the hardware is out of the cores' reach: groups are over messages."""
    spec = mesh(4, 4)
    defines = {"SEED": f"{seed}u", "IN_HARDWARE(m,n)": "0"}
    made = compile_program(SOURCE, spec=spec, barrier=barrier, defines=defines)
    for cores in (2, 9, 16):
        run = emulate(made, spec, cores, [world(cores)], seed=seed)
        assert run.faults == []
        assert run.stands == {}
        assert run.exits == dict.fromkeys(range(cores), 0)


def test_groups_of_the_file_are_found(tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(
        '#include "syncfabric.h"\n'
        "int main(void) {\n"
        "    sf_group *g = sf_group_of(9);\n"
        "    sf_put(sf_world()->gid);\n"
        "    sf_put(g ? sf_reduce(g, sf_core()) : 99);\n"
        "    return g ? g->rank : 50;\n"
        "}\n"
    )
    spec = mesh(2, 2, operations="all")
    groups = [BootGroup(9, (3, 1), (0, 2), Op.MAX), world(4, gid=3)]
    groups[1] = BootGroup(3, (0, 1, 2, 3), (0, 0, 0, 1))
    for barrier in ("engine", "tournament"):
        run = emulate(compile_program(source, spec=spec, barrier=barrier), spec, 4, groups)
        assert run.exits == {0: 50, 1: 1, 2: 50, 3: 0}
        assert [run.values(core) for core in range(4)] == [[3, 99], [3, 3], [3, 99], [3, 3]]


HERE = Path(__file__).parent
SWITCHES = """
kind = "irregular"
ports = 5
links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]], [[2, 1], [3, 0]], [[3, 1], [0, 1]], [[1, 2], [3, 2]]]
nodes = [[0, 2], [0, 3], [0, 4], [1, 3], [1, 4], [2, 3], [2, 4], [3, 3], [3, 4]]
managers = [[1, 3], [3, 4]]
transport = "link"
"""
MESH = 'kind = "mesh"\nwidth = 2\nheight = 2\nsetup = "manager"\ntransport = "{}"'
STREAMS = """
kind = "mesh"
width = 3
height = 3
groups = 8
port_registers = 6
wires = 3
streams = 2
data_bits = 4
operations = "all"
setup = "manager"
"""
NETWORKS = {
    "mesh": (MESH.format("link") + "\ngroups = 8", 4, "has(m,n,0)"),
    "routed": (MESH.format("routed") + "\ngroups = 8", 4, "made[g]->port!=0"),
    "switches": (SWITCHES, 9, "has(m,n,3)||has(m,n,8)"),
    "registers on links": (SWITCHES + "link_registers = 2", 9, "has(m,n,3)||has(m,n,8)"),
    "no data": (SWITCHES + "data_bits = 0", 9, "has(m,n,3)||has(m,n,8)"),
    "watchdog": (MESH.format("link") + "\ngroups = 8\nwatchdog = 100", 4, "has(m,n,0)"),
    "wires": (
        MESH.format("link") + "\ngroups = 8\nwires = 2\nport_registers = 10",
        4,
        "has(m,n,0)",
    ),
    "few registers": (
        MESH.format("link") + "\nwires = 2\nport_registers = 4",
        4,
        "made[g]->port!=0",
    ),
    "streams": (STREAMS + "managers = [[0, 0]]", 9, ""),
    "streams, two managers": (STREAMS + "managers = [[0, 0], [0, 1]]", 9, ""),
    "streams, one of the file": (
        STREAMS + '[[group]]\nid = 1\nmembers = "all"\nstream = true',
        9,
        "",
    ),
    "local": (MESH.format("link").replace("manager", "local"), 4, "0"),
}


def run(source: str, network: str, seed: int = 1, **macros: int) -> CoresResult:
    text, cores, inside = NETWORKS[network]
    spec = with_channels(loads(f'name = "net"\n[network]\n{text}\n'))
    spec = with_world(spec, cores, "engine")
    defines = {"SEED": f"{seed}u", "IN_HARDWARE(m,n)": inside}
    defines |= {name: str(value) for name, value in macros.items()}
    made = compile_program(HERE / source, spec=spec, barrier="engine", defines=defines)
    result, _ = run_program(spec, made, cores=cores, limit=1_000_000)
    return result


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("network", [name for name in NETWORKS if "streams" not in name])
def test_groups_on_engines_are_made_and_freed(network: str, seed: int) -> None:
    result = run("groups.c", network, seed)
    assert result.faults == ()
    assert result.exits == (0,) * result.cores


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("network", "macros"), [("mesh", {}), ("switches", {}), ("watchdog", {"BY_WATCHDOG": 1})]
)
def test_groups_that_are_killed_or_broken_are_made_anew(
    network: str, macros: dict[str, int]
) -> None:
    result = run("programs/kill.c", network, **macros)
    assert result.faults == ()
    assert result.exits == (0,) * result.cores


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("network", "mode"),
    [("streams", 0), ("streams, two managers", 1), ("streams, one of the file", 2)],
)
def test_groups_that_are_made_have_streams(network: str, mode: int) -> None:
    result = run("programs/streams.c", network, MODE=mode)
    assert result.faults == ()
    assert result.exits == (0,) * result.cores


BREAKS = {
    "epochs are not counted": ("epochs + (1u << shift)", "epochs"),
    "entries are not free again": ("                ;\n            release(entry);", ";"),
    "entries of the file are not taken": ("sf_entries[r].taken = words[r];", "(void)words;"),
    "the last barrier is like others": ("CORE_LAST_BASE - S", "CORE_ARRIVE_BASE - S"),
    "killed groups' entries are used at once": ("if (owing[entry])", "if (0)"),
    "no member reports that it is through": (
        "sf_broken(group)) {\n        sf_see",
        "0) {\n        sf_see",
    ),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", BREAKS)
def test_a_wrong_set_up_is_seen(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = BREAKS[name]
    break_software(monkeypatch, tmp_path, "sf_engines.c", right, wrong)
    results = (run("groups.c", "mesh"), run("programs/kill.c", "mesh"))
    assert any(result.faults or result.exits != (0,) * 4 for result in results)
