"""What a bench is asked to do, and what it hands back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from syncfabric.models.layout.streams import HEAD
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.patterns import Pattern
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.static.operations import Collective, CollectiveOutcome
from syncfabric.sim.results import Mismatch
from syncfabric.sim.stream_result import StreamFlow

NUMBER_BITS = 20
"""Low bits of every flit of data: the number of the packet."""

Mode = Literal["barriers", "ordered", "free"]
"""When packets go: see `Replay`."""


class Send(NamedTuple):
    """A packet; its number is its place in `Replay.sends`, and ``step`` counts from 0.

    ``source`` and ``target`` are numbers of nodes, which are ports of processors; it can go when
    the packets that it ``needs`` have come in.
    """

    step: int
    source: int
    target: int
    channel: int
    payloads: Sequence[int]
    needs: Sequence[int]


@dataclass(frozen=True)
class Replay:
    """Packets of a schedule.

    Parameters
    ----------
    sends : tuple of Send
        Those of a port in the order in which it sends them.
    processors : tuple of int
        The processor that each node of the network is a port of.
    steps : int
    mode : str
        ``barriers``: a processor sends its packets of a step when it is released from the barrier
        before it, and arrives when all packets for it have come in; the one group has a member of
        each processor, in their order, and ``steps`` - 1 episodes. ``ordered``: each port sends
        its packets one after the other, as soon as what they need has come in. ``free``: likewise,
        but no packet waits for one before it.
    """

    sends: tuple[Send, ...]
    processors: tuple[int, ...]
    steps: int
    mode: Mode


class Crossing(NamedTuple):
    """A packet on a link, by their numbers, and the cycles of its head and of its tail there."""

    number: int
    link: int
    first: int
    last: int


@dataclass
class ReplayOutcome:
    """What became of a schedule's packets.

    Parameters
    ----------
    due : list of int
        By packet: the cycle in which it could go, and its port had it to send.
    begins : list of int
        The cycle in which the first processor begins each step; with ``barriers`` only.
    crossings : list of Crossing
        As the hardware's links showed them.
    """

    due: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)


def data_flits(number: int, count: int) -> list[int]:
    """Return the payloads of a packet's data, different from any other packet's."""
    return [place << NUMBER_BITS | number for place in reversed(range(count))]


Policy = Literal["last", "late", "together", "back_to_back", "skew", "mixed"]
"""When members arrive: see ``Scenario``."""


class Sending(NamedTuple):
    """A packet of a node's software: cycles after the groups begin, and all its payloads."""

    cycle: int
    node: int
    channel: int
    payloads: Sequence[int]


class Streaming(NamedTuple):
    """A stream of a group, whose operands follow from a seed.

    ``gives`` and ``takes`` are members by their places in the group; ``size`` is the number of
    bytes of the last word that count, 0 for all. ``instance`` counts how often the group has been
    killed before.
    """

    gid: int
    function: int
    type: int
    words: int
    size: int
    gives: Sequence[int]
    takes: Sequence[int]
    seed: int
    instance: int = 0

    def head(self, member: int) -> int:
        """Return the head of a member's packet."""
        fields = {"function": self.function, "type": self.type, "takes": member in self.takes}
        return HEAD.pack(fields)


