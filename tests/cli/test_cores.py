"""``syncfabric cores``: what it says and its exit codes; systems are tested in tests/sim/cores."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.messages.core import Activity, FaultReason
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.cores import run as module
from syncfabric.sim.cores.events import Events, Fault, Kind, Piece, Put, Span
from syncfabric.sim.cores.result import result_of
from syncfabric.sim.draw.charts import _thinned, timeline_figure
from syncfabric.sim.results import Seconds
from tests.cli.conftest import Call, refused


class Program:
    """A program that was compiled, as far as a result looks at it."""

    def function_at(self, pc: int) -> str | None:
        return "main" if pc < 64 else None


def happened() -> Events:
    """Return what two cores did: one came to a barrier and ended."""
    spans = [Span(0, 40, Activity.WORKS, False), Span(40, 55, Activity.WAITS, False)]
    return Events(
        cycles=60,
        puts=[Put(0, 12, "hello"), Put(1, 30, 7)],
        exits={0: (58, 0), 1: (59, 0)},
        spans={0: [*spans, Span(55, 60, Activity.STOPPED, False)], 1: spans},
    )


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Events:
    """Replace compiling and running; what happened can be changed."""
    events = happened()

    def run(spec: Any, program: Any, *, cores: int, sim: str, **_: Any) -> tuple[Any, Events]:
        return result_of(make_plan(spec), program, events, cores, sim, Seconds(1.0, 2.0)), events

    monkeypatch.setattr(module, "compile_program", lambda *_, **__: Program())
    monkeypatch.setattr(module, "run_program", run)
    return events


def test_tables_show_console_cores_and_groups(call: Call, events: Events) -> None:
    result = call("cores", "p.c", "--network", "mesh-2x2", "--cores", 2)
    assert result.exit_code == 0
    assert "core 0, cycle 12: hello" in result.stdout
    assert "2 cores on mesh-2x2" in result.stdout
    assert "barriers in hardware" in result.stdout
    assert "60 cycles" in result.stdout


def test_json_has_what_the_tables_have(call: Call, events: Events) -> None:
    result = call("cores", "p.c", "--network", "mesh-2x2", "--cores", 2, "--json")
    value = json.loads(result.stdout)
    assert (value["cores"], value["cycles"], value["exits"]) == (2, 60, [0, 0])
    assert value["console"][0] == {"core": 0, "cycle": 12, "value": "hello"}
    assert value["lost"][0] == {"core": 0, "cycles": 15, "waiting": 15}
    assert {group["planner"] for group in value["groups"]} == {"shortest"}


def test_a_picture_is_drawn(call: Call, events: Events, tmp_path: Path) -> None:
    trace = tmp_path / "trace.svg"
    call("cores", "p.c", "--network", "mesh-2x2", "--cores", 2, "--trace", trace)
    assert trace.read_text().startswith("<?xml")


def test_a_part_of_the_run_is_drawn(
    call: Call, events: Events, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cycles 30 to 50 of 60: both cores work until 40, and wait after it."""
    drawn: list[tuple[Any, ...]] = []

    def draw(*given: Any) -> Any:
        drawn.append(given)
        return timeline_figure(*given)

    monkeypatch.setattr("syncfabric.sim.draw.charts.timeline_figure", draw)
    words = ("cores", "p.c", "--network", "mesh-2x2", "--cores", 2, "--trace", tmp_path / "t.svg")
    result = call(*words, "--from", 30, "--to", 50, "--json")
    ((part, _, _, *window),) = drawn
    assert window == [30, 50]
    assert [(lost.cycles, lost.waiting) for lost in part.lost] == [(10, 10), (10, 10)]
    assert json.loads(result.stdout)["lost"][0]["cycles"] == 15
    assert "cycles 30 to 50 of 60; 50.0% of them in barriers" in (tmp_path / "t.svg").read_text()
    assert call(*words, "--from", 30, "--to", 1000).exit_code == 0
    assert drawn[-1][-1] == 60
    refused(call(*words, "--from", 60), "from = 60: the program ended in cycle 60; ")


def test_thinned_pieces_keep_to_the_window() -> None:
    kinds = (Kind.WORKS, Kind.WAITS)
    pieces = [Piece(2 * k, 2 * k + 2, kinds[k % 2]) for k in range(5000)]
    for first, last in ((0, 10_000), (1_001, 9_001), (1_001, 1_101)):
        thinned = _thinned(pieces, first, last)
        assert (thinned[0].begin, thinned[-1].end) == (first, last)
        assert all(one.end == other.begin for one, other in pairwise(thinned))
    assert thinned[1:-1] == pieces[501:550]


def test_what_cores_change_in_a_network_is_printed(call: Call, events: Events, here: Path) -> None:
    channels = "note: channels = 2: packets travel on one, their acknowledgements on the other"
    words = ("cores", "p.c", "--cores", 2, "--network")
    lines = call(*words, "mesh-2x2").stdout.splitlines()
    assert lines[:2] == [channels, "note: group 0 is added: all 2 cores, planner shortest"]
    assert lines[2].startswith("core 0, ")
    changes = json.loads(call(*words, "mesh-2x2", "--json").stdout)["changes"]
    assert [f"note: {change}" for change in changes] == lines[:2]
    assert "note: " not in call(*words, "two-channels", "--barrier", "tree").stdout
    static = call("cores", "p.c", "--network", "reflex-2x2", "--barrier", "reflex-tree").stdout
    assert static.splitlines()[:3] == [
        "note: packets travel on a mesh of their own beside the static network",
        "note: group 1 is left out: the group of all cores takes its place",
        "note: group 0 is added: all 4 cores, planner tree",
    ]


def test_a_fault_is_printed_with_its_function(call: Call, events: Events) -> None:
    events.faults.append(Fault(1, 44, FaultReason.NOT_READY, 0x20, 0x4000_0084))
    del events.exits[1]
    result = call("cores", "p.c", "--network", "mesh-2x2", "--cores", 2)
    assert result.exit_code == 1
    assert "fault: core 1, cycle 44, instruction at 0x20 in main" in result.stderr
    assert "not ready" in result.stderr


def test_the_limit_prints_where_each_core_stands(call: Call, events: Events) -> None:
    events.end = "limit"
    events.exits.clear()
    events.stands.update({0: (Activity.WAITS, 0x10), 1: (Activity.WORKS, 0x80)})
    result = call("cores", "p.c", "--network", "mesh-2x2", "--cores", 2)
    assert result.exit_code == 1
    assert "core 0 waits in a barrier, at 0x10 in main" in result.stderr
    assert "core 1 works, at 0x80" in result.stderr


def test_an_exit_code_fails_the_run(call: Call, events: Events) -> None:
    events.exits[1] = (59, -3)
    result = call("cores", "p.c", "--network", "mesh-2x2", "--cores", 2)
    assert result.exit_code == 1
    assert "core 1 ended with exit code -3" in result.stderr
