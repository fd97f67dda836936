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
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.bench import REPORT
from syncfabric.sim.assemble.mesh import link_wires
from syncfabric.sim.fabric.tile import TILE, tile_verilog
from syncfabric.sim.simulators import Built, Design, Verilator

__all__ = ["Fabric", "GroupCount", "build_fabric"]


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


def build_fabric(spec: MeshSpec, *, waves: bool = False, queue: int = 16384) -> Built:
    """Compile a network's tile and the program that links its instances, or take it from the cache.

    Parameters
    ----------
    spec : MeshSpec
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
    with tempfile.TemporaryDirectory() as folder:
        tile, main = Path(folder, "tile.v"), Path(folder, "fabric.cpp")
        tile.write_text(tile_verilog(spec, queue=queue))
        program = files("syncfabric.sim.fabric").joinpath("fabric.cpp").read_text()
        main.write_text(_definitions(spec) + program)
        return Verilator.find().build_native(Design(TILE, [tile], trace=waves), main)


def _definitions(spec: MeshSpec) -> str:
    """Return the sizes, and the macros that name the tile's ports."""
    sizes = {
        "WIDTH": spec.width,
        "HEIGHT": spec.height,
        "REGISTERS": spec.barrier_registers,
        "DATA_BITS": spec.data_bits,
        "CHANNELS": spec.channels,
    }
    own = spec.sync_links == "own"
    wires = link_wires(spec)
    carry = "; ".join(
        f"a.out##_{wire} = b.in##_{wire}"
        if wire in wires.back
        else f"b.in##_{wire} = a.out##_{wire}"
        for wire in wires
    )

    def both(kind: str) -> str:
        return f"t.side##_out_{kind} | t.side##_out_sync_{kind} << CHANNELS"

    show = "line_ += ' ', hex(line_, t.side##_out_{})"
    flits = (
        f"{{ if (t.side##_out_valid) {show.format('flit')}; "
        f"if (t.side##_out_sync_valid) {show.format('sync')}; }}"
        if own
        else f"if (t.side##_out_valid || t.side##_out_sync_valid) {show.format('flit')}"
    )
    words = "; ".join(f"hex(line, t.{name}), line += ' '" for name in REPORT)
    macros = {
        "FOR_DATA(...)": "__VA_ARGS__" if spec.data_bits else "",
        "FOR_SPILL(...)": "__VA_ARGS__" if spec.spill else "",
        "LINK_FORWARD(a, out, b, in)": carry,
        "OUTPUT_BITS(t, side, base, inside)": (
            f"if (inside) valid_.put(base, {both('valid')}), credit_.put(base, {both('credit')})"
        ),
        "OUTPUT_FLITS(t, side, inside)": f"if (inside) {flits}",
        "REPORT_WORDS(t, line)": words.replace("t.", "t->"),
    }
    lines = [f"constexpr int {name} = {value};" for name, value in sizes.items()]
    lines += [f"#define {name} {text}" for name, text in macros.items()]
    return "\n".join(lines) + "\n"


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

    def probe(self, file: Path) -> None:
        """Write what is on the wires from now on; see `sim.assemble.probe`."""
        self._ask(f"probe {file}")

    def group(self, gid: int, seats: Iterable[tuple[int, int]]) -> None:
        """Watch a group whose members are at these (node number, register number)."""
        self._ask(f"group {gid} " + " ".join(f"{node} {register}" for node, register in seats))

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
        """Return the traffic's counters, by name, of every node."""
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
