"""The cocotb bench of a network: plays scenarios into the hardware, and checks what it does.

The job comes as a file, named by an environment variable; the outcomes go into another.
Python sleeps while the hardware plays a chunk: it wakes to hand in the next, and reads then what
the probe wrote in the last.
"""

import os
import pickle
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer

from syncfabric.sim.assemble.script import script_text
from syncfabric.sim.drive.log import log_file
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome
from syncfabric.sim.drive.trace import Chunk

JOB = "SYNCFABRIC_JOB"
"""Variable with the job file's name."""
PROGRESS = "syncfabric-progress"
"""First word of a line that tells how far a scenario is: what is done, of how much."""

PERIOD = 10  # ns
RESET = 4  # cycles


class Hardware:
    """The bench's ports and files. Between calls, time stands in the middle of a cycle."""

    def __init__(self, dut: Any, folder: Path) -> None:
        self._dut = dut
        self._script, self._report = folder / "script.txt", folder / "report.txt"
        self._probe, self._read = folder / "probe.txt", 0
        for port in ("load", "report"):
            getattr(dut, port).value = 0
        dut.rst.value = 1
        Clock(dut.clk, PERIOD, unit="ns").start(start_high=False)

    async def reset(self) -> None:
        """Reset, and stand in cycle 0."""
        self._dut.rst.value = 1
        await self.wait(RESET)
        await self.load(None)  # what was still to be said of the last run
        self._dut.rst.value = 0

    async def wait(self, cycles: int) -> None:
        """Let cycles pass."""
        if cycles:
            await Timer(PERIOD * cycles, unit="ns")

    async def load(self, chunk: Chunk | None) -> list[str]:
        """Hand in a chunk's stimuli, pass a cycle, and return what the probe had written."""
        self._script.write_text(script_text(chunk.stimuli) if chunk else "")
        self._dut.load.value = 1
        await self.wait(1)
        self._dut.load.value = 0
        with self._probe.open("rb") as probe:
            probe.seek(self._read)
            text = probe.read()
        self._read += len(text)
        return text.decode().splitlines()

    async def read_report(self) -> list[list[int]] | None:
        """Return the traffic's counters, a row a node; None if one is unknown."""
        self._dut.report.value = 1
        await self.wait(1)
        self._dut.report.value = 0
        try:
            lines = self._report.read_text().splitlines()
            return [[int(word, 16) for word in line.split()] for line in lines]
        except ValueError:
            return None


async def play(hardware: Hardware, runner: ScenarioRunner) -> Outcome:
    """Play one scenario from reset to its end."""
    await hardware.reset()
    before: Chunk | None = None
    cycle = 0  # in which time stands
    while not runner.finished:
        chunk = runner.advance()
        text = await hardware.load(chunk)
        cycle += 1
        if before is not None:
            runner.take(before, text)
        before = chunk
        print(PROGRESS, *runner.progress, flush=True)
        await hardware.wait(chunk.end - 1 - cycle)
        cycle = max(cycle, chunk.end - 1)
    text = await hardware.load(None)
    if before is not None and not runner.checker.mismatches:
        runner.take(before, text)
    return runner.outcome(await hardware.read_report())


@cocotb.test()
async def hardware_is_as_the_model(dut: Any) -> None:
    """Play every scenario of the job; compare every cycle."""
    path = Path(os.environ[JOB])
    job: Job = pickle.loads(path.read_bytes())
    hardware = Hardware(dut, path.parent)
    with log_file(job.log) as log:
        runners = (ScenarioRunner(*run, job, log) for run in job.runs)
        outcomes = [await play(hardware, runner) for runner in runners]
    path.with_name("outcomes.pickle").write_bytes(pickle.dumps(outcomes))
    bad = sum(bool(outcome.mismatches or outcome.hang) for outcome in outcomes)
    assert not bad, f"{bad} of {len(outcomes)} scenarios went wrong"
