"""A running fabric as software sees it: time, requests, counters; and packets in phases."""

from collections import Counter
from collections.abc import Generator
from functools import singledispatch
from typing import Any, TypeVar

from syncfabric.models.messages.registers import Counter as Event
from syncfabric.models.messages.words import COUNTER_BITS
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.fabric.nodes import counter_names
from syncfabric.sim.fabric.program import Fabric, Happened, Wrong
from syncfabric.sim.lifecycle.effects import HANG, LOOK, Answer, Ask, FoundError, Steps
from syncfabric.sim.soak.groups import watch
from syncfabric.sim.soak.result import SoakPhase

T = TypeVar("T")
_COUNT = (1 << COUNTER_BITS) - 1


class Bench:
    """Drives a fabric.

    Attributes
    ----------
    cycle : int
        The next one.
    wrong : list of Wrong
        Everything that the scoreboard has reported.
    over : set of int
        Groups that have had their last barrier.
    packets : bool
        Whether the network has packets.
    """

    def __init__(self, fabric: Fabric, plan: BarrierPlan) -> None:
        self.fabric, self.plan, self.network = fabric, plan, plan.spec.network
        fabric.track()
        self.packets = self.network.channels > 0
        self.cycle = 0
        self.wrong: list[Wrong] = []
        self.over: set[int] = set()
        self._answered = False

    def play(self, cycles: int) -> Happened:
        """Go on, but no further than something happens; return what did."""
        happened = self.fabric.play(cycles)
        self.cycle = happened.cycle
        self.wrong += happened.wrong
        self.over.update(happened.over)
        self._answered |= happened.answered
        return happened

    def wait(self, cycles: int) -> None:
        """Go on for some cycles, whatever happens."""
        end = self.cycle + cycles
        while self.cycle < end:
            self.play(end - self.cycle)

    def performing(self, steps: Steps[T]) -> Generator[int, None, T]:
        """Perform a program; yield how many cycles may be played until it is resumed.

        Raises
        ------
        FoundError
            The program's, or the config port does not answer.
        """
        answers: list[Answer] | None = None
        while True:
            try:
                step = next(steps) if answers is None else steps.send(answers)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            answers, begin = [], self.cycle
            if isinstance(step, Ask):
                self._answered = not step.requests
                self.fabric.request(step.requests)
                while not self._answered:
                    if self.cycle - begin > HANG * len(step.requests):
                        raise FoundError("the config port does not answer")
                    yield HANG
                answers = self.fabric.answers()
            else:
                while (left := begin + step.cycles - self.cycle) > 0:
                    yield left

    def perform(self, steps: Steps[T]) -> T:
        """Perform a program to its end; see `performing`."""
        performing = self.performing(steps)
        while True:
            try:
                self.play(next(performing))
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]

    def watch(self, group: GroupPlan, bound: int = 0) -> None:
        """Have the scoreboard watch a group's members at their registers."""
        watch(self.fabric, self.plan, group, bound)

    def seed_packets(self, seed: int) -> None:
        """Seed the packet sources."""
        self.fabric.give([Stimulus(self.cycle, StimulusKind.LOAD, data=seed)])

    def set_rate(self, rate: float) -> None:
        """Have the sources send so many flits a node a cycle from now on."""
        on = int(rate > 0)
        self.fabric.give([Stimulus(self.cycle, StimulusKind.RATE, data=rate_word(rate), extra=on)])

    def drain(self, most: int) -> None:
        """Go on until no packet is in flight, or so many cycles have passed."""
        end = self.cycle + most
        while self.in_flight(self.fabric.report()) and self.cycle < end:
            self.wait(LOOK)

    @staticmethod
    def in_flight(rows: list[dict[str, int]]) -> int:
        """Return the packets in flight, by the rows of `Fabric.report`."""
        return sum(row["created"] - row["overflow"] - row["packets"] for row in rows)

    def wrong_packets(self) -> str:
        """Return what is wrong with packets when none should be in flight; empty: nothing."""
        rows = self.fabric.report() if self.packets else []
        if errors := sum(row["errors"] for row in rows):
            return f"packet sinks have counted {errors} errors"
        away = self.in_flight(rows)
        return f"{away} packets have not come" if away else ""

    def counters(self) -> Counter[str]:
        """Return the sum of all counters, by name."""
        return _counters(self.network, self.fabric)


