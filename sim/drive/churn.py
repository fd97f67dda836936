"""Groups that are set up in use: at random (churn), or by their members, as paper BTIN has it."""

import random
from collections import deque
from collections.abc import Sequence
from functools import partial

from syncfabric.models.errors import PlanError
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import BATCH, BATCH_MARK
from syncfabric.models.layout.setup import Operation as Command
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.set_up import (
    Epochs,
    RouterImage,
    asked_node,
    commit_write,
    duties,
    go_writes,
    group_images,
)
from syncfabric.sim.drive.config_port import Cycles
from syncfabric.sim.drive.driver import EventQueue, Inputs, Program
from syncfabric.sim.drive.engine_driver import EngineDriver
from syncfabric.sim.drive.instances import Instance, Instances
from syncfabric.sim.drive.packets import Packet
from syncfabric.sim.drive.scenario import ChurnOutcome, Outcome, Scenario, free_gids
from syncfabric.sim.drive.trace import Commanded, Created, Joined, Removed
from syncfabric.sim.lifecycle.effects import FoundError, Steps, ask_all
from syncfabric.sim.lifecycle.lifecycle import lifecycle_of

SPREAD = 2000
"""Cycles within which members begin."""
SET_UP_PAUSE = 16
"""Most cycles that a node's software takes from one thing to the next."""


class MembersSetUp(Program):
    """Software of representatives and asked nodes (paper BTIN, section 3.1, step 6).

    Each does one thing after the other at a pace of its own. The root's representative starts the
    group when all is written and the network quiet, which a bench can see; if the scenario is
    ``eager``, as soon as its own router's engine is set up, which is all that a member can know.

    Parameters
    ----------
    driver : EngineDriver
        Of an irregular network of engines with ``setup = "paper"``.

    Attributes
    ----------
    batches : int
        Packets sent.
    """

    ejects = True

    def __init__(self, driver: EngineDriver) -> None:
        self._driver, self._shape = driver, driver.plan.spec.message_network.shape
        self._rng = random.Random(f"{driver.scenario.seed}/set-up")
        self._layout = self._shape.router.layout
        self._events = EventQueue()
        self._left = 0  # engines that are not set up
        self._unstarted: list[GroupPlan] = []
        self._starting = 0
        self._begun = False
        self._epochs = Epochs()
        self.batches = 0

    @property
    def finished(self) -> bool:
        """Whether all groups are set up and started."""
        return self._begun and not (self._left or self._unstarted or self._starting)

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return not self.finished

    def next_cycle(self, now: int) -> int | None:
        """Return the cycle of the next thing that is to be done."""
        if not self._begun or (self._unstarted and not self._left):
            return now
        return self._events.next_cycle

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Let all software do what it is time for."""
        if not self._begun:
            self._begun = True
            for group in self._driver.plan.engine_groups:
                self._begin(now, group)
        for packet in packets:
            self._obey(now, packet)
        self._events.step(now)
        if not self._left and self._driver.port.is_idle and self._driver.model.is_empty():
            for group in self._unstarted:
                self._start(group, now)
            self._unstarted = []

    def _begin(self, now: int, group: GroupPlan) -> None:
        """Give each representative what it has to do, from some cycle on."""
        images = {one.router: one for one in group_images(group, self._layout, self._epochs)}
        self._epochs.set_up(group)
        self._left += len(images)
        self._unstarted.append(group)
        for node, (own, *others) in duties(group).items():
            cycle = now + self._rng.randrange(SPREAD)
            self._events.at(cycle, partial(self._set_up_own, group, images[own]))
            for router in others:
                cycle += self._rng.randint(1, SET_UP_PAUSE)
                self._events.at(cycle, partial(self._ask, node, self._batch(group, images[router])))

    def _set_up_own(self, group: GroupPlan, image: RouterImage, now: int) -> None:
        """Have a representative set its own router's engine up."""

        def done(now: int) -> None:
            self._left -= 1
            if self._driver.scenario.eager and image.router == group.tree.root:
                self._unstarted.remove(group)
                self._start(group, now)

        writes = self._writes(image.router, image.entry, image.epoch, image.words(self._layout))
        self._driver.port.ask_all(writes, done)

    def _batch(self, group: GroupPlan, image: RouterImage) -> list[int]:
        """Return the packet that asks a node of a router to set its engine up."""
        fields = {"mark": BATCH_MARK, "entry": image.entry, "epoch": image.epoch}
        header = self._shape.header_of(asked_node(group, image.router))
        return [header, BATCH.pack(fields), *image.words(self._layout)]

    def _ask(self, node: int, batch: Sequence[int], now: int) -> None:
        """Send a packet from a representative's node."""
        self.batches += 1
        self._driver.sender.send(node, batch)

    def _obey(self, now: int, packet: Packet) -> None:
        """Let an asked node do what a packet says, if it is a command batch."""
        fields = BATCH.unpack(packet.payloads[1]) if len(packet.payloads) > 1 else {}
        if fields.get("mark") != BATCH_MARK:
            return
        router, words = self._shape.nodes[packet.node][0], packet.payloads[2:]
        writes = self._writes(router, fields["entry"], fields["epoch"], words)

        def done(now: int) -> None:
            self._left -= 1

        due = now + self._rng.randint(0, SET_UP_PAUSE)
        self._events.at(due, lambda _: self._driver.port.ask_all(writes, done))

    def _writes(
        self, router: int, entry: int, epoch: int, words: Sequence[int]
    ) -> list[ConfigRequest]:
        """Return the requests that write an image, and COMMIT SETUP."""
        target = self._shape.target_of(router)
        commit = COMMIT.pack({"code": Code.SETUP, "entry": entry, "epoch": epoch})
        staged = [*enumerate(words, EngineWord.IMAGE), (EngineWord.COMMIT, commit)]
        return [ConfigRequest(target, address, True, word) for address, word in staged]

    def _start(self, group: GroupPlan, now: int) -> None:
        """Commit GO at the root."""
        self._starting += 1

        def done(now: int) -> None:
            self._starting -= 1

        writes = go_writes([group], self._shape, self._epochs)
        requests = [ConfigRequest(go.target, go.address, True, go.word) for go in writes]
        self._driver.port.ask_all(requests, done)


