"""The stimulus of a run, open loop, from the golden model's releases, for all kinds of network."""

import heapq
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.record import ConfigRequest, PortState, Record
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.packets import Packet
from syncfabric.sim.drive.scenario import Outcome, Scenario
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.drive.trace import Act, AllOver, Arrival, Chunk, Put


@dataclass
class Inputs:
    """All inputs of the network in one cycle; the last three are a static network's.

    ``hold`` has the nodes where it changes.
    """

    arrive: dict[tuple[int, int], int] = field(default_factory=dict)
    last: set[tuple[int, int]] = field(default_factory=set)
    config: ConfigRequest | None = None
    load: int | None = None
    puts: list[Put] = field(default_factory=list)
    hold: dict[int, bool] = field(default_factory=dict)
    send: dict[int, int] = field(default_factory=dict)
    take: list[int] = field(default_factory=list)


class Program:
    """What drives a network besides barriers: nodes' programs, traffic, or illegal stimuli.

    This one does nothing; what a program does, it overrides. It is stepped with what the model
    shows. What it does goes to hardware and model alike, and takes no time but that of the ports:
    it can act upon what is ejected or answered in a cycle in the next one, and upon a release in
    the same.
    """

    keeps: ClassVar[bool] = False
    """Whether groups have further barriers until it is finished."""
    ejects: ClassVar[bool] = False
    """Whether it is stepped with the packets that nodes' software ejects."""

    @property
    def finished(self) -> bool:
        """Whether it has nothing more to do, whatever comes."""
        return True

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return False

    @property
    def progress(self) -> tuple[int, int]:
        """How much of what is asked for is over, and how much that is."""
        return 0, 0

    def unfinished(self) -> Collection[int]:
        """Return its groups that are not done."""
        return ()

    def stuck(self) -> str | None:
        """Return what hangs although something still moves."""
        return None

    def start(self, now: int) -> int:
        """Begin with the groups; return the first cycle in which they may."""
        return now

    def placed(self) -> Iterable[GroupPlan]:
        """Return the groups that it has set up, and not ended."""
        return ()

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it acts without an event."""
        return None

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Act in a cycle, upon the packets that were ejected in the one before."""

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Take over a member's arrival; False: it is the barrier's."""
        return False

    def act(self, now: int, inputs: Inputs) -> None:
        """Add to a cycle's inputs, after the arrivals of all groups."""

    def note(self, record: Record) -> None:
        """Take in what is on the wires in a cycle."""

    def report(self, outcome: Outcome) -> None:
        """Add what was measured to a run's outcome."""


Action = Callable[[int], None]
"""Receives the cycle in which it is done."""


class EventQueue:
    """Actions by their cycles; those of a cycle in the order in which they were entered."""

    def __init__(self) -> None:
        self._actions: list[tuple[int, int, Action]] = []
        self._entered = 0

    @property
    def next_cycle(self) -> int | None:
        """The first cycle in which something is to be done."""
        return self._actions[0][0] if self._actions else None

    def at(self, cycle: int, action: Action) -> None:
        """Enter a action."""
        self._entered += 1
        heapq.heappush(self._actions, (cycle, self._entered, action))

    def step(self, now: int) -> None:
        """Do what is due, and what becomes due by that."""
        while self._actions and self._actions[0][0] <= now:
            heapq.heappop(self._actions)[2](now)


READ_BACK = 256
"""Nodes of the largest network whose counters are read at the end of a run."""


class Model(Protocol):
    """A golden model, as far as every driver and session uses it."""

    cycle: int
    release: list[tuple[int, int, int]]
    config_answer: tuple[bool, bool, int]
    config_meaning: int
    dirty: set[int]

    def observe(self, target: int) -> int:
        """Return a target's state."""

    def idle_until(self) -> int | None:
        """Return a cycle before which nothing happens without inputs; None: nothing ever does."""

    def skip(self, cycles: int) -> None:
        """Advance by cycles in which nothing happens."""

    def changed_ports(self) -> Sequence[tuple[int, PortState]]:
        """Return what processes see in the coming cycle, where that is new."""


M = TypeVar("M", bound=Model)
P = TypeVar("P", bound=Program)


class Cost(NamedTuple):
    """What a command took: cycles until the manager had all replies; requests and replies."""

    cycles: int
    packets: int


