"""Software of groups with operations in place of barriers: members' programs (R9), and routes."""

import heapq
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import add, and_, or_, xor

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.static_routes import through_cores
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.arrivals import GroupArrivals
from syncfabric.sim.drive.driver import Inputs, Program
from syncfabric.sim.drive.static.driver import StaticDriver
from syncfabric.sim.drive.static.operations import (
    FROM_ROOT,
    HIGHEST_FIRST,
    THROUGH_CORES,
    Collective,
    Shape,
    asked_of,
    check_collectives,
    network_of,
    words_of,
)
from syncfabric.sim.drive.trace import Turn

Passes = Callable[[int, int], int | None]
"""What is sent on for a flit, by its place in the stream; None: nothing."""
COMBINE: dict[str, Callable[[int, int], int]] = {
    **{"sum": add, "or": or_, "and": and_, "xor": xor, "max": max, "min": min}
}


def _nothing(place: int, flit: int) -> None:
    """Pass nothing on."""


@dataclass
class Core:
    """Sends what is its own, reads what is due, and passes on what it changes.

    A member has a register for one flit: it takes the next when it is done with the last, and has
    sent on what came of it, or does in the cycle. The root takes every flit, for no other closes
    the ring.

    Parameters
    ----------
    now : int
        The cycle in which the operation begins here.
    sends : sequence of int
        Flits of its own, one a cycle from ``now`` on.
    reads : int
        Flits that it reads.
    kept : range
        Places of those that are its result.
    passes : Passes
    work : int
        Cycles that a flit takes it.
    root : bool

    Attributes
    ----------
    result : list of int
        The flits of its result, as far as it has read them.
    """

    now: int
    sends: Sequence[int] = ()
    reads: int = 0
    kept: range = range(0)
    passes: Passes = _nothing
    work: int = 0
    root: bool = False

    def __post_init__(self) -> None:
        self._hand = deque((self.now, flit) for flit in self.sends)
        self._read, self._free = 0, self.now
        self.result: list[int] = []

    @property
    def finished(self) -> bool:
        """Whether it has read and sent everything."""
        return self._read == self.reads and not self._hand

    def next_cycle(self, now: int, *, arrived: bool, credit: bool) -> int | None:
        """Return the cycle, from ``now`` on, in which it acts if nothing else happens."""
        if arrived and self._takes():
            return max(now, self._free)
        return max(now, self._hand[0][0]) if credit and self._hand else None

    def step(self, now: int, flit: int | None, *, credit: bool) -> tuple[bool, int | None]:
        """Act in a cycle; return whether it takes the core buffer's front, and what it sends.

        Parameters
        ----------
        now : int
        flit : int or None
            The front of the core buffer.
        credit : bool
            The injection link takes a flit.
        """
        send: int | None = None
        if credit and self._hand and self._hand[0][0] <= now:
            _, send = self._hand.popleft()
        if flit is None or not self._takes() or now < self._free:
            return False, send
        if self._read in self.kept:
            self.result.append(flit)
        onward = self.passes(self._read, flit)
        self._read += 1
        if not self.root:
            self._free = now + self.work
        if onward is not None:
            if credit and send is None and not self.work and not self._hand:
                send = onward
            else:
                self._hand.append((now + self.work, onward))
        return True, send

    def _takes(self) -> bool:
        return self._read < self.reads and (self.root or not self._hand)


def core_of(asked: Collective, shape: Shape, member: int, words: Sequence[int], now: int) -> Core:
    """Return a member's software in an operation that begins here in cycle ``now``."""
    root, size = shape.order[0], asked.flits
    at_root = member == root
    if asked.kind in FROM_ROOT:
        to = [root]
        if asked.kind == "scatter":
            to = sorted(shape.order[1:])
        stream = [flit for other in to for flit in _split(words[other], asked, shape.bits)]
        if at_root:
            return Core(now, sends=stream, reads=len(stream) if shape.ring else 0, root=True)
        first = size * to.index(member) if asked.kind == "scatter" else 0
        return Core(now, reads=len(stream), kept=range(first, first + size))
    own, twice = _split(words[member], asked, shape.bits), asked.kind == "allreduce"
    if at_root:
        passes = (lambda _, flit: flit) if twice else _nothing
        return Core(now, own, size, range(size), passes, asked.work, root=True)
    reads = 2 * size if twice else size
    passes = _token(own, asked, shape.bits, last=member == shape.order[-1])
    return Core(now, reads=reads, kept=range(size, reads), passes=passes, work=asked.work)


