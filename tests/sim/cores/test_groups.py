"""Groups over messages that programs make, and those of the network file."""

from pathlib import Path

import pytest

from syncfabric.models.messages import Op
from syncfabric.models.messages.boot import BootGroup
from syncfabric.sim.cores.compile import compile_program
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import mesh

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
