"""The ready-made programs on a mesh in hardware: as on emulated cores, which numpy checks."""

import pytest

from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import with_world
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import MESSAGES, mesh, program

CORES = 16
ALL = ["engine", *MESSAGES]


def run(name: str, barrier: str, **defines: int) -> CoresResult:
    spec = with_world(mesh(4, 4), CORES, barrier)
    made = program(name, barrier, spec, **defines)
    result, _ = run_program(spec, made, cores=CORES)
    assert result.exits == (0,) * CORES
    assert result.cycles < 500_000
    return result


def values(result: CoresResult, core: int) -> list[int]:
    return [put.value for put in result.console if put.core == core and isinstance(put.value, int)]


@pytest.mark.long
@pytest.mark.parametrize("barrier", ALL)
@pytest.mark.parametrize("name", ["jacobi", "sort", "bfs"])
def test_a_program_puts_what_it_puts_on_emulated_cores(name: str, barrier: str) -> None:
    spec = mesh(4, 4)
    emulated = emulate(program(name, barrier, spec), spec, CORES, [world(CORES)])
    result = run(name, barrier)
    for core in range(CORES):
        assert values(result, core) == emulated.values(core)


@pytest.mark.long
@pytest.mark.parametrize("barrier", ALL)
def test_the_same_work_under_three_names(barrier: str) -> None:
    result = run("skins", barrier)
    for core in range(CORES):
        first, cycles, *others = values(result, core)
        assert others[0] == others[2] == first == (core - 10) % CORES + 45
        assert all(abs(other - cycles) <= 60 for other in others[1:4:2])


@pytest.mark.long
@pytest.mark.parametrize("barrier", ALL)
@pytest.mark.parametrize("skew", [0, 1000, 10_000])
def test_no_core_leaves_before_the_last_one_comes(barrier: str, skew: int) -> None:
    result = run("barrier", barrier, SKEW=skew)
    times = [values(result, core) for core in range(CORES)]
    for at in range(0, 40, 2):
        assert min(of[at + 1] for of in times) >= max(of[at] for of in times)


@pytest.mark.long
def test_a_barrier_in_hardware_takes_less_than_a_quarter_of_any_in_software() -> None:
    """Cycles from the last arrive to the last release, all arriving at once."""
    took = {}
    for barrier in ALL:
        result = run("barrier", barrier)
        times = [values(result, core) for core in range(CORES)]
        took[barrier] = max(of[39] for of in times) - max(of[38] for of in times)
    assert took["engine"] * 4 < min(took[barrier] for barrier in MESSAGES), took
