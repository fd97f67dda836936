"""Vectors of many cores: in the network's streams, and over messages."""

from itertools import product
from pathlib import Path

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.reader import load, loads
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import boot_groups, run_program
from syncfabric.sim.cores.system import shape_of
from syncfabric.sim.simulators import find_simulator
from tests.nightly import nightly_but
from tests.sim.cores.emulator import emulate, world
from tests.sim.cores.systems import PROGRAMS, mesh

OURS = Path(__file__).parent / "programs"
FILE = """
name = "streams"
[network]
kind = "mesh"
width = 2
height = 2
channels = 2
groups = 2
wires = 2
streams = {streams}
stream_operations = ["integer"]
[[group]]
id = 1
members = "all"
stream = true
"""
STREAMS = loads(FILE.format(streams=1))
CLUSTER = """
name = "row"
[network]
kind = "irregular"
ports = 4
links = [[[0, 3], [1, 3]], [[1, 2], [2, 3]]]
nodes = [[0, 0], [0, 1], [1, 0], [2, 0]]
channels = 2
wires = 2
streams = 2
stream_operations = ["integer"]
[[group]]
id = 1
members = "all"
stream = true
"""


def played(
    spec: NetworkSpec, source: Path, sim: str = "verilator", **defines: int
) -> tuple[CoresResult, dict[int, list[int]]]:
    """Run a program on four cores; return the result, and what each put."""
    texts = {name: str(value) for name, value in defines.items()}
    made = compile_program(source, spec=spec, defines=texts)
    result, events = run_program(spec, made, cores=4, sim=sim, limit=400_000)
    put = {core: [int(p.value) for p in events.puts if p.core == core] for core in range(4)}
    return result, put


@pytest.mark.nightly
def test_a_word_a_cycle() -> None:
    """Of 128 words a stream takes its latency, a cycle a word, and some 30 instructions."""
    result, put = played(STREAMS, PROGRAMS / "vectors.c", WORDS=128)
    assert result.exits == (0, 0, 0, 0), result
    (group,) = make_plan(STREAMS).groups
    took = [
        max(times[k + 1] for times in put.values()) - max(times[k] for times in put.values())
        for k in range(0, 12, 2)
    ]
    assert max(took[:3]) <= 128 + (group.stream_bound or 0) + 120
    assert min(took[3:]) > 20 * max(took[:3])


@pytest.mark.nightly
def test_mpi_in_streams_until_the_group_is_killed() -> None:
    result, _ = played(STREAMS, OURS / "vectors.c", KILL=1)
    assert result.exits == (0, 0, 0, 0), result


@pytest.mark.parametrize("cores", nightly_but([1, 5], [1, 2, 5, 8, 16]))
def test_over_messages(cores: int) -> None:
    spec = mesh(8, 8)
    for source, words in ((PROGRAMS, "3"), (PROGRAMS, "100"), (PROGRAMS, "150"), (OURS, "")):
        given = {"WORDS": words} if words else {}
        made = compile_program(source / "vectors.c", spec=spec, defines=given)
        done = emulate(made, spec, cores, [world(cores)], seed=cores, limit=4_000_000)
        assert done.faults == []
        assert set(done.exits.values()) == {0}


PROGRAMS_OF = {"gemm": "vectors-rows", "sgd": "vectors-4x4", "softmax": "vectors-4x4"}


@pytest.mark.parametrize(
    ("name", "method"),
    nightly_but([("gemm", 1), ("sgd", 2), ("softmax", 1)], product(PROGRAMS_OF, [1, 2])),
)
def test_programs_without_streams(name: str, method: int) -> None:
    spec = load(PROGRAMS_OF[name])
    made = compile_program(Path(name), spec=spec, defines={"BY": str(method), **SMALL[name]})
    groups = boot_groups(make_plan(spec), sends_flits=False)
    done = emulate(made, spec, 16, groups, limit=4_000_000)
    assert done.faults == []
    assert done.stands == {}
    assert set(done.exits.values()) == {0}


@pytest.mark.parametrize(
    ("method", "kind"), nightly_but([(1, 0), (2, 1), (3, 2), (1, 2)], product([1, 2, 3], range(3)))
)
def test_collectives_without_streams(method: int, kind: int) -> None:
    """Broadcasts, reductions and all-reduces, of few words and of more than halves take."""
    spec = load("vectors-4x4")
    groups = boot_groups(make_plan(spec), sends_flits=False)
    for words in ("5", "70"):
        given = {"BY": str(method), "KIND": str(kind), "WORDS": words, "SF_SHORT": "60"}
        made = compile_program(Path("collectives"), spec=spec, defines=given)
        done = emulate(made, spec, 16, groups, limit=4_000_000)
        assert (done.faults, done.stands, set(done.exits.values())) == ([], {}, {0})


SMALL = {"sgd": {"WEIGHTS": "8"}, "softmax": {"ROWS": "3"}, "gemm": {"SIZE": "8"}}


@pytest.mark.nightly
@pytest.mark.parametrize("name", PROGRAMS_OF)
def test_programs_take_less_with_streams(name: str) -> None:
    spec, took = load(PROGRAMS_OF[name]), []
    for method in range(3):
        given = {"BY": str(method), **SMALL[name]}
        made = compile_program(Path(name), spec=spec, defines=given)
        result, events = run_program(spec, made, cores=16, limit=4_000_000)
        assert set(result.exits) == {0}
        put = [[int(p.value) for p in events.puts if p.core == core] for core in range(16)]
        took.append(max(end for _, end in put) - max(begin for begin, _ in put))
    assert took[0] < min(took[1:])


def test_words_that_do_not_fit_are_refused() -> None:
    network = STREAMS.network
    settings = network.model_dump(exclude_unset=True) | {"stream_bits": 64}
    with pytest.raises(SpecError, match=r"stream_bits = 64: .*set stream_bits = 32"):
        shape_of(type(network)(**settings), 4, 32)


@pytest.mark.nightly
def test_streams_on_a_cluster_and_two_channels() -> None:
    for spec in (loads(CLUSTER), loads(FILE.format(streams=2))):
        for source in (PROGRAMS, OURS):
            result, _ = played(spec, source / "vectors.c")
            assert result.exits == (0, 0, 0, 0), result


@pytest.mark.nightly
def test_both_simulators_see_the_same() -> None:
    find_simulator("icarus")
    runs = [
        played(STREAMS, PROGRAMS / "vectors.c", sim, WORDS=20) for sim in ("verilator", "icarus")
    ]
    assert runs[0][1] == runs[1][1]
    assert runs[0][0].cycles == runs[1][0].cycles
