"""The ready-made programs on ready-made networks of every kind, with the networks' own barriers."""

from pathlib import Path

import pytest

from syncfabric.models.networks.reader import load, loads
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import HARDWARE, with_channels, with_world
from syncfabric.sim.simulators import find_simulator
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import MESSAGES, early, mesh, program

OURS = Path(__file__).parent / "programs"
OWN = {
    "engines": 'kind = "mesh"\ntransport = "link"\nwidth = 4\nheight = 4',
    "torus": 'kind = "irregular"\ntopology = "torus-5x2"',
    "few engines": 'kind = "mesh"\ntransport = "routed"\nwidth = 2\nheight = 2',
    "engines, switches": (
        'kind = "irregular"\ntransport = "link"\nports = 6\nlink_registers = 1\n'
        "random = { nodes = 9, switches = 5, connectivity = 0.75, seed = 1 }"
    ),
}
"""Networks of these tests alone: the table ``[network]``."""

NETWORKS = [
    ("engines", "engine", 16),
    ("engines, switches", "engine", 9),
    ("torus", "engine", 10),
    ("reflex-4x4", "reflex", 16),
    ("reflex-4x4", "reflex-tree", 16),
    ("reflex-4x4", "reflex-software", 16),
    ("reflex-4x4", "reflex-tree-software", 16),
    ("cluster-fig1", "engine", 26),
    ("wires-4x4", "engine", 16),
]
MESH = "mesh-4x4"
ON_MESH = [(MESH, barrier, 16) for barrier in ("engine", *MESSAGES)]
"""With barriers over messages as well."""


def run(
    name: str, network: str, barrier: str, cores: int, sim: str = "verilator", **defines: int
) -> CoresResult:
    """Run a program to its end; barriers in hardware took place, and none went beyond its bound."""
    text = OWN.get(network)
    spec = loads(f'name = "own"\n[network]\n{text}\n') if text else load(network)
    spec = with_world(with_channels(spec), cores, barrier)
    given = {key: str(value) for key, value in defines.items()}
    source = OURS / f"{name}.c"
    source = source if source.exists() else Path(name)
    made = compile_program(source, spec=spec, barrier=barrier, defines=given)
    result, _ = run_program(spec, made, cores=cores, sim=sim)
    assert result.exits == (0,) * cores, result.verdict
    (group,) = (group for group in result.groups if group.members == cores)
    if barrier not in HARDWARE:
        assert group.episodes == 0
        return result
    assert group.episodes > 3
    assert group.latency is not None
    assert group.latency.max <= (group.bound or 0)
    return result


def values(result: CoresResult, core: int) -> list[int]:
    return [put.value for put in result.console if put.core == core and isinstance(put.value, int)]


def times(result: CoresResult) -> list[list[int]]:
    return [values(result, core) for core in range(result.cores)]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("network", "barrier", "cores", "skew"),
    [
        *((*case, skew) for case in [*NETWORKS, *ON_MESH] for skew in (0, 1000)),
        *((*case, 10_000) for case in ON_MESH),
    ],
)
def test_no_core_leaves_before_the_last_one_comes(
    network: str, barrier: str, cores: int, skew: int
) -> None:
    result = run("barrier", network, barrier, cores, SKEW=skew)
    assert early(times(result), 20, int(network != MESH)) == 0


@pytest.mark.nightly
@pytest.mark.parametrize(("network", "barrier", "cores"), NETWORKS)
def test_halves_of_barriers_hold_and_let_go(network: str, barrier: str, cores: int) -> None:
    assert early(times(run("split", network, barrier, cores, WORK=800)), 20, 1) == 0
    assert early(times(run("split", network, barrier, cores, WORK=800, TAKING=1)), 20, 1) == 0
    run("chain", network, barrier, cores)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "network", "barrier", "cores"),
    [
        *(("bfs", *case) for case in NETWORKS),
        *((name, *case) for case in ON_MESH for name in ("jacobi", "sort", "bfs")),
    ],
)
def test_a_program_puts_what_it_puts_on_emulated_cores(
    name: str, network: str, barrier: str, cores: int
) -> None:
    spec = mesh(8, 8)
    emulated = emulate(program(name, "engine", spec), spec, cores, [world(cores)])
    result = run(name, network, barrier, cores)
    for core in range(cores):
        assert values(result, core) == emulated.values(core)


@pytest.mark.nightly
@pytest.mark.parametrize(("network", "barrier", "cores"), [*NETWORKS, *ON_MESH])
def test_the_same_work_under_three_names(network: str, barrier: str, cores: int) -> None:
    result = run("skins", network, barrier, cores)
    for core in range(cores):
        put = values(result, core)
        assert put[0] == put[2] == put[4] == (core - 10) % cores + 45
        assert put[6:] == [core // 2, core // 2]
        if network == MESH:
            assert all(abs(cycles - put[1]) <= 60 for cycles in put[3:6:2])


@pytest.mark.nightly
def test_a_barrier_in_hardware_takes_less_than_a_quarter_of_any_in_software() -> None:
    """Cycles from the last arrive to the last release, all arriving at once."""
    took = {}
    for network, barrier, cores in ON_MESH:
        of = times(run("barrier", network, barrier, cores))
        took[barrier] = max(each[39] for each in of) - max(each[38] for each in of)
    assert took["engine"] * 4 < min(took[barrier] for barrier in MESSAGES), took


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize(
    ("network", "barrier", "cores"),
    [
        ("mesh-2x2", "engine", 4),
        ("reflex-2x2", "reflex", 4),
        ("reflex-2x2", "reflex-tree", 4),
        ("reflex-2x2", "reflex-software", 4),
        ("reflex-2x2", "reflex-tree-software", 4),
        ("twins", "engine", 5),
        ("few engines", "engine", 4),
        ("engines, switches", "engine", 9),
    ],
)
def test_no_core_leaves_early_under_icarus(network: str, barrier: str, cores: int) -> None:
    find_simulator("icarus")
    result = run("barrier", network, barrier, cores, "icarus", EPISODES=4, SKEW=50)
    assert early(times(result), 4, 1) == 0