AT_ONCE = 4
"""Groups at once, at most."""
TRIES = 32
"""Draws that find no entries beside the file's groups alone, after which a group is given up."""
PAUSE = 60
"""Cycles from one set-up's begin to the next, at most."""
BEFORE_ARRIVAL = 100
"""Cycles from a set-up's begin to the first arrivals, at most; they wait for ``ready``."""
BEFORE_KILL = 300
"""Cycles from a set-up's end until a group is killed, at most."""
TIMEOUT = 50_000
"""Cycles without any progress, after which a group hangs."""
FEW = 6
"""Members of most groups, at most."""
MOST_EPISODES = 8
TO_KILL = 1 / 8
"""Share of groups that are killed."""
ENDLESS = 1000
"""Episodes of every other group that is killed: more than it has time for."""


class ChurnInstance(Instance):
    """A group that comes and goes.

    Attributes
    ----------
    manager : int
        Number of the manager that it is drawn for.
    to_kill : bool
        It is to be killed.
    since : int
        Cycle of its last progress.
    """

    group: GroupPlan
    manager = since = 0
    to_kill = False


class Churner(Instances[ChurnInstance]):
    """Sets groups up and ends them at random, by the programs of `sim.lifecycle`.

    Programs are performed one after another, while members of other groups have their barriers.

    Parameters
    ----------
    driver : EngineDriver
        Whose config port and inputs it uses.

    Attributes
    ----------
    outcome : ChurnOutcome
        The outcome so far.
    ended : int
        Groups that are over.
    """

    def __init__(self, driver: EngineDriver) -> None:
        super().__init__(driver, random.Random(f"{driver.scenario.seed}/churn"))
        self._network = network = driver.plan.spec.message_network
        self._software = lifecycle_of(network.shape)
        self._free = FreeEntries(network.shape)
        for group in driver.plan.engine_groups:
            self._free.hold(group)
        self._gids = free_gids(driver.plan.spec)
        self._events = EventQueue()
        self._programs: deque[Cycles[None]] = deque()
        self._ahead, self._vain = driver.scenario.churn, 0
        self._begun = False
        self._failed: int | None = None
        self.outcome = ChurnOutcome()
        self.ended = 0

    keeps = True

    @property
    def finished(self) -> bool:
        """Whether all groups are over."""
        return not self._ahead and not self.alive

    @property
    def progress(self) -> tuple[int, int]:
        """How many groups are over, and how many are asked for."""
        return self.ended, self._driver.scenario.churn

    def report(self, outcome: Outcome) -> None:
        """Add what became of the groups."""
        outcome.churn = self.outcome

    def stuck(self) -> str | None:
        """Return a group that makes no progress, if there is one."""
        now = self._model.cycle
        late = (gid for gid, instance in self.alive.items() if now > instance.since + TIMEOUT)
        gid = self._failed if self._failed is not None else next(late, None)
        return None if gid is None else f"group {gid}, which is to come and go, comes no further"

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which there is something to do."""
        return now if self._driver.settled and not self.finished else None

    def act(self, now: int, inputs: Inputs) -> None:
        """Do what is to be done in a cycle, all releases of which the model shows."""
        if not self._driver.settled:
            return
        self._now, self._inputs = now, inputs
        if not self._begun:
            self._begun = True
            self._create(now)
        for instance in self._released():
            instance.since = now
            if instance.arrivals.finished and not instance.to_kill:
                self._programs.append(self._tear_down(instance))
        self._events.step(now)
        self._arrive(ordered=True)
        if self._programs and self._failed is None:
            try:
                next(self._programs[0])
            except StopIteration:
                self._programs.popleft()

    def _create(self, now: int) -> None:
        """Begin a group, if there is room for one, and plan the next."""
        if len(self.alive) < AT_ONCE and self._gids:
            manager = self._rng.randrange(max(1, len(self._network.shape.managers)))
            drawn = self._draw(manager)
            if drawn is not None:
                self._begin(now, drawn, manager)
            elif not self.alive:
                self._vain += 1
            if drawn is not None or self._vain == TRIES:
                self._ahead, self._vain = self._ahead - 1, 0
                self.outcome.instances += 1
                self.outcome.given_up += drawn is None
                self.ended += drawn is None
        if self._ahead:
            self._events.at(now + self._rng.randint(1, PAUSE), self._create)

    def _draw(self, manager: int) -> GroupPlan | None:
        """Draw a group in entries of a manager's share; None if there are none, or no route."""
        rng, network = self._rng, self._network
        nodes = list(network.topology.nodes)
        most = min(len(nodes), FEW if rng.random() < 3 / 4 else len(nodes))
        members = tuple(rng.sample(nodes, rng.randint(2, most)))
        planner = {"link": "shortest", "routed": "btm"}[network.transport]
        op = rng.choice(network.operations_of(planner))
        group = GroupSpec(id=rng.choice(self._gids), members=members, op=op, planner=planner)
        name = self._driver.plan.spec.name
        try:
            plan = make_plan(NetworkSpec(name=name, network=network, groups=(group,)))
        except PlanError:
            return None
        return self._free.take(plan.engine_groups[0], manager)

    def _begin(self, now: int, group: GroupPlan, manager: int) -> None:
        rng, network = self._rng, self._network
        self._gids.remove(group.id)
        nodes = [network.topology.index(member) for member in group.members]
        to_kill, endless = rng.random() < TO_KILL, rng.random() < 1 / 2
        episodes = ENDLESS if to_kill and endless else rng.randint(1, MOST_EPISODES)
        number = len(self._driver.plan.groups) + self.outcome.instances
        mixed = Scenario(episodes=episodes, policy="mixed")
        instance = ChurnInstance(number, group, nodes, mixed, rng)
        instance.manager, instance.to_kill, instance.since = manager, to_kill, now
        self._enter(instance)
        targets = tuple(network.shape.target_of(router) for router in group.placement)
        places, entries = tuple(nodes), tuple(group.placement.values())
        created = Created(now, number, group.id, group.op, places, targets, episodes, entries)
        self._driver.acts.append(created)
        instance.arrivals.begin(now + rng.randint(1, BEFORE_ARRIVAL))
        self._programs.append(self._set_up(instance))

    def _take(self, instance: ChurnInstance, member: int) -> None:
        if not instance.arrivals.arrived[member]:
            came = Joined(self._now, instance.number, member, *instance.places[member])
            self._driver.acts.append(came)
        super()._take(instance, member)

    def _set_up(self, instance: ChurnInstance) -> Cycles[None]:
        start, sent, refused = self._now, self._sent(), self._software.refused
        self._order(instance, Command.SETUP)
        yield from self._perform_for(instance, self._software.set_up(instance.group))
        self.outcome.set_up(self._now - start, 2 * (self._sent() - sent))
        self.outcome.refused += self._software.refused - refused
        instance.since = self._now
        if instance.to_kill:
            at = self._now + self._rng.randint(0, BEFORE_KILL)
            self._events.at(at, lambda _: self._programs.append(self._kill(instance)))

    def _tear_down(self, instance: ChurnInstance) -> Cycles[None]:
        start = self._now
        yield from self._perform_for(instance, self._software.tear_down(instance.group))
        self.outcome.tear_down(self._now - start, int(bool(self._model.managers)))
        yield from self._end(instance)

    def _kill(self, instance: ChurnInstance) -> Cycles[None]:
        start, sent, instance.closed = self._now, self._sent(), True
        self._order(instance, Command.KILL)
        self.outcome.killed += 1
        yield from self._perform_for(instance, self._software.kill(instance.group))
        self.outcome.tear_down(self._now - start, 2 * (self._sent() - sent))
        while instance.inside:
            yield
        yield from self._end(instance)

    def _order(self, instance: ChurnInstance, command: Command) -> None:
        self._driver.acts.append(Commanded(self._now, instance.number, instance.manager, command))

    def _end(self, instance: ChurnInstance) -> Cycles[None]:
        """Read the status of a group's entries, which the check reads, and free them."""
        self._driver.acts.append(Removed(self._now, instance.number))
        shape, places = self._network.shape, instance.group.placement.items()
        reads = [commit_write(Code.READ, shape, *place, 0) for place in places]
        yield from self._perform_for(instance, ask_all(reads, "read when its group was over"))
        self._leave(instance)
        self._free.leave(instance.group)
        self._gids.append(instance.group.id)
        self.ended += 1

    def _perform_for(self, instance: ChurnInstance, steps: Steps[object]) -> Cycles[None]:
        try:
            yield from self._perform(steps)
        except FoundError:
            self._failed = instance.group.id
            while True:  # the run ends: this group comes no further
                yield
