"""Driving a network of engines: the set-up of its groups, and the ports of its nodes."""

import random
from collections.abc import Sequence

from syncfabric.models.golden.network import CollectiveNetwork, model_of
from syncfabric.models.golden.record import ConfigRequest, Observer, Record
from syncfabric.models.layout.setup import ManagerState
from syncfabric.models.layout.words import ManagerWord, config_address
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import Epochs, image_writes, set_up_command, set_up_writes
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.script import Stimulus, StimulusKind, goals
from syncfabric.sim.drive.config_port import ConfigPort, Cycles
from syncfabric.sim.drive.driver import Cost, Driver, Inputs, Program
from syncfabric.sim.drive.packets import Inbox, Packet, PutPort
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.trace import EMPTY


class EngineDriver(Driver[CollectiveNetwork]):
    """Drives a network of engines.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    observer : Observer, optional
        The model's.

    Attributes
    ----------
    sender : PutPort
        Where nodes' software sends packets.
    enable, rate : bool, int
        The inputs of the traffic generator, which last.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, observer: Observer | None = None
    ) -> None:
        network = plan.spec.message_network
        super().__init__(plan, scenario, model_of(network, observer=observer), plan.groups)
        pauses = random.Random(f"{scenario.seed}/pauses") if scenario.noise else None
        self.sender = PutPort(network, pauses)
        self._inbox: Inbox | None = None
        self.enable, self.rate = False, 0
        # With multicast GO is the release, and so no preparation.
        opens = scenario.scheme != "multicast"
        set_up = SET_UPS[network.setup] if opens else ImagesByChain
        self._set_up = set_up(plan, self.model, self.port, self.costs)
        opened = plan.groups if opens else ()
        self._closed = {place for group in opened for place in plan.endpoints(group)}

    def add(self, program: Program) -> None:
        """Let a program drive the network, too, behind those that are there."""
        self.programs.append(program)
        if program.ejects and self._inbox is None:
            self._inbox = Inbox(self.plan.spec.message_network)

    @property
    def _all_over(self) -> bool:
        return not self.sender.waits and super()._all_over

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which the driver has something to do."""
        if self.sender.waits or (self._inbox and self._inbox.packets):
            return now
        return super().next_cycle(now)

    def _packets(self) -> Sequence[Packet]:
        return self._inbox.take() if self._inbox else ()

    def _prepare(self, now: int) -> bool:
        if not self.port.is_idle:
            return False
        if not self._set_up.finished:
            self._set_up.step(now)
            return False
        return self._may_begin

    @property
    def _may_begin(self) -> bool:
        """Whether everything is prepared, and GO has reached all members."""
        return self._set_up.refused is not None or self._are_open()

    def _are_open(self) -> bool:
        """Return whether every member of every group may arrive."""
        self._closed = {key for key in self._closed if not self.model.ready(*key)}
        return not self._closed

    @property
    def _waits(self) -> bool:
        if self.port.awaits_answer or self._set_up.waits:
            return True
        return self._set_up.finished and self.port.is_idle and not self._may_begin

    def step(self, now: int) -> Record | None:
        """Act in a cycle, and step the model."""
        model, answered = self.model, self.model.config_answer[0]
        inputs = self.inputs(now)
        record = model.step(
            arrive=inputs.arrive,
            last=inputs.last,
            config=inputs.config,
            load=inputs.load,
            enable=self.enable,
            rate=self.rate,
        )
        for put in inputs.puts:
            model.put(put.node, [put.payload], put.channel, head=put.head, tail=put.tail)
        if record is not None or answered:
            if self._inbox:
                self._inbox.note(now, record or EMPTY)
            for program in self.programs:
                program.note(record or EMPTY)
        return record

    def _act(self, now: int, inputs: Inputs) -> None:
        super()._act(now, inputs)
        inputs.puts.extend(self.sender.give(now))
        self.stimuli += [put.stimulus() for put in inputs.puts]
        self.acts += inputs.puts

    @property
    def _quiet(self) -> bool:
        return self.model.is_empty() and self.idle_until() is None

    def idle_until(self) -> int | None:
        """Return a cycle before which the model does nothing by itself; None: it never will."""
        return self.model.idle_until(enable=self.enable, rate=self.rate)

    def skip(self, cycles: int) -> None:
        """Advance the model by cycles in which it does nothing."""
        self.model.skip(cycles, enable=self.enable)


class ByMembers:
    """Groups are not set up before they begin: their members' software sees to it.

    Attributes
    ----------
    finished : bool
        Whether every group has had its turn.
    refused : int or None
        The first group that was not set up.
    """

    def __init__(
        self, plan: BarrierPlan, model: CollectiveNetwork, port: ConfigPort, costs: dict[int, Cost]
    ) -> None:
        self.finished = True
        self.refused: int | None = None

    @property
    def waits(self) -> bool:
        """Whether there is nothing to do until something is done elsewhere."""
        return False

    def step(self, now: int) -> None:
        """Go on, in a cycle in which all requests have been asked and answered."""


