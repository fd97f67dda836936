"""A fabric that runs: its program, and how to talk to it."""

import os
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from syncfabric.models.errors import ToolError
from syncfabric.models.faults.fault import Fault
from syncfabric.models.messages.registers import Op
from syncfabric.sim.assemble.script import REPORT, Stimulus, script_text
from syncfabric.sim.simulators.base import Built


class Wrong(NamedTuple):
    """What the scoreboard, or the check of packets, has seen: group and node are -1 if none."""

    cycle: int
    group: int
    node: int
    text: str


class Happened(NamedTuple):
    """Why `Fabric.play` has come back.

    Parameters
    ----------
    cycle : int
        The one that comes next.
    over : tuple of int
        Groups that have had their last barrier.
    answered : bool
        Whether all requests to the config port have their answers.
    wrong : tuple of Wrong
    """

    cycle: int
    over: tuple[int, ...]
    answered: bool
    wrong: tuple[Wrong, ...]


@dataclass(frozen=True)
class GroupCount:
    """What the scoreboard counted for a group.

    Parameters
    ----------
    gid : int
    errors : int
        Members released early, twice, broken or with wrong data, or that arrived twice; barriers
        that took too long.
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


def idle_cores() -> int:
    """Return on how many cores nothing else runs, at least 1: the threads of a long run."""
    cores, running = len(os.sched_getaffinity(0)), 0
    with suppress(OSError):  # running now, of all threads there are
        text = Path("/proc/loadavg").read_text()
        running = int(text.split()[3].partition("/")[0]) - 1
    return max(1, cores - running)


class Fabric:
    """A running fabric: a process that takes commands. Use it as a context manager.

    Parameters
    ----------
    built : Built
        From `build_fabric`.
    threads : int, >= 1
        Evaluate tiles in so many threads, where enough are active. It changes no result.
    """

    def __init__(self, built: Built, *, threads: int = 1) -> None:
        command = [str(built.program), *([str(built.data)] if built.data else []), str(threads)]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        except FileNotFoundError:
            raise ToolError("the cache was cleared since the build; run it again") from None

    def __enter__(self) -> "Fabric":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
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

    def give(self, stimuli: Iterable[Stimulus]) -> None:
        """Do this in the next cycles."""
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.txt"
            script.write_text(script_text(stimuli))
            self.script(script)

    def probe(self, file: Path | None) -> None:
        """Write what is on the wires from now on, or no more; see `sim.assemble.bench`."""
        self._ask(f"probe {file or ''}")

    def group(
        self, gid: int, members: Iterable[tuple[int, int]], *, op: str = "or", bound: int = 0
    ) -> None:
        """Watch a group whose members are at these (node number, register number).

        A barrier that takes longer than ``bound``, if that is not 0, is wrong. A group that has
        been there keeps its count.
        """
        endpoints = " ".join(f"{node} {register}" for node, register in members)
        self._ask(f"group {gid} {int(Op[op.upper()])} {bound} {endpoints}")

    def seed(self, *, seed: int, jitter: int, hang: int) -> None:
        """Say how members to come arrive, and for how long nothing may happen in a group."""
        self._ask(f"seed {seed} {jitter} {hang}")

    def open(self, gid: int, episodes: int, *, ends: bool = True) -> None:
        """Let a group's members arrive so many times; if it ends, the last time with ``last``."""
        self._ask(f"open {gid} {episodes} {int(ends)}")

    def close(self, gid: int) -> None:
        """Let a group's members arrive no more; they may be released broken from now on."""
        self._ask(f"close {gid}")

    def absent(self, gid: int, node: int) -> None:
        """Let a member arrive no more."""
        self._ask(f"absent {gid} {node}")

    def dismiss(self, gid: int) -> None:
        """Forget a group's members."""
        self._ask(f"dismiss {gid}")

    def inside(self, gid: int, *, but: Iterable[int] = ()) -> int:
        """Return how many members of a group, not at these nodes, have arrived and not left.

        Of one that is closed on a network of engines: how many have not been released for good.
        """
        (count,) = self._ask(" ".join(map(str, ["inside", gid, *sorted(but)])))
        return int(count)

    def request(self, requests: Iterable[tuple[int, int, int | None]]) -> None:
        """Put (target, address, word to write or None to read) in the config port's queue."""
        words = (
            f"{target} {address} {int(data is not None)} {data or 0}"
            for target, address, data in requests
        )
        self._ask("ask " + " ".join(words))

    def answers(self) -> list[tuple[bool, int]]:
        """Return what the config port has answered to `request` since: error, and data."""
        pairs = (line.split() for line in self._ask("answers"))
        return [(error == "1", int(data)) for error, data in pairs]

    def track(self) -> None:
        """Count what links hold, which nothing else needs; to say before the first cycle."""
        self._ask("track")

    def in_flight(self) -> dict[int, tuple[int, int]]:
        """Return flits and messages that links hold, by their number, where there are any.

        Nothing is known of the cycles before `hold`.
        """
        rows = (tuple(map(int, line.split())) for line in self._ask("in_flight"))
        return {link: (flits, messages) for link, flits, messages in rows}

    def waits(self, most: int) -> int:
        """Return the longest that a packet was first in its source's queue.

        From now on it is wrong to be so for ``most`` cycles; 0: not checked.
        """
        (longest,) = self._ask(f"waits {most}")
        return int(longest)

    def measure(self, first: int, end: int) -> None:
        """Count packets that are created from one cycle, the next or later, to before another."""
        self._ask(f"measure {first} {end}")

    def latencies(self) -> dict[int, int]:
        """Return how many of these have come out, by their latency in cycles."""
        pairs = (line.split() for line in self._ask("latencies"))
        return {int(latency): int(packets) for latency, packets in pairs}

    def corrupt(self, kind: str, place: int, cycle: int, register: int = 0) -> None:
        """Break the hardware on purpose; see ``corrupt.h``.

        Raises
        ------
        ValueError
            There is no such place.
        """
        if self._ask(f"corrupt {kind} {place} {cycle} {register}"):
            raise ValueError(f"corrupt {kind}: there is no place {place}")

    def play(self, cycles: int) -> Happened:
        """Go on for some cycles, but no further than something happens."""
        first, *lines = self._ask(f"play {cycles}")
        over, wrong = [], []
        for line in lines:
            what, *rest = line.split(maxsplit=4)
            if what == "over":
                over.append(int(rest[0]))
            elif what == "wrong":
                wrong.append(Wrong(int(rest[0]), int(rest[1]), int(rest[2]), rest[3]))
        return Happened(int(first), tuple(over), "answered" in lines, tuple(wrong))

    def faults(self, faults: Iterable[Fault], folder: Path, *, roam: bool = False) -> None:
        """Do this to links when its cycle comes, in place of what was to be done before.

        Parameters
        ----------
        faults : iterable of Fault
            In any order.
        folder : Path
            Where to write them down.
        roam : bool
            Each is done in the first cycle, from its own on, and to the first link, from its own
            on, where there is something that it changes.
        """
        file = folder / "faults.txt"
        rows = sorted((fault.cycle, fault.link, int(fault.kind), fault.mask) for fault in faults)
        file.write_text("".join(" ".join(f"{word:x}" for word in row) + "\n" for row in rows))
        self._ask(f"faults {file}{' roam' if roam else ''}")

    def struck(self) -> int:
        """Return how many of the faults have been done by now."""
        (count,) = self._ask("struck")
        return int(count)

    def keep(self) -> None:
        """Remember all as it is; sources' queues and the config port's must be empty."""
        self._ask("keep")

    def restore(self) -> None:
        """Be again what `keep` remembers, its cycle too; faults and scripts are forgotten."""
        self._ask("restore")

    def observed(self) -> list[int]:
        """Return the port ``observe`` of every tile; see `sim.drive.targets`."""
        return [int(line, 16) for line in self._ask("observe")]

    def counted(self) -> list[int]:
        """Return all counters of each target of a network of engines; see `sim.fabric.nodes`."""
        return [int(line, 16) for line in self._ask("counted")]

    def all_active(self) -> None:
        """Evaluate every tile in every cycle from now on, whether it idles or not."""
        self._ask("all_active")

    def evaluated(self) -> int:
        """Return how often a tile was evaluated, over all tiles."""
        (count,) = self._ask("evaluated")
        return int(count)

    def apart(self) -> bool:
        """Return whether packets and barriers of a tile get their clocks' edges apart."""
        return self._ask("apart") == ["1"]

    def clocked(self) -> list[int]:
        """Return how many edges each router's clock has had since reset, if clocks have gates."""
        return [int(line) for line in self._ask("clocked")]

    def members(self, *, seed: int, jitter: int) -> None:
        """Let the watched groups' members arrive again and again, a random wait after each release.

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
        self._send(f"run {cycles}")

    def end(self) -> None:
        """Wait for what `begin` began."""
        self._answer("run")

    def peak_memory(self) -> int:
        """Return the most memory that the process has held, in bytes."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        raise ToolError("this system does not report a process's peak memory")

    def processor_seconds(self) -> float:
        """Return the processor time that the process has taken, in seconds."""
        (seconds,) = self._ask("seconds")
        return float(seconds)

    def report(self) -> list[dict[str, int]]:
        """Return the traffic's counters, by name, of every node; none where there is no traffic."""
        return [
            dict(zip(REPORT, (int(word, 16) for word in line.split()), strict=True))
            for line in self._ask("report")
        ]

    def streams(self) -> list[list[int]]:
        """Return the counters of streams' sinks of every node; see `sim.assemble.streams`."""
        return [[int(word, 16) for word in line.split()] for line in self._ask("streams")]

    def entries(self) -> list[list[tuple[int, int]]]:
        """Return the words of every engine's entries (`sim.drive.memories`); no bit is unknown."""
        return [[(int(word, 16), 0) for word in line.split()] for line in self._ask("entries")]

    def watch(self) -> list[GroupCount]:
        """Return what the scoreboard counted for each watched group."""
        counts = []
        for line in self._ask("watch"):
            gid, errors, *seen = line.split()
            pairs = (entry.split(":") for entry in seen)
            latencies = {int(latency): int(count) for latency, count in pairs}
            counts.append(GroupCount(int(gid), int(errors), latencies))
        return counts

    def _ask(self, command: str) -> list[str]:
        """Send a command and return the lines of its answer."""
        self._send(command)
        return self._answer(command)

    def _send(self, command: str) -> None:
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
