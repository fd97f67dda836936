"""Lives of groups on a network in use: born, set up, torn down, again and again."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import cast

from syncfabric.models.errors import PlanError
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.layout.engine import Code
from syncfabric.models.layout.setup import Operation as Command
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec, Operation
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.plan import GroupPlan, make_plan
from syncfabric.models.planning.set_up import commit_write
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.churn.notes import Born, Came, Gone, Note, Ordered, Told
from syncfabric.sim.drive.config_port import Cycles, perform
from syncfabric.sim.drive.driving import Inputs
from syncfabric.sim.drive.room import free_gids
from syncfabric.sim.drive.scenario import ChurnOutcome, Scenario
from syncfabric.sim.drive.software import Agenda, Host
from syncfabric.sim.lifecycle import lifecycle_of
from syncfabric.sim.lifecycle.effects import FoundError, Steps, ask_all

__all__ = ["Churner"]

AT_ONCE = 4
"""Lives at once, at most."""
TRIES = 32
"""Draws that find no entries beside the file's groups alone, after which a life is given up."""
PAUSE = 60
"""Cycles from one birth to the next, at most."""
BEFORE_ARRIVAL = 100
"""Cycles from a birth to the first arrivals, at most; they wait for ``ready``."""
BEFORE_KILL = 300
"""Cycles from a set-up's end until a life is killed, at most."""
PATIENCE = 50_000
"""Cycles without any progress, after which a life hangs."""
FEW = 6
"""Members of most lives, at most."""
MOST_EPISODES = 8
DOOMED = 1 / 8
"""Share of lives that are killed."""
ENDLESS = 1000
"""Episodes of every other life that is killed, so that it is so in the midst of them."""

_BITWISE: tuple[Operation, ...] = ("or", "and", "xor")
_SERIAL: tuple[Operation, ...] = ("max", "min", "sum")


@dataclass
class Life:
    """A group that comes and goes."""

    number: int
    group: GroupPlan
    manager: int
    seats: list[tuple[int, int]]
    episodes: int
    doomed: bool
    arrivals: GroupArrivals
    since: int
    due: set[int] = field(default_factory=set)
    came: set[int] = field(default_factory=set)
    inside: set[int] = field(default_factory=set)
    ends: bool = False