def joined(flits: Sequence[int], asked: Collective, flit_bits: int) -> int:
    """Return the word that flits make, in the order in which they came."""
    order = flits if asked.op in HIGHEST_FIRST else reversed(flits)
    word = 0
    for flit in order:
        word = word << flit_bits | flit
    return word


def _split(word: int, asked: Collective, flit_bits: int) -> list[int]:
    """Return a word's flits in the order in which they are sent."""
    mask = (1 << flit_bits) - 1
    flits = [word >> flit_bits * place & mask for place in range(asked.flits)]
    return flits[::-1] if asked.op in HIGHEST_FIRST else flits


def _token(own: Sequence[int], asked: Collective, flit_bits: int, *, last: bool) -> Passes:
    """Combine what comes first with one's own; then pass the result on, but not to the root.

    A flit of the result follows from the flits so far: low ones of a sum, high ones of a choice.
    """
    ours = theirs = 0

    def on(place: int, flit: int) -> int | None:
        nonlocal ours, theirs
        if place >= len(own):
            return None if last else flit
        above = 0
        if asked.op in HIGHEST_FIRST:
            ours, theirs = ours << flit_bits, theirs << flit_bits
        else:
            above = flit_bits * place
        ours, theirs = ours | own[place] << above, theirs | flit << above
        return COMBINE[asked.op](ours, theirs) >> above & (1 << flit_bits) - 1

    return on


