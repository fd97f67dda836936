"""Barriers of every group on a board, counted and timed by its meter, beside what was planned."""

import random
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from syncfabric.fpga.host.host import Host, MeterReading, StreamReading, TrafficReading
from syncfabric.fpga.host.link import RefusedError
from syncfabric.fpga.host.set_up import check_plan, check_shape, set_up
from syncfabric.models.errors import BoardError, check_range
from syncfabric.models.golden.stream_results import checksum
from syncfabric.models.messages.host import SKEW_BOUNDS
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import combination
from syncfabric.sim.drive.scenario import Streaming
from syncfabric.sim.drive.stream_check import Expected
from syncfabric.sim.drive.streams import operand_seed
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.stream_result import StreamFlow, StreamMember, StreamResult
from syncfabric.sim.tables import Rows, table
from syncfabric.sim.vectors import StreamRequest
from syncfabric.sim.words import node_words

_POLLS = 1000


def check_streams(host: Host, plan: BarrierPlan) -> None:
    """Refuse a board whose streams are not those of a plan's network.

    Raises
    ------
    BoardError
        It has none, or others.
    """
    has, wanted = host.identity.streams, plan.spec.message_network.streams
    if has != wanted:
        raise BoardError(
            f"port {host.link.port}: the board has {has} channels of streams, and {plan.spec.name} "
            f"has {wanted}: load the bitstream of {plan.spec.name}"
        )


def perform_streams(
    host: Host, plan: BarrierPlan, request: StreamRequest, seed: int
) -> Iterator[tuple[StreamResult, list[str]]]:
    """Let every group with a stream perform one; all groups are set up.

    Parameters
    ----------
    host : Host
    plan : BarrierPlan
    request : StreamRequest
    seed : int
        Of operands.

    Yields
    ------
    StreamResult, list of str
        What it took, from the first beat of the member that is last; what is not as it must be.
    """
    for stream in request.streams(plan, seed):
        performed = _Performed(host, plan, stream)
        yield performed.result(request), performed.wrong


class _Performed:
    """A stream that members have performed: when they had it, and what is wrong."""

    def __init__(self, host: Host, plan: BarrierPlan, stream: Streaming) -> None:
        shape = plan.spec.message_network.shape
        layout, first = shape.router.stream, shape.entry_registers
        assert layout
        self._host, self._stream, self.wrong = host, stream, list[str]()
        self._group = next(group for group in plan.groups if group.id == stream.gid)
        places = [(node, register - first) for node, register in plan.endpoints(self._group)]
        before = [host.taken(*place) for place in places]
        for member, place in enumerate(places):
            words = stream.words if member in stream.gives else 0
            host.give(*place, operand_seed(stream, member), words, stream.head(member))
        self._begun, expected = host.begun() + 1, Expected(plan, layout, stream).words
        self._members = [
            self._member(member, self._look(place, old), checksum(words, 0, old.checksum))
            for member, (place, old) in enumerate(zip(places, before, strict=True))
            for words in (expected if member in stream.takes else expected[:0],)
        ]

    def _look(self, place: tuple[int, int], old: StreamReading) -> StreamReading | None:
        """Return what a sink has when another packet has come; None: none has."""
        looks = (self._host.taken(*place) for _ in range(_POLLS))
        return next((seen for seen in looks if seen.packets != old.packets), None)

    def _member(self, member: int, seen: StreamReading | None, must: int) -> StreamMember:
        node = self._group.members[member]
        if seen is None:
            self._say(f"the packet to {node_words(node)} has not come")
        elif seen.checksum != must:
            shown = f"{seen.checksum:#010x} and must be {must:#010x}"
            self._say(f"the checksum of {node_words(node)} is {shown}")
        if seen is None or member not in self._stream.takes:
            return StreamMember(node, None, None, None)
        first, last = ((at - self._begun) % (1 << 32) for at in (seen.first, seen.last))
        return StreamMember(node, None, first, last)

    def result(self, request: StreamRequest) -> StreamResult:
        """Return what it took."""
        bound = self._group.stream_bound
        firsts = [one.first for one in self._members if one.first is not None]
        lasts = [one.last for one in self._members if one.last is not None]
        came = len(firsts) == len(self._stream.takes)
        if came and bound is not None and max(firsts) > bound:
            self._say(f"the first word after {max(firsts)} cycles is above the bound {bound}")
        return StreamResult.of(
            self._group,
            StreamFlow((), 0, 1, (), (), tuple(self._members)),
            (max(firsts), max(lasts)) if came else None,
            kind=request.kind,
            op=request.op,
            words=self._stream.words,
            right=not self.wrong,
        )

    def _say(self, words: str) -> None:
        self.wrong.append(f"group {self._group.id}: {words}")


