"""Driving a static network: routes and roles, operations of its software, illegal stimuli."""

from __future__ import annotations

from collections.abc import Collection

from syncfabric.models.golden.record import Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.config_port import Cycles, perform
from syncfabric.sim.drive.driving import Driving, Inputs
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.noise import StaticNoise
from syncfabric.sim.drive.static.operations import barriers_of, groups_of, network_of
from syncfabric.sim.drive.static.software import StaticSoftware
from syncfabric.sim.drive.stepping import Chunk, Stepping
from syncfabric.sim.lifecycle.effects import FoundError, Steps
from syncfabric.sim.lifecycle.routes import ByRoutes

__all__ = ["StaticDriver", "StaticSession"]


class StaticDriver(Driving):
    """Members arrive when all groups are set up and the network is quiet.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    model : StaticModel

    Attributes
    ----------
    software : StaticSoftware or None
        Of the groups that have collectives in place of barriers.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario, model: StaticModel) -> None:
        barriers = barriers_of(plan, scenario.collectives)
        super().__init__(plan, scenario, model, barriers.groups)
        self.model, self._now = model, 0
        self.software = StaticSoftware(plan, scenario, model) if scenario.collectives else None
        ports = self.software.nodes if self.software else frozenset()
        self._noise = StaticNoise(self, barriers, ports) if scenario.noise else None
        self._routes = ByRoutes(network_of(plan))
        beside = self.software.loading if self.software else ()
        self._program = self._perform(self._routes.set_up(*groups_of(barriers), beside=beside))
        self._performs = True  # a program over the config port is not over

    def _perform(self, steps: Steps[None]) -> Cycles[None]:
        """Perform a program over the config port; what it finds wrong ends the run."""
        self._performs = True
        try:
            yield from perform(steps, self.port, lambda: self._now)
        except FoundError as error:
            self.refused = f"set-up: {error}"
        self._performs = False

    @property
    def _goes_on(self) -> bool:
        return self.software is not None and not self.software.finished

    @property
    def _disturbs(self) -> bool:
        return self._noise is not None and self.active

    def unfinished(self) -> Collection[int]:
        """Return the groups whose episodes are not over."""
        return [*super().unfinished(), *(self.software.unfinished() if self.software else [])]

    def _ahead(self, now: int) -> list[int]:
        if self._performs and self.port.is_idle:  # it lets cycles go by
            return [now]
        if self.software is None or self._begin_cycle is None:
            return []
        acts = self.software.next_cycle(now)
        return [] if acts is None else [max(now, acts)]

    @property
    def _waits(self) -> bool:
        return self._performs or self.model.idle_until() is not None

    def _prepare(self, now: int) -> bool:
        self._now = now
        next(self._program, None)
        return not self._waits

    def _start(self, now: int) -> int:
        if self.software is not None:
            self.software.begin(now)
        return now

    def _act(self, now: int, inputs: Inputs) -> None:
        if self._begin_cycle is None:
            return
        if self.software is not None:
            self._run(now, self.software, inputs)
        if self._noise is not None:
            self._noise.disturb(now, inputs)

    def _run(self, now: int, software: StaticSoftware, inputs: Inputs) -> None:
        """Let the software act, and load the routes that its groups wait for."""
        self._now = now
        next(self._program, None)
        if not self._performs and software.loading:
            software.begin(now)
        software.step(now, inputs, self.stimuli)
        if not self._performs and (changed := software.change()):
            self._program = self._perform(self._routes.load((), changed))
            next(self._program)


_NOTHING = Inputs()


class StaticSession(Stepping):
    """Steps model and driver; see `Session`.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        self.model = StaticModel(network_of(plan))
        self.driver = StaticDriver(plan, scenario, self.model)
        super().__init__(scenario, self.model, self.driver)

    def _hand(self, chunk: Chunk) -> None:
        super()._hand(chunk)
        if self.driver.software is not None:
            self.driver.software.turns = chunk.turns

    def _tick(self, chunk: Chunk) -> Record | None:
        quiet = self._stirs() is None
        inputs = self.driver.inputs(self.model.cycle, quiet=quiet) or _NOTHING
        return self.model.step(
            arrive=inputs.arrive,
            hold=inputs.hold,
            send=inputs.send,
            take=inputs.take,
            config=inputs.config,
        )
