"""One scenario from reset until all is quiet, whatever shows the wires: hardware or model."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TextIO, TypeVar

from syncfabric.models.golden.record import Record
from syncfabric.models.messages.registers import Counter
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.checker import Checker
from syncfabric.sim.drive.driver import Driver, Model, Program
from syncfabric.sim.drive.engine_driver import Traffic
from syncfabric.sim.drive.lanes import Load
from syncfabric.sim.drive.log import EventLog
from syncfabric.sim.drive.memories import Stored, differences
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.scenario import (
    GroupOutcome,
    Job,
    Outcome,
    Scenario,
    TrafficOutcome,
)
from syncfabric.sim.drive.stimulus import driver_of, rules_of
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.drive.trace import EMPTY, Chunk, Line, Report, Rule, observe_line, record_line

PACKET_FLITS = 5
NO_ANSWER = (False, False, 0)

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Receives how much of a run is done, and of how much."""


class Session:
    """Steps a model and its driver, and writes down what the probe must write.

    Parameters
    ----------
    driver : Driver
    limit : int
        Cycles after which the run is given up as a hang.

    Attributes
    ----------
    hang : str or None
        What does not come to an end.
    """

    def __init__(self, driver: Driver[Any], limit: int) -> None:
        self.driver, self._limit = driver, limit
        self._model: Model = driver.model
        self.hang: str | None = None
        self._seen: dict[int, int] = {}

    @property
    def finished(self) -> bool:
        """Whether everything is over and quiet, or will never be."""
        self.hang = self.hang or self.driver.refused
        return self.driver.finished or self.hang is not None

    @property
    def cycle(self) -> int:
        """The cycle about to be stepped."""
        return self._model.cycle

    def advance(self, cycles: int) -> Chunk:
        """Step the next cycles; fewer if everything ends before."""
        chunk = Chunk(self.cycle)
        self.driver.fill(chunk)
        end = self.cycle + cycles
        while self.cycle < end and not self.finished:
            self._step(chunk)
            self._sleep(end, chunk)
        if not self.finished:
            self.hang = self.driver.stuck()
            if self.cycle >= self._limit:
                self.hang = f"barriers or packets do not end within {self._limit} cycles"
        chunk.end = self.cycle
        return chunk

    def _step(self, chunk: Chunk) -> None:
        """Step one cycle, and write down what is on the wires in it."""
        model, now = self._model, self.cycle
        answer = model.config_answer
        changed = self._changed(model) if model.release else None
        if answer[0]:
            chunk.meanings[now] = model.config_meaning
        record = self.driver.step(now)
        if record is None and not answer[0]:
            return
        self._write(chunk, now, record or EMPTY, answer)
        if changed is not None:
            chunk.text.append(observe_line(changed))
            chunk.lines.append(Line(now, EMPTY, observed=tuple(changed)))

    def _sleep(self, end: int, chunk: Chunk) -> None:
        """Skip cycles in which neither the driver nor the model does anything.

        In the first of them a process may still see something new.
        """
        now, driver = self.cycle, self.driver
        wake = driver.next_cycle(now)
        if wake is not None and wake <= now:
            return
        stirs = driver.idle_until()
        if stirs is not None and stirs <= now:
            return
        if wake is None and stirs is None:
            if not driver.finished:
                late = ", ".join(map(str, driver.unfinished()))
                self.hang = f"nothing moves any more; unfinished groups: {late}"
            return
        until = min(cycle for cycle in (wake, stirs, end) if cycle is not None)
        if until > now:
            if ports := self._model.changed_ports():
                self._write(chunk, now, EMPTY._replace(ports=ports))
            driver.skip(until - now)

    def _write(
        self, chunk: Chunk, now: int, record: Record, answer: tuple[bool, bool, int] = NO_ANSWER
    ) -> None:
        """Write down what is on the wires in a cycle."""
        chunk.text.append(record_line(now, record, answer))
        chunk.lines.append(Line(now, record, answer[1:] if answer[0] else None))

    def _changed(self, model: Model) -> list[tuple[int, int]]:
        """Return the targets whose ``observe`` is not what it was when last asked."""
        changed = []
        for target in sorted(model.dirty):
            value = model.observe(target)
            if value != self._seen.get(target, 0):
                self._seen[target] = value
                changed.append((target, value))
        model.dirty.clear()
        return changed


