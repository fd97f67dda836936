"""The texts of an entry: files, Verilog, and the probe's lines of each scenario on a back end."""

import re
from collections.abc import Sequence
from typing import Any

from syncfabric.sim.drive.backends import build_bench, play, play_bench
from syncfabric.sim.drive.checker import defined
from syncfabric.sim.drive.runner import Runner, ScenarioRunner
from syncfabric.sim.drive.scenario import Outcome, Scenario
from syncfabric.sim.drive.trace import Chunk
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.simulators.base import Built
from tests.trace.corpus import Entry

WRONG = "! "
"""Begins a last line that says what went wrong."""

PORTS = re.compile(" p[0-9a-f:]+")
"""What processes see of their registers follows from messages: compared, and not recorded."""
NOTHING = re.compile("[0-9a-f]+ 0 0 0")

SOURCES = ("files", "model", "verilog", "verilator", "icarus")


def texts(entry: Entry, source: str) -> dict[str, str]:
    """Return an entry's texts by name; a scenario that goes wrong says so in its last line.

    Parameters
    ----------
    entry : Entry
    source : {"files", "model", "verilog", "verilator", "icarus"}
    """
    match source:
        case "files":
            return entry.files()
        case "verilog":
            return entry.verilog()
        case "model":
            return {f"{name}.trace": _model(entry, name) for name in entry.scenarios}
        case "icarus":
            return {f"{name}.trace": _icarus(entry, name) for name in entry.icarus}
    built = build_fabric(entry.spec.network)
    return {f"{name}.trace": _verilator(entry, name, built) for name in entry.scenarios}


def _model(entry: Entry, name: str) -> str:
    """Return the lines of the golden model."""
    runner = entry.runner(name)
    lines = _kept(runner)
    while not runner.finished:
        runner.take(runner.advance(), None)
    return _text(lines, runner.outcome())


def _verilator(entry: Entry, name: str, built: Built) -> str:
    """Return the lines of the network as tiles."""
    runner = entry.runner(name)
    lines = _kept(runner)
    with Fabric(built) as fabric:
        outcome = play(fabric, runner)
    return _text(lines, outcome)


def _icarus(entry: Entry, name: str) -> str:
    """Return the lines of the network's own top."""
    scenario = entry.scenarios[name]
    assert isinstance(scenario, Scenario)  # a recovery runs on tiles alone
    runner = ScenarioRunner(entry.plan, scenario)
    lines = _kept(runner)
    return _text(lines, play_bench(build_bench(entry.spec.network), runner))


def _kept(runner: Runner[Any]) -> list[str]:
    """Return a list that gets all lines that the runner takes in."""
    lines: list[str] = []
    take = runner.take

    def keep(chunk: Chunk, text: Sequence[str] | None) -> None:
        written = text and [defined(line, chunk.meanings) for line in text]
        shown = [PORTS.sub("", line) for line in (chunk.text if written is None else written)]
        lines.extend(line for line in shown if not NOTHING.fullmatch(line))
        take(chunk, text)

    runner.take = keep  # type: ignore[method-assign]
    return lines


def _text(lines: Sequence[str], outcome: Outcome) -> str:
    """Return a trace; its last line says what went wrong, if something did."""
    wrong = [f"{WRONG}hang: {outcome.hang}"] if outcome.hang else []
    wrong += [f"{WRONG}{mismatch}" for mismatch in outcome.mismatches[:1]]
    return "\n".join([*lines, *wrong])
