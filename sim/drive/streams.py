"""Streams of groups: what members give and take, and groups that are killed meanwhile."""

import random
from collections import deque
from collections.abc import Iterator

from syncfabric.models.golden.stream_traffic import TrafficProcess
from syncfabric.models.layout.setup import Operation
from syncfabric.models.layout.stream_traffic import COMMAND, STALLS
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.config_port import Cycles, perform
from syncfabric.sim.drive.driver import Action, EventQueue, Inputs, Program
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.scenario import Outcome, Streaming, StreamOutcome
from syncfabric.sim.drive.trace import BrokenRelease, Commanded
from syncfabric.sim.lifecycle.lifecycle import lifecycle_of

AT_HAND = 8
"""Packets that a source has to send, at most."""
LOOK = 50
"""Cycles from one look at a full source to the next."""


def operand_seed(stream: Streaming, member: int) -> int:
    """Return the seed of a member's operand."""
    return (stream.seed + 0x01000193 * member) % (1 << 32)


def stream_command(stream: Streaming, member: int, tid: int) -> int:
    """Return the command of a member's source for a stream."""
    gives = member in stream.gives
    return COMMAND.pack(
        {
            "seed": operand_seed(stream, member),
            "words": stream.words if gives else 0,
            "bytes": stream.size if gives else 0,
            "user": stream.head(member),
            "tid": tid,
        }
    )


