"""Schedules in chunks by every method, and the best of them for a size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil
from random import Random

from syncfabric.models.collectives.chunks.bounds import cut_of_parts, cuts_in_time
from syncfabric.models.collectives.chunks.checker import bound_of, check, least_latency, perform
from syncfabric.models.collectives.chunks.order import Route, along, greedy, shared_out, ways_of
from syncfabric.models.collectives.chunks.routing import routes_of, shortest
from syncfabric.models.collectives.chunks.schedule import (
    MOST_HELD,
    Chunked,
    Cut,
    Exchange,
    Schedule,
    Send,
    turned,
)
from syncfabric.models.collectives.chunks.slots import in_slots
from syncfabric.models.collectives.chunks.spanning import packed
from syncfabric.models.collectives.chunks.trees import Tree, best_trees
from syncfabric.models.collectives.clock import Clock, TimeUpError, check_seed_and_limit, tick
from syncfabric.models.collectives.schedule import collector_off
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError

METHODS = ("shortest", "trees", "spanning", "ring", "greedy", "paths", "exact")
DRAWN = ("paths", "greedy")
RESTARTS = 8
"""Of ``DRAWN``, where every share is for one rank."""
BOUND_SHARE = 0.5
"""Of the time limit, for the bound."""
AFTER = 0.5
"""Seconds to measure what was found, and for the bound of the fastest's own number of chunks."""
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
    methods: Sequence[str] = METHODS,
    seed: int = 1,
    time_limit: float = 60,
    told: Callable[[str], None] = lambda _: None,
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
        Of ``METHODS``.
    seed : int, optional
        Of ``greedy``.
    time_limit : float, optional
        Seconds after which what is not done is left out, of the bound half of that.
    told : callable, optional
        Is given what is done next.
    stop : callable, optional
        Whether to leave out the rest.

    Raises
    ------
    SpecError
        A number is out of range, or no method has a schedule.
    """
    check_seed_and_limit(seed, time_limit)
    if topology.nodes < 2:
        raise SpecError(f"topology {topology.name}: a rank alone has nothing to send")
    exchange, clock = Exchange(kind, topology.nodes, size, 1, root), Clock(time_limit, stop)
    with clock.rules(BOUND_SHARE):
        cuts = cuts_in_time(exchange, topology)
    cut = max(cuts, key=lambda one: bound_of(exchange, topology, one))
    bound = max(bound_of(exchange, topology, cut), least_latency(exchange, topology))
    trials = _Trials(exchange, _Makers(topology, exchange, seed), cut, clock, told)
    best, left_out, least = trials.best, trials.left_out, min(parts)
    if METHODS[0] in methods:  # is quick, and always there
        trials.attempt(METHODS[0], least)
    for number in parts:
        for method in methods:
            if method != "exact" and (method, number) not in best:
                trials.limited(method, number, fits=number == least)
    # What takes long comes late, so that it takes no time from the others.
    for restart in range(1, RESTARTS if exchange.personal else 2):
        for method, number in sorted(best, key=lambda key: best[key].time):
            if method in DRAWN and exchange.personal and trials.time != bound:
                trials.limited(method, number, restart)
        for number in parts if restart == 1 and "exact" in methods else ():
            trials.limited("exact", number, fits=number == least)
    if not best and not left_out:
        raise SpecError(
            f"method {methods[0]}: it does not fit {kind} on topology {topology.name}; take"
            " another, or auto"
        )
    if not best:
        fewer = "fewer chunks, " * (max(left_out) > 1)
        other = "" if METHODS[0] in methods else f", or the method {METHODS[0]}"
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
        exchange: Exchange,
        makers: _Makers,
        cut: Cut,
        clock: Clock,
        told: Callable[[str], None],
    ) -> None:
        self._exchange, self._makers, self._cut = exchange, makers, cut
        self._clock, self._told = clock, told
        self.best: dict[tuple[str, int], Found] = {}
        self.left_out: list[int] = []

    @property
    def time(self) -> Fraction | None:
        """Of the fastest, if there is one."""
        return min((one.time for one in self.best.values()), default=None)

    def limited(self, method: str, number: int, restart: int = 0, *, fits: bool = True) -> None:
        """Attempt it while there is time; ``fits``: whatever a rank then holds."""
        try:
            with self._clock.rules():
                tick()
                if not fits and self._exchange.count * number * self._exchange.ranks > MOST_HELD:
                    self._leave_out(number)
                else:
                    self.attempt(method, number, restart)
        except TimeUpError:
            if (method, number) not in self.best:
                self._leave_out(number)

    def attempt(self, method: str, number: int, restart: int = 0) -> None:
        """Make a schedule, check it, and keep it if it is faster."""
        if self._makers.sends * number > MOST_SENDS:
            self._leave_out(number)
            return
        self._told(f"{method}, {number} chunks")
        exchange = replace(self._exchange, parts=number) if number > 1 else self._exchange
        sends = self._makers.made(method, exchange, self.time, restart)
        if not sends:
            return
        schedule = Schedule(self._makers.topology, exchange, tuple(sends), self._cut)
        outcome = check(schedule)
        if outcome.broken:
            raise AssertionError(f"{method}: {outcome.wrong[0]}")
        before = self.best.get((method, number))
        if before is None or outcome.time < before.time:
            self.best[method, number] = Found(method, schedule, outcome.time)

    def _leave_out(self, number: int) -> None:
        if number not in self.left_out:
            self.left_out.append(number)


class _Makers:
    """The methods; what does not depend on the number of parts is found once."""

    def __init__(self, topology: Topology, exchange: Exchange, seed: int) -> None:
        self.topology, self._turned = topology, topology.reversed()
        self._owners, self._seed = exchange.owners, seed
        self._personal = exchange.personal
        self._paths: dict[tuple[Exchange, bool], list[Route] | None] = {}
        self.both = exchange.combines and exchange.spreads
        links = dict(zip(topology.channels, topology.links, strict=True))
        self._mirrored = all(links.get((b, a)) == link for (a, b), link in links.items())
        self.sends = exchange.count * (topology.nodes - 1) * (1 + self.both)
        """Of all methods, with one part of each share."""
        if self._personal:
            far = topology.distances
            self.sends = sum(int(far[a, b]) for (a,), (b,) in exchange.shares)

    def made(
        self, method: str, exchange: Exchange, below: Fraction | None, restart: int
    ) -> list[Send] | None:
        """Return a method's schedule; None where it does not fit, or is not below a time.

        Of what is for one rank alone some methods draw lots, another for each restart.
        """
        if method == "spanning":
            if not (self.both and self._spanning):
                return None
            taken = shared_out([weight for _, weight in self._spanning], exchange.items)
            routes = [self._spanning[nth][0] for nth in taken]
            return along(self.topology, routes, exchange.piece, parts=exchange.items, both=True)
        if self._personal != (method == "paths") and method not in ("shortest", "greedy", "exact"):
            return None
        made = list[Send]()
        for combine in (True, False):
            if not (exchange.combines if combine else exchange.spreads or exchange.personal):
                continue
            sends = self._leg(method, exchange, below, restart, combine=combine)
            if sends is None:
                return None
            made += turned(sends) if combine else sends
            if self.both and self._mirrored:  # it is the other leg, too
                return [*made, *sends]
        return made

    def _leg(
        self,
        method: str,
        exchange: Exchange,
        below: Fraction | None,
        restart: int,
        *,
        combine: bool,
    ) -> list[Send] | None:
        """Return the sends from every share's owner; to combine, on the reversed topology."""
        topology, piece = self._turned if combine else self.topology, exchange.piece
        ends = topology, exchange.ends(combine=combine), exchange.parts, piece
        if method == "shortest":
            return shortest(*ends)
        if method == "greedy":
            return greedy(*ends, self._seed + restart)
        if method == "exact":
            link = topology.links[0]
            slot = (link.alpha + link.beta * piece) * (1 + self.both)
            most = None if below is None else ceil(below / slot) - 1
            return in_slots(topology, exchange, combine, most, self._seed)
        ways = self._routes(method, exchange, restart, combine=combine)
        if ways is None:
            return None
        lots = Random(self._seed + restart) if restart > 1 else None
        return along(topology, ways, piece, parts=exchange.parts, both=False, rng=lots)

    def _routes(
        self, method: str, exchange: Exchange, restart: int, *, combine: bool
    ) -> list[Route] | None:
        """Return the route of each item; None where the method does not fit."""
        if method == "paths":
            key = exchange, bool(restart)
            if key not in self._paths:
                topology = self.topology
                self._paths[key] = routes_of(topology, exchange, self._seed, whole=key[1])
            return self._paths[key]
        trees = self._combining if combine else self._spreading
        if method == "ring":
            trees = _ring(self._turned if combine else self.topology, self._owners)
        return None if trees is None else _routes(trees, exchange)

    @cached_property
    def _spreading(self) -> list[Tree] | None:
        return best_trees(self.topology, self._owners)

    @cached_property
    def _combining(self) -> list[Tree] | None:
        return best_trees(self._turned, self._owners)

    @cached_property
    def _spanning(self) -> list[tuple[Route, float]]:
        return [(Route(edges[0][0], edges), rate) for edges, rate in packed(self.topology).trees]


def _ring(topology: Topology, owners: Sequence[int]) -> list[Tree] | None:
    """Return paths round the ranks by number; None if two have no way past switches alone."""
    ranks, ways = topology.nodes, {(way[0], way[-1]): way for way in ways_of(topology)}
    for step in (1, -1):
        ring = [ways.get((rank, (rank + step) % ranks)) for rank in range(ranks)]
        if found := [way for way in ring if way]:
            if len(found) < ranks:
                continue
            return [
                Tree(o, tuple(found[(o + step * n) % ranks] for n in range(ranks - 1)), 1)
                for o in owners
            ]
    return None


def _routes(trees: Sequence[Tree], exchange: Exchange) -> list[Route]:
    """Return the route of each item: an owner's parts take its trees by their weights."""
    owned: dict[int, list[Tree]] = {owner: [] for owner in exchange.owners}
    for tree in trees:
        owned[tree.owner].append(tree)
    found = []
    for owner, own in owned.items():
        routes = [Route(owner, tree.edges) for tree in own]
        found += [routes[n] for n in shared_out([tree.weight for tree in own], exchange.parts)]
    return found
