"""What must hold of a recovery, judged by the hardware's releases: no model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.drive.comparison import Comparison
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken, Told
from syncfabric.sim.drive.recovery.session import RecoveryChunk
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.results import Mismatch

__all__ = ["RecoveryCheck"]


@dataclass
class _Seen:
    """A life as the hardware shows it: arrivals and releases of each of its nodes."""

    gid: int
    nodes: Sequence[int]
    arrived: dict[int, int] = field(default_factory=dict)
    released: dict[int, int] = field(default_factory=dict)
    killed: bool = False


class RecoveryCheck(Comparison):
    """Compares hardware and model; nobody is released before all have arrived.

    A member is released once for each of its arrivals, and in each episode only when every other
    member has arrived for it. Released as broken are only members of a group that is killed, or
    that has watchdogs and something of it is dead.

    Parameters
    ----------
    spec : AnySpec
    lives : list of Life
        All lives so far; grows as the run goes on.

    Attributes
    ----------
    releases, broken, early : int
        Releases, those as broken, and those that came too early.
    """

    def __init__(self, spec: AnySpec, lives: Sequence[Life]) -> None:
        super().__init__(spec)
        self._lives, self._registers = lives, spec.port_registers
        self._seen: dict[int, _Seen] = {}
        self._seats: dict[tuple[int, int], _Seen] = {}
        self._told: set[tuple[int, int, int]] = set()
        self.releases = self.broken = self.early = 0

    def follow(self, chunk: Chunk, lines: Sequence[Line]) -> None:
        """Judge lines of a chunk by the rules."""
        assert isinstance(chunk, RecoveryChunk)
        told = [note for note in chunk.recovery if isinstance(note, Told)]
        self._told = {(note.cycle, note.node, note.register) for note in told}
        done: list[Begun | Broken | Arrival] = [*chunk.arrivals]
        done += [note for note in chunk.recovery if not isinstance(note, Told)]
        done.sort(key=lambda each: each.cycle)
        place = 0
        for line in lines:
            while place < len(done) and done[place].cycle < line.cycle:
                self._take(done[place])
                place += 1
            if line.record.release:
                for mismatch in self._release(line):
                    self._report(mismatch)
        for each in done[place:]:
            self._take(each)

    def _life(self, number: int) -> _Seen:
        if number not in self._seen:
            life = self._lives[number]
            self._seen[number] = _Seen(life.group.id, life.nodes)
        return self._seen[number]

    def _take(self, done: Begun | Broken | Arrival) -> None:
        life = self._life(done.group if isinstance(done, Arrival) else done.life)
        if isinstance(done, Arrival):
            node = life.nodes[done.member]
            life.arrived[node] = life.arrived.get(node, 0) + 1
        elif isinstance(done, Begun):
            self._seats[done.node, done.register] = life
        else:
            life.killed = True

    def _release(self, line: Line) -> Iterator[Mismatch]:
        for bit in bits(line.record.release):
            node, register = divmod(bit, self._registers)
            where = self._spec.topology.node(node)
            life = self._seats.get((node, register))
            if life is None:
                yield Mismatch(line.cycle, where, "release of no member", register, None)
                continue
            name = f"group {life.gid}"
            if (line.cycle, node, register) in self._told:
                self.broken += 1
                # An engine's BROKEN reaches members that have not arrived, too.
                if not life.killed:
                    yield Mismatch(line.cycle, where, f"{name}: broken release of a member", 1, 0)
                continue
            self.releases += 1
            episode = life.released.get(node, 0)
            here = sum(life.arrived.get(other, 0) > episode for other in life.nodes)
            if here < len(life.nodes):
                self.early += 1
                signal = f"{name}: arrivals before a release"
                yield Mismatch(line.cycle, where, signal, here, len(life.nodes))
            life.released[node] = episode + 1
