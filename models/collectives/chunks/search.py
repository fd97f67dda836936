"""Schedules in chunks by every method, and the best of them for a size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from syncfabric.models.collectives.chunks.bounds import cut_of_parts, cuts_in_time
from syncfabric.models.collectives.chunks.checker import bound_of, check, least_latency, perform
from syncfabric.models.collectives.chunks.schedule import (
    MOST_HELD,
    Chunked,
    ChunkTask,
    Cut,
    Exchange,
    Schedule,
)
from syncfabric.models.collectives.clock import Clock, TimeUpError, check_seed_and_limit, tick
from syncfabric.models.collectives.methods import known, method, searches
from syncfabric.models.collectives.schedule import collector_off
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.plugins import guarded

FIRST = "shortest"
"""The method that is quick and always fits."""
DRAWN = ("paths", "greedy", "steps")
RESTARTS = 8
"""Of ``DRAWN``, where every share is for one rank."""
BOUND_SHARE = 0.5
"""Of the time limit, for the bound."""
AFTER = 0.5
"""Seconds to measure what was found, and for the bound of the fastest's own number of chunks."""
REST = 0.75
"""Of the time that a schedule's check takes: what writing its file and freeing memory take."""
MOST_SENDS = 2**21
"""Of a schedule; numbers of chunks that take more are left out."""


@dataclass(frozen=True)
class Found:
    """A schedule that the checker has found right.

    Parameters
    ----------
    method : str
    schedule : Schedule
    time : Fraction
        Nanoseconds.
    latency, time_of_a_byte : Fraction or None
        Nanoseconds without bytes; and a byte of the rank's buffer, without latencies. None: there
        was no time to measure them.
    """

    method: str
    schedule: Schedule
    time: Fraction
    latency: Fraction | None = None
    time_of_a_byte: Fraction | None = None

    def measured(self) -> Found:
        """Return it with latency and time of a byte."""
        schedule, topology = self.schedule, self.schedule.topology
        links = tuple(Link(Fraction(0), link.beta, link.lanes) for link in topology.links)
        timed = replace(schedule, topology=replace(topology, links=links))
        byte = perform(timed) / schedule.exchange.size
        return replace(self, latency=perform(schedule, Fraction(0)), time_of_a_byte=byte)

    @property
    def parts(self) -> int:
        """Parts of a share."""
        return self.schedule.exchange.parts


@dataclass(frozen=True)
class Result:
    """What was found, fastest first, and what no schedule is faster than."""

    found: tuple[Found, ...]
    bound: Fraction
    """Nanoseconds."""
    cut: Cut
    left_out: tuple[int, ...]
    """Numbers of chunks that were not tried."""

    @property
    def best(self) -> Found:
        """The fastest."""
        return self.found[0]

    @property
    def front(self) -> list[Found]:
        """Those that no other exceeds in latency and in time of a byte, least latency first."""
        kept, least = list[Found](), None
        measured = [
            (one.latency, one.time_of_a_byte, one)
            for one in self.found
            if one.latency is not None and one.time_of_a_byte is not None
        ]
        for _, byte, one in sorted(measured, key=lambda each: (*each[:2], each[2].parts)):
            if least is None or byte < least:
                kept.append(one)
                least = byte
        return kept or [self.best]


