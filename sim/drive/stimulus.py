"""What a scenario is made of: a driver with its programs, and the rules that its trace obeys."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TextIO

from syncfabric.models.golden.record import ConfigRequest, Observer
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.setup import COMMAND, MOST_REQUESTS, ManagerState, Operation, share_of
from syncfabric.models.layout.words import (
    ADDRESS_BITS,
    COUNTER_ADDRESS,
    TABLES,
    EngineWord,
    ManagerWord,
    RouterWord,
    config_address,
)
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Epochs, kill_command
from syncfabric.sim.drive.barrier_check import BarrierCheck, GroupCheck
from syncfabric.sim.drive.churn import Churner, MembersSetUp
from syncfabric.sim.drive.driver import Driver, Inputs, Program
from syncfabric.sim.drive.engine_driver import EngineDriver, PacketScript, Traffic
from syncfabric.sim.drive.lanes import Load, ledger_of
from syncfabric.sim.drive.log import EventLog, StaticLog
from syncfabric.sim.drive.packet_check import CauseCheck, PacketCheck, PacketTrace
from syncfabric.sim.drive.packets import Packet
from syncfabric.sim.drive.scenario import (
    NUMBER_BITS,
    Outcome,
    ReplayOutcome,
    Scenario,
)
from syncfabric.sim.drive.schemes import SCHEMES
from syncfabric.sim.drive.static.checks import CollectiveCheck, FlowCheck
from syncfabric.sim.drive.static.driver import StaticDriver, StaticIllegal
from syncfabric.sim.drive.static.operations import (
    CollectiveOutcome,
    asked_of,
    barriers_of,
    network_of,
)
from syncfabric.sim.drive.static.software import StaticSoftware
from syncfabric.sim.drive.trace import Rule

PROBABILITY = 0.05
"""Of each kind of illegal stimulus, a cycle."""
EPOCHS = 1 << EPOCH_BITS
OUTSIDE = 2
"""Targets behind the last that are named, too, as far as the config port's bits can."""