@dataclass(frozen=True)
class Scenario:
    """One run of a network, from reset until everything is quiet.

    Parameters
    ----------
    episodes : int
        Barriers of each group.
    seed : int
        Of everything random: arrivals, data and traffic.
    background : float
        Ordinary traffic, in flits a node a cycle.
    policy : Policy
        ``last``: in episode e, member e mod n arrives after all others, which come within
        ``jitter`` cycles. ``late``: it arrives ``jitter`` cycles after all others, which come in
        one cycle (paper Reflex, Fig. 7). ``together``: all in one cycle. ``back_to_back``: each in
        the very cycle of its release. ``skew``: each within ``jitter`` cycles of its release.
        ``mixed``: any of the last three and the first, drawn for each episode.
    jitter : int
        See ``policy``.
    lead_in : int
        Cycles of traffic before the first arrival.
    noise : bool
        Illegal stimuli, too: second arrivals, writes of busy registers, and the like.
    cycles : int
        Least number of cycles before the traffic ends.
    limit : int
        Cycles after which the run is given up as a hang.
    churn : int
        Further groups that come and go when all groups have had their episodes; these go on with
        more until the last of them is over. Not together with ``noise``.
    scheme : str
        How the one group synchronizes, each time in a quiet network: a name of
        ``sim/drive/schemes.py``; empty: as the other options say.
    eager : bool
        With ``setup = "paper"``: the root's member starts its group as soon as its own router's
        engine is set up, not when all are.
    packets : tuple of Sending
        Packets that nodes' software sends; with ``noise``, pauses between their flits.
    collectives : tuple of Collective
        What groups of a static network do in place of barriers, ``episodes`` times each; those of
        one group in turn. The other groups have barriers until all is over.
    replay : Replay, optional
        A schedule that nodes' software plays; of one group.
    streams : tuple of Streaming
        Streams of groups, in an order that all members keep; a member begins with one up to
        ``jitter`` cycles after the last. Those of a group that has been killed come when all groups
        have begun with all others.
    stalls : (int, int)
        Of 256 cycles, in how many at most processes pause in sending and in taking.
    kills : tuple of (int, int)
        Groups that are killed, which have no barriers, and set up again: GID, and cycles after all
        groups begin.
    pattern : Pattern, optional
        Where packets of the traffic go; by default to random nodes.
    """

    episodes: int = 10
    seed: int = 1
    background: float = 0.0
    policy: Policy = "last"
    jitter: int = 16
    lead_in: int = 500
    noise: bool = False
    cycles: int = 0
    limit: int = 2_000_000
    churn: int = 0
    scheme: str = ""
    eager: bool = False
    packets: tuple[Sending, ...] = ()
    collectives: tuple[Collective, ...] = ()
    replay: Replay | None = None
    streams: tuple[Streaming, ...] = ()
    stalls: tuple[int, int] = (0, 0)
    kills: tuple[tuple[int, int], ...] = ()
    pattern: Pattern | None = None


@dataclass(frozen=True)
class Job:
    """Plans of one network and scenarios, one after the other, with a reset before each.

    Parameters
    ----------
    runs : tuple of (BarrierPlan, Scenario)
    chunk : int
        Cycles that the model runs ahead of the hardware.
    coverage : bool
        Measure functional coverage.
    log : str, optional
        CSV file for packets and messages of all runs.
    """

    runs: tuple[tuple[BarrierPlan, Scenario], ...]
    chunk: int = 256
    coverage: bool = False
    log: str | None = None


@dataclass(frozen=True)
class GroupOutcome:
    """One group's barriers: cycles from last arrival to last release, episode by episode.

    ``latency`` is the hardware's, as far as it went; ``setup`` the cycles and packets that its
    set-up took, if packets set it up.
    """

    id: int
    latency: list[int]
    model_latency: list[int]
    setup: tuple[int, int] | None = None


@dataclass(frozen=True)
class TrafficOutcome:
    """What became of the ordinary packets.

    Parameters
    ----------
    accepted : float
        Flits ejected a node a cycle while the sources were on, from the end of the lead-in.
    packets : int
        Packets ejected, the draining at the end included.
    latency, network_latency : list of int
        Cycles from creation, and from the head's injection, to the tail's ejection, by packet.
    saturated : bool
    """

    accepted: float = 0.0
    packets: int = 0
    latency: list[int] = field(default_factory=list)
    network_latency: list[int] = field(default_factory=list)
    saturated: bool = False


@dataclass
class SchemeOutcome:
    """What each episode of a scheme took.

    ``cycles`` are from the last arrival to the last release; ``between`` and ``beside`` count the
    links between switches, and of nodes, that flits and messages went over.
    """

    cycles: list[int] = field(default_factory=list)
    between: list[int] = field(default_factory=list)
    beside: list[int] = field(default_factory=list)