@collector_off()
def search(
    topology: Topology,
    kind: Chunked,
    size: int,
    parts: Sequence[int],
    *,
    root: int = 0,
    methods: Sequence[str] = (),
    seed: int = 1,
    time_limit: float = 60,
    progress: Callable[[str], None] = lambda _: None,
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Find schedules with each number of parts by each method.

    Parameters
    ----------
    topology : Topology
        With links.
    kind, size, root
        Of the exchange.
    parts : sequence of int
        Numbers of parts of a share, tried from the least on.
    methods : sequence of str, optional
        By default all.
    seed : int, optional
        Of ``greedy``.
    time_limit : float, optional
        Seconds after which what is not done is left out, of the bound half of that.
    progress : callable, optional
        Receives what is done next.
    stop : callable, optional
        Whether to leave out the rest.

    Raises
    ------
    SpecError
        A number is out of range, there is no such method, or none has a schedule.
    """
    check_seed_and_limit(seed, time_limit)
    methods = methods or searches(in_chunks=True)[1:]
    for name in methods:
        method(name, in_chunks=True)
    if topology.nodes < 2:
        raise SpecError(f"topology {topology.name}: a rank alone has nothing to send")
    exchange, clock = Exchange(kind, topology.nodes, size, 1, root), Clock(time_limit, stop)
    with clock.rules(BOUND_SHARE):
        cuts = cuts_in_time(exchange, topology)
    cut = max(cuts, key=lambda one: bound_of(exchange, topology, one))
    bound = max(bound_of(exchange, topology, cut), least_latency(exchange, topology))
    trials = _Trials(topology, exchange, seed, cut, clock, progress)
    best, left_out, least = trials.best, trials.left_out, min(parts)
    if FIRST in methods:
        trials.attempt(FIRST, least)
    for number in parts:
        for name in methods:
            if name != "exact" and (name, number) not in best:
                trials.limited(name, number, fits=number == least)
    # What takes long comes late, so that it takes no time from the others.
    for restart in range(1, RESTARTS if exchange.personal else 2):
        for name, number in sorted(best, key=lambda key: best[key].time):
            if name in DRAWN and exchange.personal and trials.time != bound:
                trials.limited(name, number, restart)
        for number in parts if restart == 1 and "exact" in methods else ():
            trials.limited("exact", number, fits=number == least)
    if not best and not left_out:
        raise SpecError(
            f"method {methods[0]}: it does not fit {kind} on topology {topology.name}; take"
            " another, or auto"
        )
    if not best:
        fewer = "fewer chunks, " * (max(left_out) > 1)
        other = "" if FIRST in methods else f", or the method {FIRST}"
        raise SpecError(
            f"topology {topology.name}: no schedule of {kind} was found in time with"
            f" {MOST_SENDS:,} sends at most; take {fewer}a longer time limit{other}"
        )
    found = sorted(best.values(), key=lambda one: (one.time, one.parts))
    with suppress(TimeUpError), clock.rules(least=AFTER):
        if found[0].time > bound:
            schedule = found[0].schedule
            own = cut_of_parts(schedule, cuts, found[0].time, bound)
            found[0] = replace(found[0], schedule=replace(schedule, of_parts=own))
        for number, one in enumerate(found):
            tick()
            found[number] = one.measured()
    return Result(tuple(found), bound, cut, tuple(left_out))


class _Trials:
    """The best schedule of each method and number of parts, and the numbers that were left out."""

    def __init__(
        self,
        topology: Topology,
        exchange: Exchange,
        seed: int,
        cut: Cut,
        clock: Clock,
        progress: Callable[[str], None],
    ) -> None:
        self._topology, self._exchange, self._seed = topology, exchange, seed
        self._cut, self._clock, self._progress = cut, clock, progress
        self._sends = exchange.count * (topology.nodes - 1)  # of all methods, in one part
        self._sends *= 1 + (exchange.combines and exchange.spreads)
        if exchange.personal:
            far = topology.distances
            self._sends = sum(int(far[a, b]) for (a,), (b,) in exchange.shares)
        self.best: dict[tuple[str, int], Found] = {}
        self.left_out: list[int] = []

    @property
    def time(self) -> Fraction | None:
        """Of the fastest, if there is one."""
        return min((one.time for one in self.best.values()), default=None)

    def limited(self, name: str, number: int, restart: int = 0, *, fits: bool = True) -> None:
        """Attempt it while there is time; ``fits``: whatever a rank then holds."""
        try:
            with self._clock.rules():
                tick()
                if not fits and self._exchange.count * number * self._exchange.ranks > MOST_HELD:
                    self._leave_out(number)
                else:
                    self.attempt(name, number, restart)
        except TimeUpError:
            if (name, number) not in self.best:
                self._leave_out(number)

    def attempt(self, name: str, number: int, restart: int = 0) -> None:
        """Make a schedule, check it, and keep it if it is faster."""
        if self._sends * number > MOST_SENDS:
            self._leave_out(number)
            return
        self._progress(f"{name}, {number} chunks")
        exchange = replace(self._exchange, parts=number) if number > 1 else self._exchange
        by = known(in_chunks=True)[name]
        task = ChunkTask(self._topology, exchange, self._seed, restart, self.time)
        with nullcontext() if by.own else guarded(f"method {name}", TimeUpError):
            sends = by.function(task)
        if not sends:
            return
        schedule = Schedule(self._topology, exchange, tuple(sends), self._cut)
        begun = self._clock.passed
        outcome = check(schedule)
        self._clock.reserve(REST * (self._clock.passed - begun))
        if outcome.broken:
            raise AssertionError(f"{name}: {outcome.wrong[0]}")
        before = self.best.get((name, number))
        if before is None or outcome.time < before.time:
            self.best[name, number] = Found(name, schedule, outcome.time)

    def _leave_out(self, number: int) -> None:
        if number not in self.left_out:
            self.left_out.append(number)