class Illegal(Program):
    """Drives illegal stimulus without changing the outcome of any barrier.

    Processes arrive a second time, and for groups of which they are no members; words are read and
    written that are not there, or only for the other; entries get COMMITs of a wrong epoch or at a
    wrong time; managers are given commands that they refuse, and such as all routers refuse; and
    processes send packets to set-up sinks.

    Parameters
    ----------
    driver : EngineDriver
        Whose plan and inputs are used; its model has the state of entries and managers.
    """

    def __init__(self, driver: EngineDriver) -> None:
        self._driver, self._model, self._shape = driver, driver.model, driver.model.shape
        shape, rng = self._shape, driver.rng
        bits = driver.plan.spec.message_network.layout.target_bits
        self._targets = min(shape.targets + OUTSIDE, 1 << bits)
        members = {place for group in driver.groups for place in group.places}
        endpoints = [(i, r) for i in range(len(shape.nodes)) for r in range(shape.registers)]
        self._free = [endpoint for endpoint in endpoints if endpoint not in members]
        self._members = [
            (number, member)
            for number, group in enumerate(driver.groups)
            for member in range(len(group.places))
        ]
        self._kinds: list[Callable[[], Iterator[ConfigRequest]]] = [
            *(self._commit, self._anywhere, self._stage, self._open)
        ]
        self._kinds += [self._command, self._kill] if shape.managers else []
        sinks = range(shape.routers if shape.managers and shape.interfaces else 0)
        self._sinks = [shape.sink_header(router) for router in sinks]
        # The first requests come before anything is set up.
        driver.port.requests.extendleft(
            ConfigRequest(rng.randrange(shape.targets), rng.randrange(256), False) for _ in range(4)
        )

    def next_cycle(self, now: int) -> int | None:
        """Return this cycle, while members arrive."""
        return now if self._driver.active else None

    def act(self, now: int, inputs: Inputs) -> None:
        """Add illegal stimuli to a cycle's inputs, here and there."""
        driver, rng = self._driver, self._driver.rng
        if not driver.active:
            return
        if self._members and rng.random() < PROBABILITY:
            number, member = rng.choice(self._members)
            group = driver.groups[number]
            if group.inside(member):
                node, register = group.places[member]
                assert register is not None
                self._arrive(now, inputs, (node, register))
        if self._free and rng.random() < PROBABILITY:
            self._arrive(now, inputs, rng.choice(self._free))
        if self._sinks and rng.random() < PROBABILITY / 4 and not driver.sender.waits:
            node, channel = rng.randrange(len(self._shape.nodes)), self._shape.router.channels
            words = [rng.choice(self._sinks), *(rng.getrandbits(32) for _ in range(3))]
            driver.sender.send(node, words[: rng.randint(1, 4)], rng.randrange(channel))
        if driver.port.is_idle and rng.random() < PROBABILITY:
            for request in rng.choice(self._kinds)():
                driver.port.ask(request)

    def _arrive(self, now: int, inputs: Inputs, endpoint: tuple[int, int]) -> None:
        """Arrive where that is refused, unless a member does that may."""
        rng, bits = self._driver.rng, self._shape.router.data_bits
        data, last = rng.getrandbits(bits) if bits else 0, rng.random() < 0.5
        if endpoint not in inputs.arrive:
            self._driver.arrive(now, inputs, endpoint, data, last=last)

    def _commit(self) -> Iterator[ConfigRequest]:
        """Yield a COMMIT that is refused, or a READ of any word."""
        rng, shape = self._driver.rng, self._shape
        router, entry = rng.randrange(shape.routers), rng.randrange(shape.router.layout.entries)
        state = self._model.nodes[router].engine.entry(entry)
        epoch = (state.epoch + rng.randrange(1, EPOCHS)) % EPOCHS
        code = rng.choice((Code.READ, Code.SETUP, Code.GO, *([Code.KILL] * state.alive)))
        fields = {"code": code, "entry": entry, "epoch": epoch}
        if code is Code.READ:
            fields["word"] = rng.randrange(16)
        yield ConfigRequest(shape.target_of(router), EngineWord.COMMIT, True, COMMIT.pack(fields))

    def _anywhere(self) -> Iterator[ConfigRequest]:
        """Yield a read of any word, or a write of one that is not there or is to be read."""
        rng, address = self._driver.rng, self._driver.rng.randrange(256)
        write = rng.random() < 0.5 and address not in self._writable
        target = rng.randrange(self._targets)
        yield ConfigRequest(target, address, write, rng.getrandbits(32) * write)

    @property
    def _writable(self) -> set[int]:
        """Addresses that are written at some target."""
        tables = ((part << ADDRESS_BITS, words.widths("w")) for part, words in enumerate(TABLES))
        return {*range(COUNTER_ADDRESS), *(part | word for part, words in tables for word in words)}

    def _stage(self) -> Iterator[ConfigRequest]:
        """Yield a write of a word of an image that is not committed, and may not be there."""
        rng, shape = self._driver.rng, self._shape
        target = shape.target_of(rng.randrange(shape.routers))
        address = rng.randrange(EngineWord.IMAGE, 1 << ADDRESS_BITS)
        yield ConfigRequest(target, address, True, rng.getrandbits(32))

    def _open(self) -> Iterator[ConfigRequest]:
        """Yield a write that opens all links of a router; without check bits it is refused."""
        target = self._driver.rng.randrange(self._shape.targets)
        fence = config_address(RouterWord.FENCE)
        yield ConfigRequest(target, fence, True, 0)

    def _command(self) -> Iterator[ConfigRequest]:
        """Yield a command that a manager refuses, or an ABORT."""
        rng, most = self._driver.rng, MOST_REQUESTS + 1
        fields = rng.choice(
            (
                {"operation": Operation.START, "count": rng.randint(0, most)},
                {"operation": Operation.SETUP, "count": 0},
                {"operation": Operation.KILL, "count": most},
                {"operation": Operation.ABORT, "count": rng.randint(0, most)},
            )
        )
        address = config_address(ManagerWord.COMMAND)
        yield ConfigRequest(rng.choice(self._shape.managers), address, True, COMMAND.pack(fields))

    def _kill(self) -> Iterator[ConfigRequest]:
        """Yield the writes of a KILL that routers deny: of a wrong epoch, or of another's share."""
        rng, shape = self._driver.rng, self._shape
        number = rng.randrange(len(shape.managers))
        entries = range(shape.router.layout.entries)
        own, epochs = share_of(number, len(shape.managers), len(entries)), Epochs()
        places = []
        for router in rng.sample(range(shape.routers), min(2, shape.routers)):
            entry = rng.choice(entries)
            state = self._model.nodes[router].engine.entry(entry)
            if state.alive or entry not in own:
                epochs[router, entry] = state.epoch + rng.randrange(1, EPOCHS)
                places.append((router, entry))
        node = shape.managers[number]
        if places and self._model.manager_state(node) is not ManagerState.RUNNING:
            for address, word in kill_command(places, shape, epochs):
                yield ConfigRequest(node, address, True, word)


NEVER = -1


