"""Groups that programs make: set up by their members, in registers or over messages."""

import shutil
from pathlib import Path

import pytest

from syncfabric.models.messages import Op
from syncfabric.models.messages.boot import BootGroup
from syncfabric.models.networks.reader import loads
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.cores import compile as compiling
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import with_world
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import SOFTWARE, mesh

SOURCE = Path(__file__).with_name("groups.c")


@pytest.mark.parametrize("barrier", ["btm", "tree", "dissemination"])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_groups_are_made_and_freed(barrier: str, seed: int) -> None:
    """Images that members write make a whole tree, or the emulated network releases nobody."""
    spec = mesh(4, 4, barrier_registers=8)
    defines = {"SEED": f"{seed}u", "IN_HARDWARE(m,n)": str(int(barrier == "btm"))}
    made = compile_program(SOURCE, spec=spec, barrier=barrier, defines=defines)
    for cores in (2, 9, 16):
        run = emulate(made, spec, cores, [world(cores)], seed=seed)
        assert run.faults == []
        assert run.stands == {}
        assert run.exits == dict.fromkeys(range(cores), 0)


NINE = """
name = "net"
[network]
kind = "irregular"
ports = 5
channels = 2
links = [[[0, 0], [1, 0]], [[1, 1], [2, 0]], [[2, 1], [3, 0]], [[3, 1], [0, 1]], [[1, 2], [3, 2]]]
nodes = [[0, 2], [0, 3], [0, 4], [1, 3], [1, 4], [2, 3], [2, 4], [3, 3], [3, 4]]
managers = [[1, 3], [3, 4]]
"""


def test_groups_over_switches_are_set_up_by_the_manager_among_them() -> None:
    """Emulated switches release nobody whose tree is not whole, nor let GO come too early."""
    spec = loads(NINE + "barrier_registers = 8")
    defines = {"SEED": "1u", "IN_HARDWARE(m,n)": "has(m,n,3)||has(m,n,8)"}
    made = compile_program(SOURCE, spec=spec, barrier="btin", defines=defines)
    run = emulate(made, spec, 9, [world(9)])
    assert run.faults == []
    assert run.exits == dict.fromkeys(range(9), 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("spec", "barrier", "cores", "inside"),
    [
        (mesh(2, 2, barrier_registers=8), "btm", 4, "1"),
        (mesh(2, 2, barrier_registers=8, setup="manager"), "btm", 4, "1"),
        (loads(NINE + "barrier_registers = 8"), "btin", 9, "has(m,n,3)||has(m,n,8)"),
    ],
    ids=["mesh", "mesh, managers", "switches, managers"],
)
def test_hardware_has_the_groups_that_programs_make(
    spec: NetworkSpec, barrier: str, cores: int, inside: str
) -> None:
    spec = with_world(spec, cores, barrier)
    defines = {"SEED": "1u", "IN_HARDWARE(m,n)": inside}
    made = compile_program(SOURCE, spec=spec, barrier=barrier, defines=defines)
    result, _ = run_program(spec, made, cores=cores, limit=1_000_000)
    assert result.faults == ()
    assert result.exits == (0,) * cores


@pytest.mark.long
@pytest.mark.parametrize("turnaround", ["switch", "node"])
def test_groups_over_switches_whatever_comes_late(turnaround: str) -> None:
    spec = loads(f'{NINE}barrier_registers = 8\nturnaround = "{turnaround}"')
    for seed in range(1, 7):
        inside = "has(m,n,3)||has(m,n,8)"
        defines = {"SEED": f"{seed}u", "IN_HARDWARE(m,n)": inside}
        made = compile_program(SOURCE, spec=spec, barrier="btin", defines=defines)
        run = emulate(made, spec, 9, [world(9)], seed=seed, slowest=(2, 40, 400)[seed % 3])
        assert run.faults == []
        assert run.exits == dict.fromkeys(range(9), 0)


BESIDE = """
#include "syncfabric.h"
int main(void)
{
    unsigned mine[3], first = sf_core() & 1 ? 3 : 4;
    for (unsigned i = 0; i < 3; i++)
        mine[i] = first + 2 * i;
    if (sf_core() < 3)
        return 0;
    for (int round = 0; round < 3; round++) {
        sf_group *made = sf_group_create(mine, 3);
        if (!made || !made->port)
            return 1;
        sf_barrier(made);
        sf_group_free(made);
    }
    return 0;
}
"""