class _Course:
    """A group, its members' software, and when each begins an operation.

    ``events`` gets (cycle, number, member) where a member begins an operation.
    """

    def __init__(
        self,
        driver: StaticDriver,
        group: GroupPlan,
        asked: Sequence[tuple[int, Collective]],
        number: int,
        events: list[tuple[int, int, int]],
    ) -> None:
        network, self._driver, self._scenario = network_of(driver.plan), driver, driver.scenario
        self._group, self._asked, self._number, self._events = group, asked, number, events
        self.id = group.id
        self._shape = Shape.of(network, group)
        self.nodes = [network.topology.index(node) for node in group.members]
        self._cores: dict[int, Core] = {}
        self._phase = 0
        self._ended: list[tuple[int, int | None]] = []
        self._rng = random.Random(f"{self._scenario.seed}/{group.id}")
        self.waits = False  # for other routes
        self._arrivals = self._plan()

    @property
    def finished(self) -> bool:
        """Whether everything asked for is done."""
        return self._phase == len(self._asked)

    @property
    def done(self) -> int:
        """Operations that all members have ended."""
        over = self._phase * self._scenario.episodes
        return over if self.finished else over + len(self._arrivals.latency)

    @property
    def loaded(self) -> GroupPlan:
        """The group with its routes as they have to be for what it does now."""
        asked = self._asked[min(self._phase, len(self._asked) - 1)][1]
        return through_cores(self._group) if asked.kind in THROUGH_CORES else self._group

    def open(self, cycle: int) -> None:
        """Begin what is asked for, the routes being loaded."""
        self.waits = False
        self._arrivals.begin(cycle)

    def begin(self, now: int, member: int) -> None:
        """Let a member begin its next operation."""
        place, asked = self._asked[self._phase]
        operation = self._arrivals.arrived[member]
        words = words_of(self._scenario.seed, place, operation, self._shape, asked.flits)
        self._cores[member] = core_of(asked, self._shape, member, words, now)
        self._arrivals.took(now, member)
        self._driver.acts.append(Turn(now, self._number, member))

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which a member acts or has ended."""
        if self._ended:
            return now
        model, cycles = self._driver.model, []
        for member, core in self._cores.items():
            node = self.nodes[member]
            arrived, credit = model.received(node) is not None, model.send_ready(node)
            cycles.append(core.next_cycle(now, arrived=arrived, credit=credit))
        return min((cycle for cycle in cycles if cycle is not None), default=None)

    def end(self, now: int) -> None:
        """Note the members that have ended an operation in the cycle before."""
        ended, self._ended = self._ended, []
        for member, word in ended:
            self._driver.acts.append(Turn(now, self._number, member, True, word))
            self._arrivals.release(now, member)
        if self._arrivals.finished and not self.finished and not self.waits:
            before = self.loaded.routes()
            self._phase += 1
            if not self.finished:
                self._arrivals = self._plan()
                self.waits = self.loaded.routes() != before
                if not self.waits:
                    self.open(now)

    def act(self, now: int, inputs: Inputs) -> None:
        """Let the members' software act; add what it does to a cycle's inputs."""
        model, stimuli = self._driver.model, self._driver.stimuli
        for member, core in list(self._cores.items()):
            node = self.nodes[member]
            takes, flit = core.step(now, model.received(node), credit=model.send_ready(node))
            if takes:
                inputs.take.append(node)
                stimuli.append(Stimulus(now, StimulusKind.TAKE, node))
            if flit is not None:
                inputs.send[node] = flit
                stimuli.append(Stimulus(now, StimulusKind.SEND, node, flit))
            if core.finished:
                del self._cores[member]
                asked = self._asked[self._phase][1]
                word = joined(core.result, asked, self._shape.bits) if core.result else None
                self._ended.append((member, word))

    def _plan(self) -> GroupArrivals:
        endpoints = [(node, 0) for node in self.nodes]
        return GroupArrivals(
            self._group,
            endpoints,
            self._scenario,
            self._rng,
            lambda cycle, member: heapq.heappush(self._events, (cycle, self._number, member)),
        )


class StaticSoftware(Program):
    """Steps the members' programs, and has routes loaded when a group needs others.

    Parameters
    ----------
    driver : StaticDriver

    Raises
    ------
    SpecError
        What is asked for cannot be done.
    """

    keeps = True

    def __init__(self, driver: StaticDriver) -> None:
        plan, asked = driver.plan, driver.scenario.collectives
        check_collectives(plan, asked)
        self._driver = driver
        self._events: list[tuple[int, int, int]] = []
        self._courses = [
            _Course(driver, group, each, number, self._events)
            for number, (group, each) in enumerate(asked_of(plan, asked))
        ]
        self._loading = list(self._courses)
        driver.loading = [course.loaded for course in self._courses]

    @property
    def finished(self) -> bool:
        """Whether all operations are over."""
        return all(course.finished for course in self._courses)

    @property
    def progress(self) -> tuple[int, int]:
        """Operations that are over, and those asked for."""
        scenario = self._driver.scenario
        asked = scenario.episodes * len(scenario.collectives)
        return sum(course.done for course in self._courses), asked

    def unfinished(self) -> list[int]:
        """Return the groups whose operations are not over."""
        return [course.id for course in self._courses if not course.finished]

    def start(self, now: int) -> int:
        """Let all begin whose routes have just been loaded."""
        loaded, self._loading = self._loading, []
        for course in loaded:
            course.open(now)
        return now

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which a program acts."""
        if self._driver.begin_cycle is None:
            return None
        ahead = [course.next_cycle(now) for course in self._courses]
        if self._events:
            ahead.append(max(now, self._events[0][0]))
        if not self._loading and any(course.waits for course in self._courses):
            ahead.append(now)
        return min((cycle for cycle in ahead if cycle is not None), default=None)

    def act(self, now: int, inputs: Inputs) -> None:
        """Let members end, begin and act, and load the routes that their groups wait for."""
        driver = self._driver
        if driver.begin_cycle is None:
            return
        if not driver.loads:
            self.start(now)
        for course in self._courses:
            course.end(now)
        while self._events and self._events[0][0] <= now:
            _, number, member = heapq.heappop(self._events)
            self._courses[number].begin(now, member)
        for course in self._courses:
            course.act(now, inputs)
        if not driver.loads:
            self._loading = [course for course in self._courses if course.waits]
            if self._loading:
                driver.load([course.loaded for course in self._loading])
