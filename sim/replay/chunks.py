"""A schedule in chunks on hardware: each send a packet, gone as soon as its data have come."""

from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from syncfabric.models.collectives.chunks.checker import Outcome, bound_of, check
from syncfabric.models.collectives.chunks.schedule import Exchange, Schedule
from syncfabric.models.collectives.topology import Link, Topology
from syncfabric.models.errors import SpecError, about
from syncfabric.sim.drive.run import verdict_of
from syncfabric.sim.drive.scenario import Replay, Send, data_flits
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.replay.packets import MOST_BYTES, Packets, check_queues, routed
from syncfabric.sim.replay.replay import cycles_of, run
from syncfabric.sim.replay.routes import FLIT_BITS, MOST_PORTS, fabric_of
from syncfabric.sim.request import check_simulator

FLIT_BYTES = FLIT_BITS // 8


def chunk_packets(schedule: Schedule, ports: int | None = None) -> Packets:
    """Make packets of the sends of a right schedule.

    A send takes the port of its rank that belongs to its first channel, its receiver's that of the
    last; ranks with fewer ports than channels share them by turns.

    Parameters
    ----------
    ports : int, optional
        Ports that a rank has at most; by default one a channel, if switches have room for them.

    Raises
    ------
    SpecError
        It cannot be played on routers of an irregular network; the message says why.
    """
    topology, exchange, sends = schedule.topology, schedule.exchange, schedule.sends
    flits = -(-exchange.piece.numerator // (exchange.piece.denominator * FLIT_BYTES))
    if flits * FLIT_BYTES > MOST_BYTES:
        raise SpecError(
            f"schedule: a chunk has {float(exchange.piece):,.0f} bytes, but a packet {MOST_BYTES:,}"
            " at most; take fewer bytes, or more chunks"
        )
    fabric = fabric_of(topology, _ports(topology, ports))
    first = fabric.first
    out: dict[tuple[int, int], int] = {}
    into: dict[tuple[int, int], int] = {}
    for rank in range(topology.nodes):
        count = first[rank + 1] - first[rank]
        for nth, other in enumerate(topology.successors[rank]):
            out[rank, other] = first[rank] + nth % count
        for nth, other in enumerate(topology.sources[rank]):
            into[other, rank] = first[rank] + nth % count
    ends = [(out[path[0], path[1]], into[path[-2], path[-1]]) for _, path, _ in sends]
    paths = [path for _, path, _ in sends]
    routes, free, flit_bits, header = routed(fabric, paths, ends, kept=False)
    came: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    made: list[Send] = []
    for number, (send, pair, route, channel) in enumerate(
        zip(sends, ends, free.routes, free.channels, strict=True)
    ):
        item, path, _ = send
        payloads = header(route.ports), *data_flits(number, flits)
        made.append(Send(0, *pair, channel, payloads, tuple(came[item, path[0]])))
        came[item, path[-1]].append(number)
    replay = Replay(tuple(made), fabric.processors, 1, "ordered")
    check_queues(replay)
    channels = max(free.channels) + 1
    more = flits, channels, flit_bits, free.rerouted
    messages = tuple((path[0], path[-1]) for path in paths)
    return Packets(messages, fabric, tuple(routes), *more, (replay,))


def _ports(topology: Topology, most: int | None) -> list[int]:
    """Return the ports of each rank."""
    found = []
    for rank in range(topology.nodes):
        wanted = max(1, len(topology.successors[rank]), len(topology.sources[rank]))
        if topology.routers[rank]:
            joined = {*topology.successors[rank], *topology.sources[rank]}
            wanted = max(1, min(wanted, MOST_PORTS - len(joined)))
        found.append(wanted if most is None else min(wanted, most))
    return found


@dataclass(frozen=True)
class ReplayedChunks:
    """What playing a schedule in chunks found.

    Parameters
    ----------
    outcome : Outcome
        The checker's.
    cycles : int or None
        From the first packet due until the last tail has come; None if the run failed.
    bound : int
        Cycles in which the file's cut lets through what must pass it, a flit a cycle; 0 without.
    failure : str, optional
        Where hardware and model differ, or what does not come to an end.
    """

    packets: Packets
    exchange: Exchange
    outcome: Outcome
    simulator: str
    cycles: int | None
    bound: int
    failure: str | None

    @property
    def ok(self) -> bool:
        """Whether the schedule is right, and hardware and model agree."""
        return not (self.failure or self.outcome.broken)

    def to_json(self) -> dict[str, Any]:
        """Return what ``replay --json`` prints."""
        exchange = self.exchange
        return {
            "topology": self.packets.fabric.topology.name,
            "collective": exchange.kind,
            "bytes": exchange.size,
            "chunks": exchange.parts,
            "right": not self.outcome.broken,
            "ok": self.ok,
            "simulator": self.simulator,
            **self.packets.to_json(),
            "cycles": self.cycles,
            "bound": self.bound,
            "failure": self.failure,
        }


def replay_chunks(
    schedule: Schedule,
    *,
    ports: int | None = None,
    sim: str = "verilator",
    progress: Progress = silent,
) -> ReplayedChunks:
    """Play a schedule in chunks, hardware and model compared in every cycle.

    Links are those of the hardware, one flit a cycle: the file's alpha, beta and lanes do not
    count. Combining takes no cycle; a rank sends in the cycle after its data have come.

    Parameters
    ----------
    ports : int, optional
        As of :func:`chunk_packets`.
    sim : {"verilator", "icarus", "model"}
        ``"model"`` plays it on the golden model alone.

    Raises
    ------
    SpecError
        It cannot be played on these routers; the message says why.
    ToolError
        A simulator is missing, or broke off.
    """
    check_simulator(sim)
    with about(schedule.source):
        outcome = check(schedule)
        packets = chunk_packets(schedule, ports)
    (played,) = run(packets, sim, progress)
    reason = verdict_of(played)[1] or None
    more = cycles_of(played), _bound(schedule), reason
    return ReplayedChunks(packets, schedule.exchange, outcome, sim, *more)


def _bound(schedule: Schedule) -> int:
    """Return the cycles that the file's cut proves on links of a flit a cycle."""
    if schedule.certificate is None:
        return 0
    topology = schedule.topology
    links = (Link(Fraction(0), Fraction(1, FLIT_BYTES)),) * len(topology.channels)
    flat = replace(topology, links=links)
    still = schedule.certificate._replace(times=())
    return -int(-bound_of(schedule.exchange, flat, still) // 1)
