"""Lives of groups on a network in use: born, set up, torn down, again and again."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    ARRIVED,
    LIFE,
    Request,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import IrregularGroupPlan
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.churn.agenda import Agenda
from syncfabric.sim.drive.churn.draw import Drawing
from syncfabric.sim.drive.churn.farewell import Farewell
from syncfabric.sim.drive.churn.life import Life, Stage
from syncfabric.sim.drive.churn.managers import Managers, Result
from syncfabric.sim.drive.churn.members import Members
from syncfabric.sim.drive.churn.notes import Born, Note
from syncfabric.sim.drive.churn.seats import Seats
from syncfabric.sim.drive.scenario import ChurnOutcome, Scenario

if TYPE_CHECKING:
    from syncfabric.sim.drive.driver import Driver, Inputs

__all__ = ["Churner"]

AT_ONCE = 3
"""Lives that a manager has at once, at most."""
TRIES = 8
"""Refusals after which a life is given up."""
PAUSE = 60
"""Cycles from one birth to the next, at most."""
BEFORE_RETRY = 20, 200
"""Cycles from a refusal to the next try."""
BEFORE_ARRIVAL = 100
"""Cycles from the end of the members' writes to their first arrivals, at most."""
BEFORE_KILL = 300
"""Cycles from a set-up's end until a life is killed, at most."""
PATIENCE = 50_000
"""Cycles without any progress, after which a life hangs."""