@dataclass(frozen=True)
class GroupMeasure:
    """One group's barriers on a board.

    Parameters
    ----------
    id, members : int
        The group, and how many take part.
    planner : str
        What planned it.
    asked : int
        Barriers that were begun.
    meter : MeterReading
        What the board counted.
    bound : int or None
        Most cycles that one may take; None beside traffic.
    wrong : tuple of str
        What is not as it must be.
    """

    id: int
    members: int
    planner: str
    asked: int
    meter: MeterReading
    bound: int | None
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class BoardResult:
    """All groups' barriers on a board, one group after the other.

    Parameters
    ----------
    network : str
    simulated : bool
        The board was a simulated one.
    groups : tuple of GroupMeasure
    rate : float
        Ordinary traffic, in flits a node a cycle.
    traffic : TrafficReading or None
        What came of it.
    cycles : int
        That the board has run since reset.
    streams : tuple of StreamResult
        Of groups with streams, where these were asked for.
    amiss : tuple of str
        What is not as it must be of streams.
    """

    network: str
    simulated: bool
    groups: tuple[GroupMeasure, ...]
    rate: float
    traffic: TrafficReading | None
    cycles: int
    streams: tuple[StreamResult, ...] = ()
    amiss: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is not as it must be."""
        wrong = self.traffic.wrong if self.traffic else 0
        flits = (f"traffic: {wrong:,} flits arrived wrong",) if wrong else ()
        barriers = (words for group in self.groups for words in group.wrong)
        return (*barriers, *self.amiss, *flits)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**asdict(self), "ok": not self.wrong}


def board_rows(result: BoardResult) -> Rows:
    """Return a table, a row a group: latencies in cycles, and barriers by skew of arrival."""

    def latency(group: GroupMeasure) -> str | None:
        meter = group.meter
        return f"{meter.last} / {meter.least} / {meter.greatest}" if meter.episodes else None

    columns: dict[str, Any] = {"group": "id", "members": "members", "planner": "planner"}
    columns |= {"episodes": lambda group: group.meter.episodes}
    columns |= {"latency\n(cycles)\nlast/least/most": latency, "bound\n(cycles)": "bound"}
    skews = ["skew\n(cycles)\n0", *(f"{a}–{b - 1}" for a, b in pairwise(SKEW_BOUNDS))]
    for place, skew in enumerate([*skews, f"{SKEW_BOUNDS[-1]}\nor more"]):
        columns[skew] = lambda group, place=place: group.meter.histogram[place] or ""
    return table(result.groups, columns)


METER = 0
"""One is enough: the groups have their barriers one after the other."""


def check_request(plan: BarrierPlan, episodes: int, traffic: float, seed: int) -> None:
    """Refuse what `measure` cannot do, before there is a board.

    Raises
    ------
    SpecError
        A number is out of range, or a board has nothing to do with the plan.
    """
    check_range("episodes", episodes, 1)
    check_range("traffic", traffic, 0, 1, "flits a node a cycle")
    check_range("seed", seed, 0, (1 << 31) - 1)
    check_plan(plan)


def measure(
    host: Host,
    plan: BarrierPlan,
    *,
    episodes: int = 100,
    traffic: float = 0.0,
    seed: int = 1,
    stream: StreamRequest | None = None,
    simulated: bool = False,
    progress: Progress = silent,
) -> BoardResult:
    """Set a plan up, and run barriers of every group, one group after the other.

    In a group's first barrier the members arrive by lines of the console, in random order and
    with random data; in all others together, with the same data.

    Parameters
    ----------
    host : Host
    plan : BarrierPlan
    episodes : int, >= 1
        Barriers of each group.
    traffic : float, 0 to 1
        Ordinary packets meanwhile, in flits a node a cycle. Then latencies have no bound.
    seed : int, >= 0
        Of order, data and packets.
    stream : StreamRequest, optional
        What every group with a stream performs after the barriers.
    simulated : bool
        What the result says of the board.
    progress : Progress
        Receives barriers that are done.

    Raises
    ------
    BoardError
        The board holds another network, has no sources of traffic, or refuses a word.
    SpecError
        An argument is not allowed.
    """
    check_request(plan, episodes, traffic, seed)
    check_shape(host, plan)
    if traffic and not host.identity.traffic:
        raise BoardError(f"port {host.link.port}: the board has no sources of traffic")
    if host.identity.traffic:
        host.traffic(0)
    if stream:
        stream.check(plan.spec)
        check_streams(host, plan)
    set_up(host, plan)
    if traffic:
        host.traffic(traffic, seed + 1)
    rng, total = random.Random(seed), episodes * len(plan.groups)
    measures = []
    for i, group in enumerate(plan.groups):
        runner = _Runner(host, plan, group, rng)
        for k in range(episodes):
            progress("simulate", i * episodes + k, total)
            if not runner.barrier(together=k > 0):
                break
        measures.append(runner.measured(bounded=not traffic))
    progress("simulate", total, total)
    streams = [*perform_streams(host, plan, stream, seed)] if stream else []
    if traffic:
        host.traffic(0)
    counts = host.traffic_counts() if traffic else None
    return BoardResult(
        plan.spec.name,
        simulated,
        tuple(measures),
        traffic,
        counts,
        host.cycle(),
        tuple(result for result, _ in streams),
        tuple(words for _, wrong in streams for words in wrong),
    )


class _Runner:
    """One group's barriers."""

    def __init__(self, host: Host, plan: BarrierPlan, group: GroupPlan, rng: random.Random) -> None:
        self._host, self._group, self._rng = host, group, rng
        self._endpoints = plan.endpoints(group)
        self._asked = 0
        self._wrong: list[str] = []
        self._expected = 0
        network = plan.spec.network
        host.watch(METER, self._endpoints)
        self._say_ready()
        if network.data_bits:
            data = [rng.getrandbits(network.data_bits) for _ in self._endpoints]
            for endpoint, word in zip(self._endpoints, data, strict=True):
                host.put(*endpoint, word)
            self._expected = combination(group.op, network.data_bits)(data)

    def barrier(self, *, together: bool) -> bool:
        """Run one; return whether it ended."""
        self._asked += 1
        if together:
            self._host.arrive_all(METER)
        else:
            for endpoint in self._rng.sample(self._endpoints, len(self._endpoints)):
                self._host.arrive(*endpoint)
        try:
            results = {self._host.wait(*endpoint) for endpoint in self._awaited(together)}
        except RefusedError as error:
            self._say(f"barrier {self._asked} did not end: {error}")
            return False
        if wrong := results - {self._expected}:
            self._say(
                f"result of barrier {self._asked} is {min(wrong):#x} and must be "
                f"{self._expected:#x}"
            )
        for _ in range(_POLLS):
            if self._host.episodes(METER) == self._asked:
                return True
        self._say(f"barrier {self._asked} was not counted")
        return False

    def _awaited(self, together: bool) -> list[tuple[int, int]]:
        """Return who is waited for: all at first, then one, as the meter sees the others."""
        return [self._rng.choice(self._endpoints)] if together else self._endpoints

    def measured(self, *, bounded: bool) -> GroupMeasure:
        """Return what came of them."""
        meter, group = self._host.meter(METER), self._group
        bound = group.bound if bounded else None
        self._check_meter(meter, bound)
        return GroupMeasure(
            group.id,
            len(group.members),
            group.planner,
            self._asked,
            meter,
            bound,
            tuple(self._wrong),
        )

    def _check_meter(self, meter: MeterReading, bound: int | None) -> None:
        counted = sum(meter.histogram)
        if counted != meter.episodes:
            self._say(f"{meter.episodes} episodes, but {counted} in the histogram")
        if bound is not None and meter.greatest is not None and meter.greatest > bound:
            self._say(f"greatest latency {meter.greatest} is above the bound {bound}")

    def _say_ready(self) -> None:
        for node, register in self._endpoints:
            if not any(self._host.ready(node, register) for _ in range(_POLLS)):
                raise BoardError(
                    f"port {self._host.link.port}: register {register} of node {node} does not "
                    f"become ready for group {self._group.id}"
                )

    def _say(self, words: str) -> None:
        self._wrong.append(f"group {self._group.id}: {words}")
