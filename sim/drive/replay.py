"""Schedules that nodes' software plays, and which packet was on which link when."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.driver import Program
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.packets import Assembler, Packet
from syncfabric.sim.drive.scenario import NUMBER_BITS, Outcome, Passage, Replay, ReplayOutcome
from syncfabric.sim.drive.trace import Line, Rule
from syncfabric.sim.results import Mismatch


class Passages(Rule):
    """Collects the passages of packets that have their number in their last flit.

    Parameters
    ----------
    spec : MessageSpec

    Attributes
    ----------
    seen : list of Passage
        In the order of their tails.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks = LaneMasks(spec)
        self._width, self._packets = masks.width, Assembler(spec, masks.ordinary)
        self.seen: list[Passage] = []

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take a cycle in."""
        for lane, first, last, flits in self._packets.note(line.cycle, line.record):
            number = flits[-1] & (1 << NUMBER_BITS) - 1
            self.seen.append(Passage(number, lane // self._width, first, last))
        return ()

    def report(self, outcome: Outcome) -> None:
        """Add the passages."""
        if outcome.replay is not None:
            outcome.replay.passages = self.seen


NEVER = -1


class Replaying(Program):
    """Sends the packets of a schedule, step by step or as it can; see `Replay`.

    Parameters
    ----------
    driver : EngineDriver
    replay : Replay
        The scenario's.

    Attributes
    ----------
    due, begins : list of int
        As of `ReplayOutcome`.
    """

    def __init__(self, driver: EngineDriver, replay: Replay) -> None:
        self._driver, self._replay = driver, replay
        self.due = [NEVER] * len(replay.sends)
        self.begins: list[int] = []
        self._came = [False] * len(replay.sends)
        self._left = len(replay.sends)
        self._begun = False
        processors = max(replay.processors) + 1
        self._step = [NEVER] * processors  # that each has begun
        self._entering: set[int] = set()
        self._arrived = [0] * processors
        self._of_step: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        self._of_port: defaultdict[int, list[int]] = defaultdict(list)
        self._missing: Counter[tuple[int, int]] = Counter()
        for number, send in enumerate(replay.sends):
            self._of_step[replay.processors[send.source], send.step].append(number)
            self._of_port[send.source].append(number)
            self._missing[replay.processors[send.target], send.step] += 1

    @property
    def finished(self) -> bool:
        """Whether all packets have come."""
        return not self._left

    def report(self, outcome: Outcome) -> None:
        """Add when packets could go and steps began."""
        outcome.replay = ReplayOutcome(self.due, self.begins)

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle in which it begins; later it acts upon packets and releases alone."""
        begin = self._driver.begin_cycle
        return max(now, begin) if begin is not None and not self._begun else None

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Let a processor arrive that is through with its step, and nobody else."""
        if member in self._entering:
            self._entering.remove(member)
            return False
        return True

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Take in what has come, and send what can go."""
        begin = self._driver.begin_cycle
        if begin is None or now < begin:
            return
        for packet in packets:
            number = packet.payloads[-1] & (1 << NUMBER_BITS) - 1
            send = self._replay.sends[number]
            self._came[number] = True
            self._left -= 1
            self._missing[self._replay.processors[send.target], send.step] -= 1
        if self._replay.mode == "barriers":
            for processor in range(len(self._step)):
                self._go_on(now, processor)
        elif packets or not self._begun:
            for port in self._of_port:
                self._of_port[port] = self._send(now, self._of_port[port])
        self._begun = True

    def _go_on(self, now: int, processor: int) -> None:
        """Begin a processor's next step, or end its step."""
        step = self._step[processor]
        if self._driver.groups[0].released[processor] > step:
            step = self._step[processor] = step + 1
            if step == len(self.begins):
                self.begins.append(now)
            self._send(now, self._of_step[processor, step])
        over = not self._missing[processor, step]
        if over and self._arrived[processor] == step < self._replay.steps - 1:
            self._arrived[processor] += 1
            self._entering.add(processor)
            self._driver.schedule(now, 0, processor)

    def _send(self, now: int, numbers: Iterable[int]) -> list[int]:
        """Send packets, and return those that cannot go."""
        left: list[int] = []
        mode = self._replay.mode
        for number in numbers:
            send = self._replay.sends[number]
            ready = mode == "barriers" or all(self._came[other] for other in send.needs)
            if not ready or (left and mode == "ordered"):
                left.append(number)
                continue
            self.due[number] = now
            self._driver.sender.send(send.source, send.payloads, send.channel)
        return left
