"""What cores add to a barrier's latency, from what they report and what the network did."""

from dataclasses import replace
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.events import Events, Put
from syncfabric.sim.cores.result import CoresResult
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import with_world
from syncfabric.sim.experiments.bench import cores as figures
from syncfabric.sim.experiments.bench.measures import last_to_last
from syncfabric.sim.experiments.frame import Work
from syncfabric.sim.experiments.output import figure_of
from syncfabric.sim.results import Seconds
from tests.sim.cores.systems import PROGRAMS, mesh
from tests.sim.experiments.bench.conftest import met, rows_of

PAIR = with_world(mesh(2, 1), 2, "engine")
EMPTY = CoresResult("net", "none", 2, 0, "end", (0, 0), (), (), (), (), ())


def found(spec: NetworkSpec, *puts: tuple[int, int, int]) -> int:
    """Return the figure for two barriers after the first: both cores arrive at 50 and at 100."""
    events = Events()
    for core in range(2):
        events.arrivals[core, 0] = [10, 50, 100]
        events.releases[core, 0] = [20, 60, 107 + core]
    result = replace(EMPTY, console=tuple(Put(core, at, value) for core, at, value in puts))
    return figures.overhead(spec, result, events)


def test_of_the_worst_barrier_the_last_core_to_go_on_counts() -> None:
    puts = [(core, 0, at) for core in range(2) for at in (45, 66, 96, 111 + 4 * core)]
    assert found(PAIR, *puts) == 115 - 108
    slower = [(core, 0, at) for core in range(2) for at in (45, 71 - core, 96, 111)]
    assert found(PAIR, *slower) == 71 - 60


def test_barriers_that_are_none_of_the_networks_are_no_figure() -> None:
    once = [(core, 0, at) for core in range(2) for at in (45, 66)]
    with pytest.raises(RuntimeError, match="2 barriers"):
        found(PAIR, *once)
    for times in ((45, 66, 101, 111), (45, 58, 96, 111)):
        with pytest.raises(RuntimeError, match="cores came at"):
            found(PAIR, *((core, 0, at) for core in range(2) for at in times))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("wait", "holds"), [("sf_barrier(all)", True), ("sf_barrier_wait_taking(all)", False)]
)
def test_cores_add_little_and_more_is_seen(wait: str, holds: bool, tmp_path: Path) -> None:
    pytest.importorskip("ziglang")
    pytest.importorskip("pythondata_cpu_picorv32")
    text, timed = (PROGRAMS / "barrier.c").read_text(), "sf_barrier(all);\n        after"
    assert text.count(timed) == 1
    arrive = "" if holds else "sf_barrier_arrive(all); "
    source = tmp_path / "program.c"
    source.write_text(text.replace(timed, f"{arrive}{wait};\n        after"))
    spec = with_world(mesh(4, 4), 16, "engine")
    program = compile_program(source, spec=spec, barrier="engine", defines={"SKEW": "500"})
    result, events = run_program(spec, program, cores=16)
    more = figures.overhead(spec, result, events)
    assert more >= 1
    assert (more <= figures.OVERHEAD) is holds


@pytest.mark.nightly
def test_a_manager_makes_a_group_within_its_bound() -> None:
    pytest.importorskip("ziglang")
    pytest.importorskip("pythondata_cpu_picorv32")
    managed, local = rows_of(figures.core_groups)
    assert met(managed), managed.ours
    assert local.ours != managed.ours


def test_software_has_the_same_network_and_group_as_hardware(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a group of all cores in the file, making one would count as software's cycles."""
    seen: dict[str, list[NetworkSpec]] = {}

    def ran(name: str, spec: NetworkSpec, barrier: str, *_: object) -> tuple[CoresResult, Events]:
        seen.setdefault(name, []).append(spec)
        cycles = 100 if barrier == "engine" else 120
        return replace(EMPTY, cycles=cycles, seconds=Seconds(0, 1)), Events()

    monkeypatch.setattr(figures, "run_cores", ran)
    monkeypatch.setattr(figures, "overhead", lambda *_: 0)
    rows = rows_of(figures.core_programs)
    assert rows[0].ours == "100, 120 cycles: 1.20"
    for name in ("jacobi", "sort", "bfs"):
        first, *others = seen[name]
        assert first.groups
        assert others == [first] * len(figures.SOFTWARE)


def test_apart_the_last_arrival_and_the_last_going_on_count() -> None:
    puts = [(0, 0, 10), (1, 0, 40), (0, 0, 60), (1, 0, 58), (0, 0, 100), (1, 0, 90)]
    puts += [(0, 0, 150), (1, 0, 160)]
    result = replace(EMPTY, console=tuple(Put(core, at, value) for core, at, value in puts))
    assert last_to_last(result) == ((60 - 40) + (160 - 100)) / 2


def test_each_name_has_its_own_rounds_the_slowest_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the numbers that ``skins.c`` puts: a sum, then cycles, under each name."""

    def ran(name: str, spec: NetworkSpec, barrier: str, cores: int) -> tuple[CoresResult, Events]:
        assert name == "skins"
        assert spec.groups
        put = (Put(core, 0, value + core) for core in range(cores) for value in (7, 1, 7, 2, 7, 3))
        return replace(EMPTY, cores=cores, console=tuple(put)), Events()

    monkeypatch.setattr(figures, "run_cores", ran)
    rows = rows_of(figures.core_names)
    assert [row.claim.partition(":")[0] for row in rows] == [
        *figures.HARDWARE,
        *figures.SOFTWARE,
    ]
    assert {row.ours for row in rows} == {"16, 17, 18"}


def test_every_kind_has_a_row_and_a_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    cycles = {kind: 10.0 * (n + 1) for n, kind in enumerate((*figures.HARDWARE, *figures.SOFTWARE))}
    monkeypatch.setattr(figures, "scaling", lambda side, sizes, kind: [cycles[kind]] * len(sizes))
    work = Work(figures.core_barriers)
    work.experiment.function(work)
    *rows, over = work.claims
    assert [row.ours for row in rows] == [", ".join([f"{cycles[kind]:.0f}"] * 6) for kind in cycles]
    assert over.ours == ", ".join(["4.0"] * 6)
    lines = figure_of(work).axes[0].lines
    assert {line.get_linestyle() for line in lines[:3]} == {"-"}
    assert {line.get_linestyle() for line in lines[3:]} == {"--"}