@dataclass
class ChurnOutcome:
    """What became of groups that come and go, and what set-ups and teardowns took."""

    instances: int = 0
    killed: int = 0
    refused: int = 0
    given_up: int = 0
    set_up_cycles: list[int] = field(default_factory=list)
    set_up_packets: list[int] = field(default_factory=list)
    tear_down_cycles: list[int] = field(default_factory=list)
    tear_down_packets: list[int] = field(default_factory=list)

    def set_up(self, cycles: int, packets: int) -> None:
        """Count a set-up."""
        self.set_up_cycles.append(cycles)
        self.set_up_packets.append(packets)

    def tear_down(self, cycles: int, packets: int) -> None:
        """Count a tear-down."""
        self.tear_down_cycles.append(cycles)
        self.tear_down_packets.append(packets)


@dataclass(frozen=True)
class StreamOutcome:
    """What became of a stream: cycles.

    Parameters
    ----------
    begins : tuple of int, by member
        In which it has offered its first beat; -1 for a stream whose group was killed before.
    first, last : int
        In which the last of the members that take the result has taken the first beat of it, and
        the last; -1 likewise.
    flow : StreamFlow, optional
        Of all streams of the group.
    """

    begins: tuple[int, ...]
    first: int = -1
    last: int = -1
    flow: StreamFlow | None = None

    @property
    def begun(self) -> int:
        """In which the last member has offered its first beat."""
        return max(self.begins)


@dataclass
class Outcome:
    """What a scenario found; each of its parts adds what it has measured.

    Parameters
    ----------
    cycles : int
        Cycles simulated.
    seconds : float
        Wall-clock time.
    mismatches : list of Mismatch
        Differences between hardware and model, and rules that the hardware breaks.
    hang : str, optional
        What does not come to an end.
    groups : list of GroupOutcome
    traffic : TrafficOutcome
    counters : tuple of int, optional
        Overflow, stray, refused arrivals, refused writes; None if they were not read.
    clocked : list of int
        Edges that each router's clock had since reset; empty where clocks have no gates.
    messages, releases : int
        Synchronization messages that reached their destination, and members released.
    loads : dict of int to float
        Flits a cycle of each link that saw any, by its number; see ``sim/assemble/links.py``.
    coverage : dict of str to int
        Hits of each coverage bin.
    churn, scheme, collectives, replay, streams
        Of scenarios with these; collectives and streams in the order of the scenario's.
    """

    cycles: int
    seconds: float
    mismatches: list[Mismatch]
    hang: str | None
    groups: list[GroupOutcome]
    traffic: TrafficOutcome
    counters: tuple[int, int, int, int] | None
    loads: dict[int, float]
    clocked: list[int] = field(default_factory=list)
    messages: int = 0
    releases: int = 0
    coverage: dict[str, int] = field(default_factory=dict)
    churn: ChurnOutcome | None = None
    scheme: SchemeOutcome | None = None
    collectives: list[CollectiveOutcome] = field(default_factory=list)
    replay: ReplayOutcome | None = None
    streams: list[StreamOutcome] = field(default_factory=list)


def timeout_of(plan: BarrierPlan) -> int | None:
    """Return by how many cycles a group's first arrival may come before its last.

    Returns
    -------
    int or None
        What the watchdog leaves of its period when a member has been released at the beginning of a
        release that takes as long as a barrier, and waits for the end of the next; at least 0.
        None if no watchdog looks at any group.
    """
    if not (plan.engine_groups and plan.spec.network.watchdog):
        return None
    network = plan.spec.message_network
    longest = max(group.bound for group in plan.engine_groups)
    return max(0, network.shape.router.layout.entries * network.watchdog - 2 * longest)  # E8


def free_gids(spec: NetworkSpec) -> list[int]:
    """Return the group numbers that a network's own groups leave."""
    return sorted(set(range(256)) - {group.id for group in spec.groups})
