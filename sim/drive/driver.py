"""The stimulus of a run, open loop, from the golden model's releases; and the model under it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest, Observer, Record
from syncfabric.models.planning.images import Epochs
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import image_writes, set_up_writes
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.churn.churner import Churner
from syncfabric.sim.drive.churn.notes import Ended
from syncfabric.sim.drive.driving import Inputs
from syncfabric.sim.drive.illegal import Illegal
from syncfabric.sim.drive.lines import EMPTY
from syncfabric.sim.drive.replay import Replaying
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.schemes import SCHEMES
from syncfabric.sim.drive.set_up import MembersSetUp, Openings, SetUp
from syncfabric.sim.drive.software import Host, PacketScript
from syncfabric.sim.drive.stepping import Chunk, Stepping

__all__ = ["Driver", "Session"]


class Driver(Host):
    """Drives a network of engines: its set-up, traffic, lives, and software of the nodes.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : CollectiveNetwork
        See `Host`, also for further attributes.

    Attributes
    ----------
    enable, rate : bool, int
        The traffic inputs, which last.
    churn : Churner or None
        Who makes lives.
    scheme : Scheme or None
        Who has the one group synchronize, if it is a scheme.
    replaying : Replaying or None
        Who plays a schedule.
    traffic_from : int or None
        First cycle with traffic.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: CollectiveNetwork) -> None:
        super().__init__(plan, scenario, model)
        network = plan.spec.message_network
        self.enable, self.rate = False, 0
        self.traffic_from: int | None = None
        # With multicast GO is the release, and so no preparation.
        self._opens = scenario.scheme != "multicast"
        self._managed = network.managed and self._opens
        self.port.requests.extend(self._first_writes())
        self.set_up = SetUp(plan, model, self.port.ask) if self._managed else None
        self._openings = Openings(plan, model) if self._opens else None
        self._illegal = Illegal(self) if scenario.noise else None
        self.churn = Churner(self) if scenario.churn else None
        self.scheme = SCHEMES[scenario.scheme](self) if scenario.scheme else None
        self.software.programs += [self.scheme] if self.scheme else []
        self.replaying = Replaying(self, scenario.replay) if scenario.replay else None
        self.software.programs += [self.replaying] if self.replaying else []
        self.software.programs += [MembersSetUp(self)] if network.setup == "paper" else []
        self.software.programs += [PacketScript(self)] if scenario.packets else []
        self._switches: tuple[int, ...] = ()  # cycles in which traffic is seeded and enabled

    def _first_writes(self) -> Iterator[ConfigRequest]:
        """Yield the writes that set groups up, if the host does."""
        network = self.plan.spec.message_network
        if not self._managed and network.setup != "paper":
            writes_of = set_up_writes if self._opens else image_writes
            for target, address, word in writes_of(
                self.plan.engine_groups, network.shape, Epochs()
            ):
                yield ConfigRequest(target, address, True, word)

    @property
    def _goes_on(self) -> bool:
        return self.churn is not None and not self.churn.over

    @property
    def _others_over(self) -> bool:
        return super()._others_over and self.software.finished

    @property
    def _disturbs(self) -> bool:
        return self._illegal is not None and self.active

    @property
    def reads_back(self) -> bool:
        """Whether counters are read: not of large networks, nor over a chain for one episode."""
        return super().reads_back and self.scheme is None

    def unfinished(self) -> Collection[int]:
        """Return the groups that are not over: lives, or if there are none, those of the plan."""
        return (list(self.churn.alive) if self.churn else []) or super().unfinished()

    @property
    def _churns(self) -> bool:
        """Whether lives come and go: all groups have had their episodes."""
        if self.churn is None or self._begin_cycle is None:
            return False
        return all(len(group.latency) >= self.scenario.episodes for group in self.groups)

    def _ahead(self, now: int) -> list[int]:
        ahead = [self.software.next_cycle(now)]
        if self.churn is not None and self._churns:
            ahead.append(self.churn.next_cycle(now))
        if self._begin_cycle is not None and self.over_from is None:
            ahead += [cycle for cycle in self._switches if cycle >= now]
        return [cycle for cycle in ahead if cycle is not None]

    def _sequence(self, now: int, quiet: bool, inputs: Inputs) -> None:
        self.software.step(now)
        was_over, had_read = self.over_from, self._read
        if now in self._switches:
            if now == self._switches[0]:
                inputs.load = self.rng.getrandbits(32)
                self.stimuli.append(Stimulus(now, StimulusKind.LOAD, data=inputs.load))
            else:
                self._switch_traffic(now, rate_word(self.scenario.background))
                self.traffic_from = now
        super()._sequence(now, quiet, inputs)
        if self.enable and was_over is None and self.over_from is not None:
            self._switch_traffic(now, 0)
        if self.churn and self._read and not had_read and self.reads_back:
            self.notes.append(Ended(now))

    def _prepare(self, now: int) -> bool:
        if not self.port.is_idle:
            return False
        if self.set_up and not self.set_up.finished:
            self.set_up.step(now)
            return False
        return self._may_begin()

    @property
    def _waits(self) -> bool:
        waits = self.port.awaits_answer or (self.set_up is not None and self.set_up.waits)
        return waits or self._awaits_go

    @property
    def _awaits_go(self) -> bool:
        """Whether all is set up, and GO must still come to members."""
        over = self.set_up is None or self.set_up.finished
        return over and self.port.is_idle and not self._may_begin()

    def _may_begin(self) -> bool:
        """Return whether software has prepared everything, and GO has reached all members."""
        if self.software.prepares:
            return False
        refused = self.set_up is not None and self.set_up.refused is not None
        return self._openings is None or refused or self._openings.are_all()

    def _start(self, now: int) -> int:
        """Plan the traffic."""
        if not self.scenario.background:
            return now + 2
        enable = now + 2 + WARM_CYCLES
        self._switches = (now + 1, enable)
        return enable + self.scenario.lead_in

    def _switch_traffic(self, now: int, rate: int) -> None:
        self.enable, self.rate = rate > 0, rate
        self.stimuli.append(Stimulus(now, StimulusKind.RATE, data=rate, extra=int(rate > 0)))

    def note(self, now: int, record: Record) -> None:
        """See what was on the wires in a cycle."""
        self.software.note(now, record)
        if self.scheme:
            self.scheme.note(record)

    def _arrive(self, now: int, number: int, member: int, inputs: Inputs) -> None:
        if not self.software.arrive(now, number, member):
            super()._arrive(now, number, member, inputs)

    def _act(self, now: int, inputs: Inputs) -> None:
        if self._illegal is not None and self.active:
            self._illegal.disturb(now, inputs)
        if self.churn is not None and self._churns:
            self.churn.step(now, inputs)
        self.software.give(now, inputs)
        self.stimuli += [put.stimulus() for put in inputs.puts]