@pytest.mark.long
@pytest.mark.parametrize("broken", [False, True])
def test_two_managers_have_groups_beside_each_other(
    broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They share switches, but no member, who would know that a number is taken."""
    shutil.copytree(SOFTWARE, tmp_path / "software")
    file, rule = tmp_path / "software" / "sf_set_up.c", "== leader ? ~0u : 0;"
    assert file.read_text().count(rule) == 1
    if broken:
        file.write_text(file.read_text().replace(rule, "== leader ? ~0u : ~0u;"))
    monkeypatch.setattr(compiling, "software", lambda: tmp_path / "software")
    spec = loads(NINE)
    (tmp_path / "own.c").write_text(BESIDE)
    made = compile_program(tmp_path / "own.c", spec=spec, barrier="btin")
    run = emulate(made, spec, 9, [world(9)])
    assert run.faults == []
    assert (run.exits != dict.fromkeys(range(9), 0)) is broken


BREAKS = {
    "switches are asked before all have written": (
        "    meet(group);\n    if (leads && group->size > 1)\n        refused",
        "    if (leads && group->size > 1)\n        refused",
    ),
    "nobody waits for GO": ("    else\n        await_go(group);", ""),
    "switches are not cleared": (
        "group->size > 1 && !clear_switches(group)",
        "group->size > 1 && !group",
    ),
    "members write another epoch": ("gid, op, plan.epoch, words", "gid, op, 0, words"),
    "who is refused arrives in a register": ("if (refused)", "if (0)"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", BREAKS)
def test_a_wrong_set_up_is_seen(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, wrong = BREAKS[name]
    shutil.copytree(SOFTWARE, tmp_path / "software")
    file = tmp_path / "software" / "sf_set_up.c"
    assert file.read_text().count(right) == 1
    file.write_text(file.read_text().replace(right, wrong))
    monkeypatch.setattr(compiling, "software", lambda: tmp_path / "software")
    spec = loads(NINE + "barrier_registers = 8")
    for seed in range(1, 5):
        defines = {"SEED": f"{seed}u", "IN_HARDWARE(m,n)": "has(m,n,3)||has(m,n,8)"}
        room = None
        if name.startswith("who is refused"):
            defines["IN_HARDWARE(m,n)"], room = "made[g]->port!=0", 2
        made = compile_program(SOURCE, spec=spec, barrier="btin", defines=defines)
        run = emulate(
            *(made, spec, 9, [world(9)]),
            seed=seed,
            slowest=400,
            limit=400_000,
            switch_registers=room,
        )
        if run.faults or run.exits != dict.fromkeys(range(9), 0):
            return
    pytest.fail(f"{name}, and all goes well")


@pytest.mark.long
def test_switches_without_room_leave_groups_to_messages() -> None:
    """Nodes have registers for all groups, switches two: of what is refused nothing stays."""
    spec = loads(NINE + "barrier_registers = 8")
    defines = {"SEED": "1u", "IN_HARDWARE(m,n)": "made[g]->port!=0"}
    made = compile_program(SOURCE, spec=spec, barrier="btin", defines=defines)
    for seed in range(3):
        run = emulate(made, spec, 9, [world(9)], seed=seed, switch_registers=2)
        assert run.faults == []
        assert run.exits == dict.fromkeys(range(9), 0)
        assert run.refused > 0


def test_on_a_mesh_with_managers_the_root_lets_its_group_go() -> None:
    spec = mesh(4, 4, barrier_registers=8, setup="manager")
    defines = {"SEED": "3u", "IN_HARDWARE(m,n)": "1"}
    made = compile_program(SOURCE, spec=spec, barrier="btm", defines=defines)
    run = emulate(made, spec, 9, [world(9)])
    assert run.faults == []
    assert run.exits == dict.fromkeys(range(9), 0)


@pytest.mark.long
def test_groups_beyond_the_registers_go_over_messages() -> None:
    """There is one register, and it is the one of all cores."""
    spec = mesh(3, 3, barrier_registers=1)
    defines = {"SEED": "5u", "IN_HARDWARE(m,n)": "0"}
    made = compile_program(SOURCE, spec=spec, barrier="btm", defines=defines)
    run = emulate(made, spec, 9, [world(9)])
    assert run.exits == dict.fromkeys(range(9), 0)


def test_what_a_group_with_others_than_cores_has_is_not_taken(tmp_path: Path) -> None:
    """Its number and its registers: a node must not have two registers of one number."""
    source = tmp_path / "own.c"
    source.write_text(
        '#include "syncfabric.h"\n'
        "int main(void) {\n"
        "    unsigned members[] = {0, 1, 2};\n"
        "    sf_group *all = sf_world();\n"
        "    sf_group *made = sf_group_create(members, sf_core() < 3 ? 3 : 0);\n"
        "    sf_put(made ? made->gid : 99);\n"
        "    sf_put(made ? made->port - all->port : 99);\n"
        "    if (made)\n"
        "        sf_barrier(made);\n"
        "    return sf_group_of(0) != 0;\n"
        "}\n"
    )
    spec = mesh(4, 4)
    others = BootGroup(0, (0, 3, 7), (1, 0, 1))
    run = emulate(compile_program(source, spec=spec), spec, 4, [others, world(4, gid=1)])
    assert run.exits == dict.fromkeys(range(4), 0)
    taken = [run.values(core) for core in range(4)]
    assert taken == [[2, 2], [2, 1], [2, 1], [99, 99]]


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
    for barrier in ("btm", "tournament"):
        run = emulate(compile_program(source, spec=spec, barrier=barrier), spec, 4, groups)
        assert run.exits == {0: 50, 1: 1, 2: 50, 3: 0}
        assert [run.values(core) for core in range(4)] == [[3, 99], [3, 3], [3, 99], [3, 3]]