class Runner(ABC, Generic[T]):
    """Hands out chunks to play, takes in the probe's lines of each, and sums up.

    Parameters
    ----------
    network : AnySpec
    driver : Driver
        Of the golden model.
    rules : sequence of Rule
        See `Checker`.
    limit : int
        See `Session`.
    chunk : int
        Cycles that the model runs ahead of the hardware.
    """

    def __init__(
        self,
        network: AnySpec,
        driver: Driver[Any],
        rules: Sequence[Rule],
        limit: int,
        chunk: int = 256,
    ) -> None:
        self._begin, self._network, self._size = time.perf_counter(), network, chunk
        self.driver, self.session = driver, Session(driver, limit)
        self.checker = Checker(network, rules)
        self.clocked: list[int] = []  # edges of each router's clock, where clocks have gates
        self._answers: list[int] = []
        self._left = 0  # chunks that were played and not taken in

    @property
    def finished(self) -> bool:
        """Whether there is nothing more to play."""
        return self.session.finished or bool(self.checker.mismatches)

    @property
    def progress(self) -> tuple[int, int]:
        """How much of what is asked for is over, and how much that is."""
        return self.driver.progress

    def advance(self) -> Chunk:
        """Step the model through the next chunk."""
        self._left += 1
        return self.session.advance(self._size)

    def take(self, chunk: Chunk, text: Sequence[str] | None) -> None:
        """Take in what the hardware's probe wrote in a chunk; None: there is no hardware."""
        if text is None:
            self.checker.follow(chunk, chunk.lines)
        else:
            self.checker.compare(chunk, text)
        self._left -= 1
        self._answers += [line.answer[1] for line in chunk.lines if line.answer]

    def take_entries(self, rows: Sequence[Sequence[Stored]]) -> None:
        """Compare what the hardware's engines keep at the end, if there was no mismatch before."""
        if rows and not self.checker.mismatches:
            now, groups = self.session.cycle, self.driver.placed()
            found = differences(self._network, self.driver.model, groups, now, rows)
            self.checker.report(found)

    @abstractmethod
    def outcome(self, report: Report = None) -> T:
        """Sum up; the hardware's traffic report is given where there is one."""

    def run_model(self, report: Progress | None = None) -> T:
        """Run with the golden model alone, chunk by chunk to the end."""
        while not self.finished:
            self.take(self.advance(), None)
            if report:
                report(*self.progress)
        return self.outcome()

    def _counters(self) -> tuple[int, int, int, int] | None:
        """Sum the counters that were read at the end: the last answers of the config port.

        None where none are, the run did not get there, or was not compared to its end after a
        mismatch.
        """
        over = self.session.finished and self.session.hang is None and not self._left
        if not over or not self.driver.reads_back:
            return None
        kinds = [word.kind for word in counters_of(self._network) if word.kind is not None]
        sums = dict.fromkeys(Counter, 0)
        for kind, count in zip(kinds, self._answers[-len(kinds) :], strict=True):
            sums[kind] += count
        overflow, stray, refused_arrives, refused_writes = sums.values()
        return overflow, stray, refused_arrives, refused_writes


class ScenarioRunner(Runner[Outcome]):
    """Runs a scenario on a plan's network.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    job : Job, optional
        What is to be measured.
    log : text file, optional
        For the rows of packets and messages.
    """

    def __init__(
        self,
        plan: BarrierPlan,
        scenario: Scenario,
        job: Job | None = None,
        log: TextIO | None = None,
    ) -> None:
        job = job or Job(())
        rules = rules_of(plan, scenario, log, coverage=job.coverage)
        observers = (rule for rule in rules if isinstance(rule, EventLog))
        driver = driver_of(plan, scenario, next(observers, None))
        super().__init__(plan.spec.network, driver, rules, scenario.limit, job.chunk)
        self._plan, self._scenario = plan, scenario
        self._accepted: list[tuple[int, int]] = []  # (cycle, flits ejected so far)

    def take(self, chunk: Chunk, text: Sequence[str] | None) -> None:
        """Take in what the hardware's probe wrote in a chunk; None: there is no hardware."""
        super().take(chunk, text)
        if packets := self.checker.find(PacketCheck):
            self._accepted.append((chunk.end, packets.flits_out))

    def outcome(self, report: Report = None) -> Outcome:
        """Sum up; the hardware's traffic report is given where there is one."""
        checker, driver, cycles = self.checker, self.driver, self.session.cycle
        if not checker.mismatches and self.session.hang is None:
            checker.close(cycles, report)
        loads: dict[int, float] = {}
        for lane, count in checker.rule(Load).counts().items():
            link = lane // links_of(self._network).width
            loads[link] = loads.get(link, 0.0) + count / cycles
        barriers = checker.rule(BarrierCheck)
        # Groups that have collectives in place of barriers have had none.
        groups = {group.id: GroupOutcome(group.id, [], []) for group in self._plan.groups}
        for seen, group in zip(barriers.latency, driver.groups, strict=True):
            gid = group.group.id
            groups[gid] = GroupOutcome(gid, seen, group.latency, driver.costs.get(gid))
        outcome = Outcome(
            cycles=cycles,
            seconds=time.perf_counter() - self._begin,
            mismatches=checker.mismatches,
            hang=self.session.hang,
            groups=list(groups.values()),
            traffic=self._traffic(),
            counters=self._counters(),
            clocked=self.clocked,
            loads=loads,
        )
        parts: list[Program | Rule] = [*driver.programs, *checker.rules]
        for part in parts:
            part.report(outcome)
        return outcome

    def _traffic(self) -> TrafficOutcome:
        packets, traffic = self.checker.find(PacketCheck), self.driver.find(Traffic)
        if packets is None or traffic is None or traffic.since is None:
            return TrafficOutcome()
        begin, nodes = traffic.since, len(self._network.topology.nodes)
        if pattern := self._scenario.pattern:
            nodes = pattern.senders
        end = self.driver.over_from or self.session.cycle
        settled = begin + self._scenario.lead_in
        inside = [entry for entry in self._accepted if begin <= entry[0] <= end]
        window = [entry for entry in inside if entry[0] >= settled]
        if len(window) < 2:
            window = inside
        accepted, saturated = 0.0, False
        if len(window) > 1:
            cycles, flits = window[-1][0] - window[0][0], window[-1][1] - window[0][1]
            accepted = flits / cycles / nodes
            saturated = _saturated(packets, self._scenario.background * cycles * nodes, flits)
        return TrafficOutcome(
            accepted, packets.ejected, packets.latency, packets.network_latency, saturated
        )


def _saturated(packets: PacketCheck, offered: float, flits: int) -> bool:
    """Return whether fewer flits came out than random arrivals explain, while queues grow."""
    # Packets come at random: five flits at a time, so with this deviation.
    deviation = (PACKET_FLITS * offered) ** 0.5
    waits = [a - b for a, b in zip(packets.latency, packets.network_latency, strict=True)]
    quarter = max(1, len(waits) // 4)
    early = sum(waits[quarter : 2 * quarter]) / quarter
    late = sum(waits[-quarter:]) / quarter
    return flits < offered - 3 * deviation and late > early + 10