@singledispatch
def _counters(network: Any, fabric: Fabric) -> Counter[str]:
    total: Counter[str] = Counter()
    for names, word in zip(counter_names(network), fabric.counted(), strict=True):
        for place, name in enumerate(names):
            total[name] += word >> place * COUNTER_BITS & _COUNT
    return total


@_counters.register
def _(network: StaticSpec, fabric: Fabric) -> Counter[str]:
    total: Counter[str] = Counter()
    for word in fabric.observed()[: len(network.topology.nodes)]:
        fields = network.observe.unpack(word)
        total.update({event.name: fields[event.name] for event in Event})
    return total


QUEUE = 64
"""Packets that wait at a source; what comes beyond that is not created."""
ABOVE = 1.0
"""Flits a node a cycle: more than any network takes."""
SHARES = (None, 0.0, 0.5, 1.0)
"""Of saturation, by phase; the first is offered `ABOVE`, which measures saturation."""
LONGEST = 12_500
"""Episodes of a phase, at most, up to `MOST` rounds."""
MOST = 20


class Phases:
    """Switches the traffic, and checks that no packet is lost.

    Parameters
    ----------
    episodes : int
        Of the whole soak.

    Attributes
    ----------
    draining : bool
        The sources are off, and their packets still in flight.
    """

    def __init__(self, bench: Bench, *, episodes: int, seed: int) -> None:
        self._bench, self._seed = bench, seed
        rounds = max(1, min(MOST, episodes // (len(SHARES) * LONGEST)))
        count = rounds * len(SHARES) if bench.packets else 1
        self._ends = [episodes * (i + 1) // count for i in range(count)]
        self._number = -1
        self._rate = self._saturation = 0.0
        self._begin = (0, 0, 0)  # of the phase: cycle, flits and packets so far
        self._moved = (0, 0)  # packets that have ended, and the cycle since which
        self.ended: list[SoakPhase] = []
        self.draining = False

    def begin(self) -> None:
        """Seed the sources, and begin with the first phase."""
        if self._bench.packets:
            self._bench.fabric.waits(HANG)
            self._bench.seed_packets(self._seed)
            self._bench.wait(WARM_CYCLES + 1)
        self._next()

    @property
    def over(self) -> bool:
        """Whether the last phase has ended, and all its packets have come."""
        return not self._bench.packets or self._number == len(self._ends)

    def step(self, done: int, *, quiet: bool) -> None:
        """Go on after ``done`` episodes; ``quiet`` if no group is being set up or torn down.

        Raises
        ------
        FoundError
            Packets are lost, or changed.
        """
        if self.over:
            return
        cycle, rows = self._bench.cycle, self._bench.fabric.report()
        for node, row in enumerate(rows):
            if row["errors"]:
                raise FoundError(
                    f"the packet sink of node {node} has counted {row['errors']} errors"
                )
        total = sum(row["packets"] for row in rows)
        if not self.draining:
            if done >= self._ends[self._number]:
                self._end()
                self._switch(0.0)
                self.draining, self._moved = True, (total, cycle)
            return
        in_flight = self._bench.in_flight(rows)
        if total != self._moved[0]:
            self._moved = (total, cycle)
        held = {link: flits for link, (flits, _) in self._bench.fabric.in_flight().items() if flits}
        if not in_flight and quiet and not held:
            self.draining = False
            self._next()
        elif cycle - self._moved[1] > HANG:
            if in_flight:
                raise FoundError(
                    f"{in_flight} packets have not come out of a network without traffic"
                )
            if quiet:
                link, flits = next(iter(held.items()))
                raise FoundError(f"no packet is in flight, and link {link} holds {flits} flits")

    def _counts(self) -> tuple[int, int, int]:
        rows = self._bench.fabric.report()
        flits, packets = (sum(row[name] for row in rows) for name in ("flits", "packets"))
        return self._bench.cycle, flits, packets

    def _end(self) -> None:
        pairs = zip(self._counts(), self._begin, strict=True)
        cycles, flits, packets = (now - then for now, then in pairs)
        accepted = flits / len(self._bench.network.topology.nodes) / max(1, cycles)
        if not self.ended:
            self._saturation = accepted
        self.ended.append(SoakPhase(self._rate, accepted, cycles, packets))

    def _next(self) -> None:
        self._number += 1
        if not self.over:
            share = SHARES[self._number % len(SHARES)]
            self._begin = self._counts()
            self._switch(ABOVE if share is None else share * self._saturation)

    def _switch(self, rate: float) -> None:
        self._rate = rate
        self._bench.set_rate(rate)
