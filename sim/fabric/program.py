"""Building the fabric's program for a network, and talking to it."""

import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from types import TracebackType

from syncfabric.models.errors import ToolError
from syncfabric.models.networks.spec import AnySpec, IrregularSpec, StaticSpec
from syncfabric.sim.assemble.bench import REPORT
from syncfabric.sim.fabric import irregular, mesh, static
from syncfabric.sim.fabric.definitions import definitions
from syncfabric.sim.simulators import Built, Design, Verilator

__all__ = ["Fabric", "GroupCount", "build_fabric"]

_HEADERS = (
    *("awake.h", "bits.h", "cuts.h", "evaluate.h", "fabric.h", "grid.h", "idle.h", "links.h"),
    *("members.h", "messages.h", "probe.h", "referee.h", "script.h", "wire_probe.h"),
)


@dataclass(frozen=True)
class GroupCount:
    """What the referee counted for a group.

    Parameters
    ----------
    gid : int
    errors : int
        Members released early or twice, or that arrived twice.
    latencies : dict of int to int
        Episodes, by their latency in cycles: from last arrival to last release.
    """

    gid: int
    errors: int
    latencies: dict[int, int]

    @property
    def episodes(self) -> int:
        """All episodes."""
        return sum(self.latencies.values())


def build_fabric(spec: AnySpec, *, waves: bool = False, queue: int = 16384) -> Built:
    """Compile a network's tiles and the program that links them, or take it from the cache.

    Parameters
    ----------
    spec : MeshSpec, IrregularSpec or StaticSpec
        The network. Its size changes constants only, so building takes the same time for all.
    waves : bool
        Make it possible for a run to write a waveform.
    queue : int
        Packets that can wait at a source.

    Raises
    ------
    ToolError
        Verilator or the C++ compiler is missing.
    """
    if isinstance(spec, IrregularSpec):
        program, tiles = "irregular.cpp", irregular.tiles(spec, queue=queue)
    elif isinstance(spec, StaticSpec):
        program, tiles = "static.cpp", static.tiles(spec)
    else:
        program, tiles = "mesh.cpp", mesh.tiles(spec, queue=queue)
    with tempfile.TemporaryDirectory() as name:
        folder, designs = Path(name), []
        for top, text in tiles.items():
            source = folder / f"{top}.v"
            source.write_text(text)
            designs.append(Design(top, [source], trace=waves))
        for file in (program, *_HEADERS):
            text = files("syncfabric.sim.fabric").joinpath(file).read_text()
            (folder / file).write_text(text)
        (folder / "network.h").write_text(definitions(spec))
        headers = [folder / header for header in ("network.h", *_HEADERS)]
        return Verilator.find().build_native(designs, folder / program, headers=headers)


class Fabric:
    """A running fabric: a process that takes commands. Use it as a context manager.

    Parameters
    ----------
    built : Built
        From `build_fabric`.
    """

    def __init__(self, built: Built) -> None:
        self._process = subprocess.Popen(
            [str(built.program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> "Fabric":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None and self._process.stdin:
            self._process.stdin.write("quit\n")
            self._process.stdin.close()
            self._process.wait()
        else:
            self._process.kill()
            self._process.wait()

    def script(self, file: Path) -> None:
        """Read the stimuli of the next cycles; see `sim.assemble.player`."""
        self._ask(f"script {file}")

    def probe(self, file: Path | None) -> None:
        """Write what is on the wires from now on, or no more; see `sim.assemble.probe`."""
        self._ask(f"probe {file or ''}")

    def group(self, gid: int, seats: Iterable[tuple[int, int]]) -> None:
        """Watch a group whose members are at these (node number, register number)."""
        self._ask(f"group {gid} " + " ".join(f"{node} {register}" for node, register in seats))

    def doom(self, links: Iterable[int]) -> None:
        """Count the credits of links that a script is to make silent; before anything else."""
        self._ask("doom " + " ".join(map(str, links)))

    def restless(self) -> None:
        """Evaluate every tile in every cycle from now on, whether it idles or not."""
        self._ask("restless")

    def evaluated(self) -> int:
        """Return how often a tile was evaluated, over all tiles."""
        (count,) = self._ask("evaluated")
        return int(count)

    def members(self, *, seed: int, jitter: int) -> None:
        """Let the watched groups' members arrive for ever, a random wait after each release.

        ``jitter`` masks a random byte: 0 for no wait, 31 for up to 31 cycles. Takes one cycle.
        """
        self._ask(f"members {seed} {jitter}")

    def waves(self, file: Path) -> None:
        """Write a waveform of all that comes; of a fabric built for it, before anything else."""
        self._ask(f"waves {file}")

    def run(self, cycles: int) -> None:
        """Go on for some cycles."""
        self._ask(f"run {cycles}")

    def begin(self, cycles: int) -> None:
        """Go on for some cycles, and meanwhile let the caller do something else."""
        self._tell(f"run {cycles}")

    def end(self) -> None:
        """Wait for what `begin` began."""
        self._answer("run")

    def peak_memory(self) -> int:
        """Return the most memory that the process has held, in bytes."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise ToolError("this system does not tell a process's peak memory")

    def report(self) -> list[dict[str, int]]:
        """Return the traffic's counters, by name, of every node; none where there is no traffic."""
        return [
            dict(zip(REPORT, (int(word, 16) for word in line.split()), strict=True))
            for line in self._ask("report")
        ]

    def watch(self) -> list[GroupCount]:
        """Return what the referee counted for each watched group."""
        counts = []
        for line in self._ask("watch"):
            gid, errors, *seen = line.split()
            pairs = (entry.split(":") for entry in seen)
            latencies = {int(latency): int(count) for latency, count in pairs}
            counts.append(GroupCount(int(gid), int(errors), latencies))
        return counts

    def _ask(self, command: str) -> list[str]:
        """Send a command and return the lines of its answer."""
        self._tell(command)
        return self._answer(command)

    def _tell(self, command: str) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # what has ended shows in the answer
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()

    def _answer(self, command: str) -> list[str]:
        assert self._process.stdout is not None
        answer: list[str] = []
        for line in self._process.stdout:
            if line == "ok\n":
                return answer
            answer.append(line.rstrip("\n"))
        raise ToolError(
            f"the simulation of the network ended at {command!r}, "
            f"exit code {self._process.wait()}: {' '.join(answer)[-300:]}"
        )