class Streams(Program):
    """Has members send the packets of the scenario's streams, and groups killed in between.

    Parameters
    ----------
    driver : EngineDriver
    """

    def __init__(self, driver: EngineDriver) -> None:
        scenario, plan, model = driver.scenario, driver.plan, driver.model
        layout = model.shape.router.stream
        assert layout
        assert model.streams
        self._driver, self._model, self._movement = driver, model, model.streams
        self._rng = random.Random(f"{scenario.seed}/streams")
        self._processes = [TrafficProcess(layout) for _ in model.shape.nodes]
        model.streams.processes[:] = self._processes
        self._groups = {group.id: (n, group) for n, group in enumerate(plan.groups)}
        self._software = lifecycle_of(model.shape)
        for group in plan.groups:
            self._software.epochs.set_up(group)
        self._over = set[int]()  # groups that have been killed
        self._killed = dict.fromkeys((gid for gid, _ in scenario.kills), False)
        for gid in self._killed:
            driver.give_up(self._groups[gid][0])
        self._events = EventQueue()
        self._coming: list[deque[tuple[Streaming, int]]] = [deque() for _ in self._processes]
        self._programs: list[Cycles[None]] = []
        self._now, self._begun, self._instance = 0, False, 0
        # Channels of nodes that have still to get packets, and how many in all.
        self._wanted: dict[tuple[int, int], int] = {}

    # What it is about to do.

    @property
    def finished(self) -> bool:
        """Whether all packets have come down."""
        last = self._instance == max(s.instance for s in self._driver.scenario.streams)
        if not self._begun or self._programs or not last or any(self._coming):
            return False
        while self._wanted:
            (node, tid), count = next(reversed(self._wanted.items()))
            if self._processes[node].sink.counts[tid].packets < count:
                return False
            del self._wanted[node, tid]
        return True

    @property
    def progress(self) -> tuple[int, int]:
        """How many packets have come down, and how many are asked for."""
        streams = self._driver.scenario.streams
        asked = sum(len(self._groups[stream.gid][1].members) for stream in streams)
        counts = (c.packets for process in self._processes for c in process.sink.counts)
        return min(asked, sum(counts)), asked

    def unfinished(self) -> list[int]:
        """Return the groups of streams that are not over."""
        return [] if self.finished else sorted({s.gid for s in self._driver.scenario.streams})

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it acts without an event."""
        begin = self._driver.begin_cycle
        if begin is None:
            return None
        if not self._begun:
            return max(now, begin)
        if self._programs:
            return now
        due = self._events.next_cycle
        return None if due is None else max(now, due)

    def report(self, outcome: Outcome) -> None:
        """Add when streams began."""
        outcome.streams += (StreamOutcome(begins) for begins in self.begins())

    def begins(self) -> Iterator[tuple[int, ...]]:
        """Yield for each stream the cycles in which its members began; -1: not yet."""
        begun = dict(seed for process in self._processes for seed in process.begun)
        for stream in self._driver.scenario.streams:
            members = range(len(self._groups[stream.gid][1].members))
            yield tuple(begun.get(operand_seed(stream, member), -1) for member in members)

    # What it does.

    def act(self, now: int, inputs: Inputs) -> None:
        """Do what is to be done in a cycle, all releases of which the model shows."""
        self._now, begin = now, self._driver.begin_cycle
        for node, register, _ in self._model.release:
            if self._model.broken(node, register):
                self._driver.acts.append(BrokenRelease(now, node, register))
        if begin is None or now < begin:
            return
        if not self._begun:
            self._begin(now)
        self._events.step(now)
        if self._programs:  # one after another
            try:
                next(self._programs[0])
            except StopIteration:
                del self._programs[0]
        over = self._killed and all(self._killed.values()) and not any(self._coming)
        if over and not self._instance:
            self._instance = 1
            self._plan(now)

    def _begin(self, now: int) -> None:
        self._begun = True
        most = self._driver.scenario.stalls
        for node in range(len(self._processes)) if any(most) else ():
            source, sink = (self._rng.randint(0, rate) for rate in most)
            seed = self._rng.getrandbits(16)
            word = STALLS.pack({"source": source, "sink": sink, "seed": seed})
            self._processes[node].set(now, word)
            self._movement.wake(node, now + 1)
            self._driver.stimuli.append(Stimulus(now, StimulusKind.STALL, node, word))
        for gid, after in self._driver.scenario.kills:
            self._events.at(now + after, self._kill(gid))
        self._plan(now)

    def _endpoints(self, gid: int) -> list[tuple[int, int]]:
        """Return node and channel of each member of a group."""
        group = self._groups[gid][1]
        first = self._model.shape.entry_registers
        return [(node, r - first) for node, r in self._driver.plan.endpoints(group)]

    def _plan(self, now: int) -> None:
        """Plan the packets of all streams of an instance."""
        for stream in self._driver.scenario.streams:
            if stream.instance != self._instance:
                continue
            dies = stream.gid in self._killed and not stream.instance
            for member, (node, tid) in enumerate(self._endpoints(stream.gid)):
                self._coming[node].append((stream, member))
                if not dies:
                    have = self._processes[node].sink.counts[tid].packets
                    self._wanted[node, tid] = self._wanted.get((node, tid), have) + 1
        for node, coming in enumerate(self._coming):
            if coming:
                self._later(now + 1, node)

    def _later(self, least: int, node: int) -> None:
        at = least + self._rng.randint(0, self._driver.scenario.jitter)
        self._events.at(at, lambda now: self._put(now, node))

    def _put(self, now: int, node: int) -> None:
        """Give a node's source its next packet."""
        coming, process = self._coming[node], self._processes[node]
        if len(process.ahead) >= AT_HAND:
            self._later(now + LOOK, node)
            return
        while coming:
            stream, member = coming.popleft()
            if stream.gid in self._over and not stream.instance:
                continue
            command = stream_command(stream, member, self._endpoints(stream.gid)[member][1])
            process.put(now, command)
            self._movement.wake(node, now + 1)
            self._driver.stimuli.append(Stimulus(now, StimulusKind.STREAM, node, command))
            break
        if coming:
            self._later(now + 1, node)

    # Groups that are killed.

    def _kill(self, gid: int) -> Action:
        return lambda now: self._programs.append(self._end(gid))

    def _end(self, gid: int) -> Cycles[None]:
        """Kill a group, wait until nothing of it is to be sent, and set it up again."""
        number, group = self._groups[gid]
        self._over.add(gid)
        self._driver.acts.append(Commanded(self._now, number, -1, Operation.KILL))
        yield from perform(self._software.kill(group), self._driver.port, self._cycle)
        endpoints = self._endpoints(gid)
        while any(tid in self._processes[node].ahead for node, tid in endpoints):
            yield
        self._driver.acts.append(Commanded(self._now, number, -1, Operation.SETUP))
        yield from perform(self._software.set_up(group), self._driver.port, self._cycle)
        places = self._driver.plan.endpoints(group)
        while not all(self._model.ready(*place) for place in places):
            yield
        self._killed[gid] = True

    def _cycle(self) -> int:
        return self._now