class Churner:
    """Sets groups up and tears them down at random, over the config port and the node ports.

    Parameters
    ----------
    driver : Driver
        Whose config port and inputs it uses.

    Attributes
    ----------
    alive : dict of int to Life
        Lives that are not over, by GID.
    outcome : ChurnOutcome
        What has become of the lives so far.
    ended : int
        Lives that are over.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver, self._model = driver, driver.model
        plan, scenario = driver.plan, driver.scenario
        network = self._network = plan.spec.register_network
        rng = self._rng = random.Random(f"{scenario.seed}/churn")
        self._drawing = Drawing(plan.spec, rng)
        self._seats = Seats(plan, driver.model, rng)
        self.alive: dict[int, Life] = {}
        self._agenda = Agenda()
        self._members = Members(driver, self._seats, rng, self.alive, self._note)
        self._managers = Managers(
            network, driver.model, driver.port.ask, self._note, self._ended, self._freed
        )
        self._farewell = Farewell(driver.model, driver.port, self._seats, self._note, self._bury)
        self._ahead = scenario.churn
        self._begun = self._stirred = False
        self.outcome = ChurnOutcome()
        self.ended = 0

    @property
    def over(self) -> bool:
        """Whether all lives are over."""
        return not self._ahead and not self.alive

    def stuck(self, now: int) -> int | None:
        """Return a group that has come no further for long, if there is one."""
        return next((gid for gid, life in self.alive.items() if now > life.since + PATIENCE), None)

    def last_reads(self) -> list[int]:
        """Return the config addresses at which any place may know a group at the end."""
        control = SwitchWord.CONTROL  # the same number on a mesh
        registers = range(self._network.barrier_registers)
        return [register_address(register, control) for register in registers]

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which there is something to do.

        None: nothing, until the model does something.
        """
        return now if self._stirred else self._agenda.next_cycle

    def step(self, now: int, inputs: Inputs) -> None:
        """Do what is to be done in a cycle, all releases of which the model shows."""
        if not self._begun:
            self._begun = True
            self._bear(now)
        self._members.hear(now)
        self._agenda.step(now)
        for life in list(self.alive.values()):
            if life.stage is not Stage.GONE:
                self._members.arrive(now, life, inputs)
                self._tend(now, life)
        self._managers.step(now)
        # What the model does in this cycle can be seen in the next.
        self._stirred = self._model.is_moving() or bool(inputs.arrive)

    def _note(self, note: Note) -> None:
        self._driver.notes.append(note)

    # Birth.

    def _bear(self, now: int) -> None:
        """Begin a life, if there is room for one, and plan the next birth."""
        room = self._seats.room()
        full = len(self.alive) >= AT_ONCE * len(self._managers)
        if not full and self._drawing.has_gid and len(room) >= 2:
            self._begin(now, room)
            self._ahead -= 1
        if self._ahead:
            self._agenda.at(now + self._rng.randint(1, PAUSE), self._bear)

    def _begin(self, now: int, room: list[int]) -> None:
        drawn, topology = self._drawing.draw(room), self._network.topology
        group = drawn.group
        nodes = [topology.index(node) for node in group.members]
        switches = group.switch_places if isinstance(group, IrregularGroupPlan) else ()
        arrivals = GroupArrivals(
            group,
            [(node, 0) for node in nodes],  # each finds its register when it is set up
            Scenario(episodes=drawn.episodes, policy="mixed"),
            self._rng,
            lambda cycle, member: self._agenda.at(cycle, lambda _: life.due.add(member)),
        )
        life = Life(
            **vars(drawn),
            number=len(self._driver.plan.groups) + self.outcome.lives,
            nodes=nodes,
            targets=(*nodes, *(len(topology.nodes) + switch for switch in switches)),
            arrivals=arrivals,
            since=now,
        )
        self.alive[life.gid] = life
        self.outcome.lives += 1
        place, episodes = tuple(nodes), drawn.episodes
        self._note(Born(now, life.number, life.gid, group.op, place, life.targets, episodes))
        self._driver.port.ask_all(self._seats.take(life), now, partial(self._enlist, life))

    def _enlist(self, life: Life, now: int) -> None:
        """Have a life set up whose members have written their registers, and wait."""
        life.arrivals.begin(now + self._rng.randint(1, BEFORE_ARRIVAL))
        self._managers.order(life, Request.SETUP)

    # Set-up and tear-down.

    def _ended(self, now: int, result: Result) -> None:
        """Go on after a command."""
        life, operation, done, cost = result
        if operation is Request.SETUP:
            if done:
                self.outcome.set_up(cost.cycles, cost.packets)
                life.enter(Stage.LIVES, now)
                if life.doomed:
                    self._agenda.at(
                        now + self._rng.randint(0, BEFORE_KILL), partial(self._kill, life)
                    )
            else:
                self._refused(now, life)
        else:
            self.outcome.tear_down(cost.cycles, cost.packets + life.told)
            life.enter(Stage.LEAVES, now)

    def _refused(self, now: int, life: Life) -> None:
        self.outcome.refused += 1
        life.tries, life.since = life.tries + 1, now
        if life.tries < TRIES:
            again = partial(self._managers.order, life, Request.SETUP)
            self._agenda.at(now + self._rng.randint(*BEFORE_RETRY), lambda _: again())
        else:
            self.outcome.given_up += 1
            life.given_up = True
            life.enter(Stage.LEAVES, now)

    def _kill(self, life: Life, now: int) -> None:
        self.outcome.killed += 1
        life.enter(Stage.ENDS, now)
        self._managers.order(life, Request.KILL)

    def _freed(self, gid: int) -> None:
        """Hear of a group's last barrier by a packet; an old life's does not count."""
        life = self.alive.get(gid)
        if life is not None and life.all_arrived:
            life.freed = life.told = True

    def _tend(self, now: int, life: Life) -> None:
        """See whether a life can go on to its next stage."""
        if life.stage is Stage.LIVES and not life.doomed:
            if life.freed:
                life.enter(Stage.ENDS, now)
                self._managers.order(life, Request.CLEAR)
            elif life.arrivals.finished and not life.asked:
                self._ask_root(life)
        elif life.stage is Stage.LEAVES:
            self._farewell.tend(now, life)

    def _ask_root(self, life: Life) -> None:
        """Ask the node where a barrier turns around whether it is freed: no packet says so."""
        network, group = self._network, life.group
        if not isinstance(network, IrregularSpec) or network.turnaround == "switch":
            return
        if group.root_node is None:
            return
        life.asked = True
        root = life.nodes.index(network.topology.index(group.root_node))
        address = self._seats.address(life, root, SwitchWord.ARRIVED)

        def heard(now: int, refused: bool, data: int) -> None:
            life.freed = bool(LIFE.unpack(data >> ARRIVED.width)["freed"])

        self._driver.port.ask(ConfigRequest(life.nodes[root], address, False), heard)

    def _bury(self, life: Life) -> None:
        del self.alive[life.gid]
        self.ended += 1
        self._drawing.give_back(life.gid)
        self._seats.leave(life)
        self._members.dismiss(life)