class ByChain(ByMembers):
    """Writes all groups by the config chain, and starts them."""

    writes = staticmethod(set_up_writes)

    def __init__(
        self, plan: BarrierPlan, model: CollectiveNetwork, port: ConfigPort, costs: dict[int, Cost]
    ) -> None:
        super().__init__(plan, model, port, costs)
        for target, address, word in self.writes(plan.engine_groups, model.shape, Epochs()):
            port.requests.append(ConfigRequest(target, address, True, word))


class ImagesByChain(ByChain):
    """Writes all groups by the config chain, and starts none."""

    writes = staticmethod(image_writes)


class ByManagers(ByMembers):
    """Commands the managers of a network of engines, a group at a time: each its own groups.

    It fills ``costs``, by group.
    """

    def __init__(
        self, plan: BarrierPlan, model: CollectiveNetwork, port: ConfigPort, costs: dict[int, Cost]
    ) -> None:
        super().__init__(plan, model, port, costs)
        self._model, self._ask, self._costs = model, port.ask, costs
        self._ahead = list(enumerate(plan.engine_groups))
        self._manager, self._now = model.shape.managers[0], 0
        self._began: int | None = None
        self._commands = self._command_all()
        self.finished = not self._ahead

    @property
    def waits(self) -> bool:
        """Whether a manager is at work."""
        running = self._model.manager_state(self._manager) is ManagerState.RUNNING
        return self._began is not None and running

    def step(self, now: int) -> None:
        """Let a manager's command follow the one that is done."""
        self._now = now
        next(self._commands, None)

    def _command_all(self) -> Cycles[None]:
        model, epochs = self._model, Epochs()

        def began(now: int, refused: bool, data: int) -> None:
            self._began = now

        for number, group in self._ahead:
            manager = model.shape.managers[number % len(model.shape.managers)]
            self._manager, self._began, sent = manager, None, model.requests_sent(manager)
            for address, word in set_up_command(group, model.shape, epochs):
                last = address == config_address(ManagerWord.COMMAND)
                self._ask(ConfigRequest(manager, address, True, word), began if last else None)
            epochs.set_up(group)
            yield
            while self._began is None or self.waits:
                yield
            took, packets = self._now - self._began, 2 * (model.requests_sent(manager) - sent)
            self._costs[group.id] = Cost(took, packets)
            done = model.manager_state(manager) is ManagerState.DONE
            self.refused = group.id if self.refused is None and not done else self.refused
        self.finished = True


SET_UPS: dict[str, type[ByMembers]] = {"manager": ByManagers, "local": ByChain, "paper": ByMembers}
"""How groups are set up before they begin, by the key ``setup``."""


class Traffic(Program):
    """Switches the packet generator on before the groups begin, and off when all is over.

    Parameters
    ----------
    driver : EngineDriver

    Attributes
    ----------
    since : int or None
        First cycle with traffic.
    """

    def __init__(self, driver: EngineDriver) -> None:
        self._driver, self._load = driver, 0
        self.since: int | None = None

    def start(self, now: int) -> int:
        """Plan the traffic, and let it settle before the groups begin."""
        scenario = self._driver.scenario
        if not scenario.background:
            return now + 2
        self._load = now + 1
        return self._load + 1 + WARM_CYCLES + scenario.lead_in

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle in which traffic is seeded or enabled."""
        if not self._load or self._driver.over_from is not None:
            return None
        ahead = self._load, self._load + 1 + WARM_CYCLES
        return min((cycle for cycle in ahead if cycle >= now), default=None)

    def act(self, now: int, inputs: Inputs) -> None:
        """Seed the traffic, and switch it."""
        driver = self._driver
        if not self._load:
            return
        if now == self._load:
            if pattern := driver.scenario.pattern:
                driver.model.traffic.aim(pattern)
            inputs.load = driver.rng.getrandbits(32)
            driver.stimuli += goals(now, pattern)
            driver.stimuli.append(Stimulus(now, StimulusKind.LOAD, data=inputs.load))
        elif now == self._load + 1 + WARM_CYCLES:
            self._switch(now, rate_word(driver.scenario.background))
            self.since = now
        elif now == driver.over_from:
            self._switch(now, 0)

    def _switch(self, now: int, rate: int) -> None:
        self._driver.enable, self._driver.rate = rate > 0, rate
        stimulus = Stimulus(now, StimulusKind.RATE, data=rate, extra=int(rate > 0))
        self._driver.stimuli.append(stimulus)


class PacketScript(Program):
    """Sends the scenario's packets.

    Parameters
    ----------
    driver : EngineDriver
    """

    def __init__(self, driver: EngineDriver) -> None:
        self._driver = driver
        self._ahead = sorted(driver.scenario.packets, key=lambda sending: sending.cycle)

    @property
    def finished(self) -> bool:
        """Whether all have been sent."""
        return not self._ahead

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle of the next packet; None before groups begin."""
        begin = self._driver.begin_cycle
        return max(now, begin + self._ahead[0].cycle) if begin and self._ahead else None

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Send what is due."""
        while (due := self.next_cycle(now)) is not None and due <= now:
            _, node, channel, payloads = self._ahead.pop(0)
            self._driver.sender.send(node, payloads, channel)