class Replaying(Program):
    """Sends the packets of a schedule, step by step or as it can; see `Replay`.

    Parameters
    ----------
    driver : EngineDriver
        Of a scenario with a replay.

    Attributes
    ----------
    due, begins : list of int
        As of `ReplayOutcome`.
    """

    ejects = True

    def __init__(self, driver: EngineDriver) -> None:
        replay = driver.scenario.replay
        assert replay is not None
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
        """Let processors arrive whose step is complete, and no others."""
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


def driver_of(
    plan: BarrierPlan, scenario: Scenario, observer: Observer | None = None
) -> Driver[Any]:
    """Return the driver of a scenario on a plan's network, with its programs in order."""
    return _kind_of(plan).driver(plan, scenario, observer)


def rules_of(
    plan: BarrierPlan, scenario: Scenario, file: TextIO | None = None, *, coverage: bool
) -> list[Rule]:
    """Return the rules and measures of a scenario, in the order in which they are applied.

    The log writes its rows into the file, if there is one.
    """
    return _kind_of(plan).rules(plan, scenario, file, coverage)


class _Kind(NamedTuple):
    """What scenarios are made of on a kind of network."""

    driver: Callable[[BarrierPlan, Scenario, Observer | None], Driver[Any]]
    rules: Callable[[BarrierPlan, Scenario, TextIO | None, bool], list[Rule]]


def _engine_driver(
    plan: BarrierPlan, scenario: Scenario, observer: Observer | None
) -> EngineDriver:
    driver = EngineDriver(plan, scenario, observer)
    parts: list[tuple[object, Callable[[EngineDriver], Program]]] = [
        (scenario.scheme, lambda driver: SCHEMES[scenario.scheme](driver)),
        (scenario.replay, Replaying),
        (plan.spec.message_network.setup == "paper", MembersSetUp),
        (scenario.packets, PacketScript),
        (scenario.streams, _streams),
        (True, Traffic),
        (scenario.noise, Illegal),
        (scenario.churn, Churner),
    ]
    for part in (part for asked, part in parts if asked):
        driver.add(part(driver))
    return driver


def _streams(driver: EngineDriver) -> Program:
    from syncfabric.sim.drive.streams import Streams

    return Streams(driver)


def _engine_rules(
    plan: BarrierPlan, scenario: Scenario, file: TextIO | None, coverage: bool
) -> list[Rule]:
    barriers, network = BarrierCheck(plan), plan.spec.message_network
    ledger = ledger_of(network)
    rules: list[Rule] = [barriers, Load(), ledger, PacketCheck(network), EventLog(plan, file)]
    if scenario.churn:
        rules.insert(0, GroupCheck(plan, barriers))
    if scenario.scheme:
        rules.append(CauseCheck(plan))
    if scenario.replay:
        rules.append(PacketTrace(network))
    if scenario.streams:
        from syncfabric.sim.drive.stream_check import StreamCheck, StreamCount

        rules += [StreamCheck(plan, scenario), StreamCount(plan, scenario)]
    if coverage:
        from syncfabric.sim.drive.coverage import EngineCoverage

        rules.append(EngineCoverage(plan, ledger))
    return rules


def _static_driver(plan: BarrierPlan, scenario: Scenario, _: Observer | None) -> StaticDriver:
    driver = StaticDriver(plan, scenario)
    driver.programs += [StaticSoftware(driver)] if scenario.collectives else []
    driver.programs += [StaticIllegal(driver)] if scenario.noise else []
    return driver


def _static_rules(
    plan: BarrierPlan, scenario: Scenario, file: TextIO | None, coverage: bool
) -> list[Rule]:
    network, barriers = network_of(plan), barriers_of(plan, scenario.collectives)
    flow, log = FlowCheck(network, barriers.groups), StaticLog(network, barriers.groups, file)
    outcomes = [CollectiveOutcome(asked, []) for asked in scenario.collectives]
    rules: list[Rule] = [BarrierCheck(barriers), Load(), log, flow]
    rules += [
        CollectiveCheck(number, group, asked, plan, scenario, outcomes)
        for number, (group, asked) in enumerate(asked_of(plan, scenario.collectives))
    ]
    if coverage:
        from syncfabric.sim.drive.coverage import StaticCoverage

        rules.append(StaticCoverage(barriers, flow))
    return rules


_ENGINES = _Kind(_engine_driver, _engine_rules)
_KINDS = {"static": _Kind(_static_driver, _static_rules)}
"""By the network's kind; all others are networks of engines."""


def _kind_of(plan: BarrierPlan) -> _Kind:
    return _KINDS.get(plan.spec.network.kind, _ENGINES)