class Driver(ABC, Generic[M]):
    """Goes through the phases of a run: set-up, barriers, draining, and reading of counters.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : Model
    groups : sequence of GroupPlan
        Those that have barriers.

    Attributes
    ----------
    stimuli : list of Stimulus
        All inputs in the player's form.
    acts : list of Act
        What software does.
    faults : list of Fault
        Of links.
    port : ConfigPort
    finished : bool
        Whether everything is over.
    refused : str or None
        What could not be done.
    groups : list of GroupArrivals
    programs : list of Program
        What is done besides barriers, in this order.
    costs : dict of int to (int, int)
        Cycles and packets that groups' set-up took, if packets set them up, by GID.
    rng : random.Random
        Of data and of illegal stimuli.
    begin_cycle, over_from : int or None
        First cycle in which members arrive, and in which everything asked for is over.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, model: M, groups: Sequence[GroupPlan]
    ) -> None:
        self.model, self.port = model, ConfigPort()
        self.stimuli: list[Stimulus] = []
        self.acts: list[Act] = []
        self.faults: list[Fault] = []
        self.finished = False
        self.refused: str | None = None
        self.plan, self.scenario = plan, scenario
        network = plan.spec.network
        self._registers, self._data_bits = network.port_registers, network.data_bits
        self.rng = random.Random(scenario.seed)
        self._events: list[tuple[int, int, int]] = []  # (cycle, group, member)
        self.groups = [self._group(number, group) for number, group in enumerate(groups)]
        self._member = {
            place: (number, member)
            for number, group in enumerate(self.groups)
            for member, place in enumerate(group.places)
        }
        self.programs: list[Program] = []
        self.costs: dict[int, Cost] = {}
        self.begin_cycle: int | None = None
        self.over_from: int | None = None
        self._read = False

    def fill(self, chunk: Chunk) -> None:
        """Put what is done from now on into a chunk."""
        self.stimuli, self.acts, self.faults = chunk.stimuli, chunk.acts, chunk.faults
        self.port.answered = chunk.answered

    def _group(self, number: int, group: GroupPlan) -> GroupArrivals:
        return GroupArrivals(
            group,
            self.plan.endpoints(group),
            self.scenario,
            random.Random(f"{self.scenario.seed}/{group.id}"),
            lambda cycle, member: self.schedule(cycle, number, member),
            lambda: any(program.keeps and not program.finished for program in self.programs),
        )

    def give_up(self, number: int) -> None:
        """Leave a group, before it has begun, without barriers: a program sees to it."""
        self.groups[number].episodes = 0
        for place in self.groups[number].places:
            del self._member[place]

    def placed(self) -> list[GroupPlan]:
        """Return the plan's groups, and behind them those that programs have set up."""
        return [*self.plan.groups, *(g for program in self.programs for g in program.placed())]

    def find(self, kind: type[P]) -> P | None:
        """Return the program of a class, if there is one."""
        return next((program for program in self.programs if isinstance(program, kind)), None)

    # What depends on the kind of network.

    @abstractmethod
    def step(self, now: int) -> Record | None:
        """Act in a cycle, and step the model."""

    def idle_until(self) -> int | None:
        """Return a cycle before which the model does nothing by itself; None: it never will."""
        return self.model.idle_until()

    def skip(self, cycles: int) -> None:
        """Advance the model by cycles in which it does nothing."""
        self.model.skip(cycles)

    @property
    @abstractmethod
    def _waits(self) -> bool:
        """Whether the set-up waits for the model."""

    @abstractmethod
    def _prepare(self, now: int) -> bool:
        """Go on with the set-up; return whether members may begin."""

    @property
    def _quiet(self) -> bool:
        """Whether nothing is in flight in the network."""
        return self.idle_until() is None

    def _packets(self) -> Sequence[Packet]:
        """Return the packets that were ejected in the cycle before."""
        return ()

    # What does not.

    @property
    def active(self) -> bool:
        """Whether arrivals are being made."""
        return self.begin_cycle is not None and not self._all_over

    @property
    def settled(self) -> bool:
        """Whether all groups have had the episodes asked for."""
        most = self.scenario.episodes
        return self.begin_cycle is not None and all(len(g.latency) >= most for g in self.groups)

    @property
    def _prepares(self) -> bool:
        """Whether a program does what comes before the set-up, or in place of it."""
        return any(program.prepares for program in self.programs)

    @property
    def _all_over(self) -> bool:
        programs = all(program.finished for program in self.programs)
        return programs and all(group.finished for group in self.groups)

    @property
    def reads_back(self) -> bool:
        """Whether counters are read: not of large networks, nor for one episode of a scheme."""
        nodes = len(self.plan.spec.network.topology.nodes)
        return nodes <= READ_BACK and not self.scenario.scheme

    @property
    def progress(self) -> tuple[int, int]:
        """Barriers of all groups together, and what programs count: done, and asked for."""
        most = self.scenario.episodes
        counts = [(min(len(group.latency), most), most) for group in self.groups]
        counts += [program.progress for program in self.programs]
        return sum(done for done, _ in counts), sum(asked for _, asked in counts)

    def unfinished(self) -> Collection[int]:
        """Return the groups that are not over."""
        waits = self.begin_cycle is None
        groups = [each.group.id for each in self.groups if waits or not each.finished]
        return [*groups, *(gid for program in self.programs for gid in program.unfinished())]

    def stuck(self) -> str | None:
        """Return what hangs although something still moves."""
        return next(filter(None, (program.stuck() for program in self.programs)), None)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do.

        None: nothing, until the model does something.
        """
        if self.port.may_ask:
            return now
        ahead = [self._events[0][0]] if self._events else []
        cycles = (program.next_cycle(now) for program in self.programs)
        ahead += [cycle for cycle in cycles if cycle is not None]
        if self.begin_cycle is None:
            if not (self._waits or self._prepares):
                return now
        elif self.over_from is None:
            if self._all_over:
                ahead.append(max(now, self.scenario.cycles, self.begin_cycle))
        elif not self.finished and not self.port.awaits_answer:
            return now
        return min(ahead, default=None)

    def inputs(self, now: int) -> Inputs:
        """Return the inputs of cycle ``now``, all releases of which the model shows."""
        inputs, quiet = Inputs(), self.over_from is not None and self._quiet
        self.port.receive(now, self.model.config_answer)
        for node, register, _ in self.model.release:
            if (node, register) in self._member:
                number, member = self._member[node, register]
                self.groups[number].release(now, member)
        if now == 0:  # nothing can be driven in the first cycle
            return inputs
        packets = self._packets()
        for program in self.programs:
            program.step(now, packets)
        self._sequence(now, quiet)
        while self._events and self._events[0][0] <= now:
            _, number, member = heapq.heappop(self._events)
            if not any(program.arrive(now, number, member) for program in self.programs):
                self._arrive(now, number, member, inputs)
        self._act(now, inputs)
        if self.port.may_ask:
            inputs.config, stimulus = self.port.give(now)
            self.stimuli.append(stimulus)
        return inputs

    def _act(self, now: int, inputs: Inputs) -> None:
        for program in self.programs:
            program.act(now, inputs)

    def _sequence(self, now: int, quiet: bool) -> None:
        """Go through the phases: set-up, start, barriers, draining, reading back."""
        if self.begin_cycle is None:
            if not self._prepares and self._prepare(now):
                self.begin_cycle = max([now, *(program.start(now) for program in self.programs)])
                for group in self.groups:
                    group.begin(self.begin_cycle)
        elif self.over_from is None:
            if self._all_over and now >= max(self.scenario.cycles, self.begin_cycle):
                self.over_from = now
        elif quiet and not self._read:
            self._read = True
            if self.reads_back:
                self.acts.append(AllOver(now))
                self.port.requests.extend(
                    ConfigRequest(*word.place, False)
                    for word in counters_of(self.plan.spec.network)
                    if word.kind is not None
                )
        elif quiet and self.port.is_idle:
            self.finished = not self.model.config_answer[0]

    def schedule(self, cycle: int, number: int, member: int) -> None:
        """Have a member of a group arrive in a cycle."""
        heapq.heappush(self._events, (cycle, number, member))

    def _arrive(self, now: int, number: int, member: int, inputs: Inputs) -> None:
        group = self.groups[number]
        data = self.rng.getrandbits(self._data_bits) if self._data_bits else 0
        self.arrive(now, inputs, group.places[member], data)
        group.took(now, member)
        self.note_arrival(now, number, member, data)

    def arrive(
        self, now: int, inputs: Inputs, endpoint: tuple[int, int], data: int, *, last: bool = False
    ) -> None:
        """Have a process arrive at a node's register, which takes it."""
        inputs.arrive[endpoint] = data
        if last:
            inputs.last.add(endpoint)
        index = endpoint[0] * self._registers + endpoint[1]
        self.stimuli.append(Stimulus(now, StimulusKind.ARRIVE, index, data, int(last)))

    def note_arrival(self, now: int, number: int, member: int, data: int) -> None:
        """Note that a member's arrival is taken."""
        self.acts.append(Arrival(now, number, member, data))