_NOTHING = Inputs()


class Session(Stepping):
    """Steps model and driver, and sleeps where neither does anything.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    observer : Observer, optional
        The model's.
    """

    def __init__(
        self, plan: BarrierPlan, scenario: Scenario, *, observer: Observer | None = None
    ) -> None:
        self.model = model_of(plan.spec.message_network, observer=observer)
        self.driver = Driver(plan, scenario, self.model)
        super().__init__(scenario, self.model, self.driver)

    def advance(self, cycles: int) -> Chunk:
        """Step the next cycles; fewer if everything ends before, or the chunk's script is full."""
        chunk = super().advance(cycles)
        churn = self.driver.churn
        stuck = churn.stuck(self.model.cycle) if churn else None
        if stuck is not None and not self.finished:
            self.hang = f"group {stuck}, which is to come and go, comes no further"
        return chunk

    def _hand(self, chunk: Chunk) -> None:
        super()._hand(chunk)
        driver = self.driver
        driver.notes, driver.port.answered = chunk.notes, chunk.answered
        driver.steps = chunk.steps

    def _tick(self, chunk: Chunk) -> Record | None:
        model, driver, now = self.model, self.driver, self.model.cycle
        quiet = driver.over_from is not None and self._quiet()
        answered = model.config_answer[0]
        inputs = driver.inputs(now, quiet=quiet) or _NOTHING
        record = model.step(
            arrive=inputs.arrive,
            last=inputs.last,
            config=inputs.config,
            load=inputs.load,
            enable=driver.enable,
            rate=driver.rate,
        )
        for put in inputs.puts:
            model.put(put.node, [put.payload], put.channel, head=put.head, tail=put.tail)
        chunk.puts += inputs.puts
        if record is not None or answered:
            driver.note(now, record or EMPTY)
        return record

    def _quiet(self) -> bool:
        return self.model.is_empty() and self._stirs() is None

    def _stirs(self) -> int | None:
        return self.model.idle_until(enable=self.driver.enable, rate=self.driver.rate)

    def _skip(self, cycles: int) -> None:
        self.model.skip(cycles, enable=self.driver.enable)