class Churner:
    """Sets groups up and ends them at random, by the programs of `sim.lifecycle`.

    Programs are performed one after another, while members of other lives have their barriers.

    Parameters
    ----------
    driver : Host
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

    def __init__(self, driver: Host) -> None:
        network, model = driver.plan.spec.network, cast(object, driver.model)
        assert isinstance(network, MessageSpec)
        assert isinstance(model, CollectiveNetwork)
        self._driver, self._network, self._model = driver, network, model
        self._rng = random.Random(f"{driver.scenario.seed}/churn")
        self._software = lifecycle_of(network.shape)
        self._free = FreeEntries(network.shape)
        for group in driver.plan.engine_groups:
            self._free.hold(group)
        self._gids = free_gids(driver.plan.spec)
        self.alive: dict[int, Life] = {}
        self._seats: dict[tuple[int, int], tuple[Life, int]] = {}
        self._agenda = Agenda()
        self._programs: deque[Cycles[None]] = deque()
        self._ahead, self._now, self._vain = driver.scenario.churn, 0, 0
        self._begun = False
        self._failed: int | None = None
        self.outcome = ChurnOutcome()
        self.ended = 0

    @property
    def over(self) -> bool:
        """Whether all lives are over."""
        return not self._ahead and not self.alive

    def stuck(self, now: int) -> int | None:
        """Return a group that comes no further, if there is one."""
        late = (gid for gid, life in self.alive.items() if now > life.since + PATIENCE)
        return self._failed if self._failed is not None else next(late, None)

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which there is something to do."""
        return None if self.over else now

    def step(self, now: int, inputs: Inputs) -> None:
        """Do what is to be done in a cycle, all releases of which the model shows."""
        self._now = now
        if not self._begun:
            self._begun = True
            self._bear(now)
        for node, register, _ in self._model.release:
            self._released(now, node, register)
        self._agenda.step(now)
        for life in self.alive.values():
            self._arrive(now, life, inputs)
        if self._programs and self._failed is None:
            try:
                next(self._programs[0])
            except StopIteration:
                self._programs.popleft()

    # Birth.

    def _bear(self, now: int) -> None:
        """Begin a life, if there is room for one, and plan the next birth."""
        if len(self.alive) < AT_ONCE and self._gids:
            manager = self._rng.randrange(max(1, len(self._network.shape.managers)))
            drawn = self._draw(manager)
            if drawn is not None:
                self._begin(now, drawn, manager)
            elif not self.alive:
                self._vain += 1
            if drawn is not None or self._vain == TRIES:
                self._ahead, self._vain = self._ahead - 1, 0
                self.outcome.lives += 1
                self.outcome.given_up += drawn is None
                self.ended += drawn is None
        if self._ahead:
            self._agenda.at(now + self._rng.randint(1, PAUSE), self._bear)

    def _draw(self, manager: int) -> GroupPlan | None:
        """Draw a group in entries of a manager's share; None if there are none, or no way."""
        rng, topology = self._rng, self._network.topology
        nodes = list(topology.nodes)
        most = min(len(nodes), FEW if rng.random() < 3 / 4 else len(nodes))
        members = tuple(rng.sample(nodes, rng.randint(2, most)))
        serial = self._network.operations == "all"
        op = rng.choice(_BITWISE + (_SERIAL if serial else ()))
        planner = {"link": "shortest", "routed": "btm"}[self._network.transport]
        gid = rng.choice(self._gids)
        group = GroupSpec.model_validate(
            {"id": gid, "members": members, "op": op, "planner": planner}
        )
        name = self._driver.plan.spec.name
        try:
            plan = make_plan(NetworkSpec(name=name, network=self._network, groups=(group,)))
        except PlanError:
            return None
        return self._free.take(plan.engine_groups[0], manager)

    def _begin(self, now: int, group: GroupPlan, manager: int) -> None:
        rng = self._rng
        self._gids.remove(group.id)
        nodes = [self._network.topology.index(member) for member in group.members]
        doomed, endless = rng.random() < DOOMED, rng.random() < 1 / 2
        episodes = ENDLESS if doomed and endless else rng.randint(1, MOST_EPISODES)
        arrivals = GroupArrivals(
            group,
            [(node, 0) for node in nodes],
            Scenario(episodes=episodes, policy="mixed"),
            rng,
            lambda cycle, member: self._agenda.at(cycle, lambda _: life.due.add(member)),
        )
        number = len(self._driver.plan.groups) + self.outcome.lives
        seats = list(zip(nodes, group.registers, strict=True))
        life = Life(number, group, manager, seats, episodes, doomed, arrivals, now)
        self.alive[group.id] = life
        self._seats.update({seat: (life, member) for member, seat in enumerate(seats)})
        targets = tuple(self._network.shape.target_of(router) for router in group.placement)
        places, entries = tuple(nodes), tuple(group.placement.values())
        self._note(Born(now, number, group.id, group.op, places, targets, episodes, entries))
        arrivals.begin(now + rng.randint(1, BEFORE_ARRIVAL))
        self._programs.append(self._set_up(life))

    # Members.

    def _released(self, now: int, node: int, register: int) -> None:
        if (node, register) not in self._seats:
            return
        life, member = self._seats[node, register]
        life.since = now
        life.inside.discard(member)
        if self._model.broken(node, register):
            self._note(Told(now, node, register))
        else:
            life.arrivals.release(now, member)
        if life.arrivals.finished and not life.doomed:
            self._programs.append(self._tear_down(life))

    def _arrive(self, now: int, life: Life, inputs: Inputs) -> None:
        for member in sorted(life.due):
            node, register = life.seats[member]
            if life.ends or not self._model.ready(node, register):
                continue
            life.due.discard(member)
            if member not in life.came:
                life.came.add(member)
                self._note(Came(now, life.number, member, node, register))
            bits = self._network.data_bits
            data = self._rng.getrandbits(bits) if bits else 0
            last = life.arrivals.arrived[member] == life.episodes - 1
            self._driver.arrive(now, inputs, (node, register), data, last=last)
            life.inside.add(member)
            life.arrivals.took(now, member)
            self._driver.note_arrival(now, life.number, member, data)

    # Programs.

    def _set_up(self, life: Life) -> Cycles[None]:
        start, sent, refused = self._now, self._sent(), self._software.refused
        self._note(Ordered(start, life.number, life.manager, Command.SETUP))
        yield from self._perform(life, self._software.set_up(life.group))
        self.outcome.set_up(self._now - start, 2 * (self._sent() - sent))
        self.outcome.refused += self._software.refused - refused
        life.since = self._now
        if life.doomed:
            at = self._now + self._rng.randint(0, BEFORE_KILL)
            self._agenda.at(at, lambda _: self._programs.append(self._kill(life)))

    def _tear_down(self, life: Life) -> Cycles[None]:
        start = self._now
        yield from self._perform(life, self._software.tear_down(life.group))
        self.outcome.tear_down(self._now - start, int(bool(self._model.managers)))
        yield from self._leave(life)

    def _kill(self, life: Life) -> Cycles[None]:
        start, sent, life.ends = self._now, self._sent(), True
        self._note(Ordered(start, life.number, life.manager, Command.KILL))
        self.outcome.killed += 1
        yield from self._perform(life, self._software.kill(life.group))
        self.outcome.tear_down(self._now - start, 2 * (self._sent() - sent))
        while life.inside:
            yield
        yield from self._leave(life)

    def _leave(self, life: Life) -> Cycles[None]:
        """See that no entry of a life is alive, and let others have them."""
        self._note(Gone(self._now, life.number))
        yield from self._perform(life, self._look(life.group))
        for seat in life.seats:
            del self._seats[seat]
        self._free.leave(life.group)
        self._gids.append(life.group.id)
        del self.alive[life.group.id]
        self.ended += 1

    def _look(self, group: GroupPlan) -> Steps[None]:
        """Read the status of all entries of a group; the check judges the answers."""
        shape = self._network.shape
        reads = [commit_write(Code.READ, shape, *place, 0) for place in group.placement.items()]
        yield from ask_all(reads, "read when its group was over")

    def _perform(self, life: Life, steps: Steps[None]) -> Cycles[None]:
        try:
            yield from perform(steps, self._driver.port, lambda: self._now)
        except FoundError:
            self._failed = life.group.id
            while True:  # the run ends: this group comes no further
                yield

    def _sent(self) -> int:
        return sum(map(self._model.requests_sent, self._model.managers))

    def _note(self, note: Note) -> None:
        self._driver.notes.append(note)
