"""A schedule on hardware: cycle by cycle, beside what takes its place, and a bound."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from syncfabric.models.collectives.certificate import best
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.topology import Channel
from syncfabric.models.collectives.verdict import Verdict, examine
from syncfabric.models.errors import about
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.run import verdict_of
from syncfabric.sim.drive.scenario import Crossing, Job, Outcome, Replay, ReplayOutcome, Scenario
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.replay.packets import Packets, packets_of
from syncfabric.sim.replay.routes import CYCLES_PER_HOP
from syncfabric.sim.request import check_simulator


@dataclass(frozen=True)
class Wait:
    """A message that waited, and for which channel first of all.

    Parameters
    ----------
    step : int
        From 1.
    channel : (from, to)
        Of the topology; a node twice is a port between it and its router.
    cycles : int
        By which its head or its tail is later than if it were alone, in the end.
    others : tuple of (origin, destination)
        Messages of the step that take the same link.
    """

    step: int
    message: tuple[int, int]
    channel: Channel
    cycles: int
    others: tuple[tuple[int, int], ...]

    def words(self) -> str:
        """Say it in one line."""
        a, b = self.channel
        where = f"a port of node {a}" if a == b else f"channel {a} to {b}"
        others = ", ".join(f"{c} to {d}" for c, d in self.others[:3])
        more = f" and {len(self.others) - 3} more" if len(self.others) > 3 else ""
        beside = f", which {others}{more} take{'s' * (len(self.others) == 1)} too" if others else ""
        origin, target = self.message
        cycles = f"{self.cycles} cycle{'s' * (self.cycles > 1)}"
        return f"step {self.step}: message {origin} to {target} waits {cycles} for {where}{beside}"

    def to_json(self) -> dict[str, Any]:
        """Return it as ``replay --json`` prints it."""
        return {
            "step": self.step,
            "message": list(self.message),
            "channel": list(self.channel),
            "cycles": self.cycles,
            "others": [list(other) for other in self.others],
        }


def waits_of(packets: Packets, outcome: ReplayOutcome) -> Iterator[Wait]:
    """Yield the waits of the packets that go step by step, one of each packet that waits.

    Flit j of a packet that is alone is on link i of its path, 0 the sender's, in cycle
    ``due + 1 + j + i`` times the cycles a hop.
    """
    crossings: defaultdict[int, dict[int, Crossing]] = defaultdict(dict)
    for crossing in outcome.crossings:
        crossings[crossing.number][crossing.link] = crossing
    messages = packets.messages
    takers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, route in enumerate(packets.routes):
        for link in route.links:
            takers[packets.replays[0].sends[number].step, link].append(number)
    for number, route in enumerate(packets.routes):
        late = list(_late(packets, number, outcome.due[number], crossings[number]))
        cycles = max(map(max, late), default=0)
        if not cycles:
            continue
        step = packets.replays[0].sends[number].step
        heads = [0, *(head for head, _ in late)]
        # Where two take turns on a link, heads are hardly late there, and tails before it as well.
        _, _, place = max(
            (len(takers[step, route.links[i]]) > 1, heads[i + 1] - heads[i], -i)
            for i, ends in enumerate(late)
            if max(ends)
        )
        link = route.links[-place]
        others = tuple(messages[other] for other in takers[step, link] if other != number)
        between = packets.fabric.between(link)
        yield Wait(step + 1, messages[number], between, cycles, others)


def _late(
    packets: Packets, number: int, due: int, crossings: Mapping[int, Crossing]
) -> Iterator[tuple[int, int]]:
    """Yield how late a packet's head and tail are on each link of its path, as far as it came."""
    route, flits = packets.routes[number], len(packets.replays[0].sends[number].payloads)
    for place, link in enumerate(route.links):
        if link not in crossings:
            return
        alone = due + 1 + place * CYCLES_PER_HOP
        yield crossings[link].first - alone, crossings[link].last - alone - (flits - 1)


@dataclass(frozen=True)
class StepCycles:
    """A step on hardware.

    Parameters
    ----------
    cycles : int
        From when the first node begins it until the last tail has come.
    barrier : int
        From then until the first node begins the next step; 0 after the last.
    """

    messages: int
    cycles: int
    barrier: int


@dataclass(frozen=True)
class Replayed:
    """What playing a schedule found.

    Parameters
    ----------
    verdict : Verdict
        The checker's, with the bounds.
    waits : tuple of Wait
        Of the messages step by step; none on a schedule without contention.
    at_once, unbarred : int or None
        Cycles with no schedule, and without barriers; None if that run failed.
    failure : str, optional
        Where hardware and model differ, or what does not come to an end.
    """

    packets: Packets
    verdict: Verdict
    simulator: str
    steps: tuple[StepCycles, ...]
    waits: tuple[Wait, ...]
    at_once: int | None
    unbarred: int | None
    failure: str | None

    @property
    def ok(self) -> bool:
        """Whether the schedule is right, nothing waited, and hardware and model agree."""
        return not (self.waits or self.failure) and self.verdict.report.right

    @property
    def cycles(self) -> int:
        """From when the first node begins until the last tail has come."""
        return sum(step.cycles + step.barrier for step in self.steps)

    @property
    def bound_steps(self) -> int:
        """Steps that no schedule has fewer of, by an argument that holds without steps, too."""
        bound = best(list(self.verdict.bounds))
        return 1 if bound is None else max(1, bound.value)

    @property
    def bound(self) -> int:
        """Cycles that any method to send these messages takes on these routers.

        Every bound on steps counts how often messages must take one channel, or one port, after
        each other, or receive from each other. Each time takes a cycle a flit, the head among them;
        the first flit and the last have a path before and behind them.
        """
        hops = min(len(route.ports) for route in self.packets.routes)
        return self.bound_steps * (self.packets.flits + 1) + hops * CYCLES_PER_HOP

    def to_json(self) -> dict[str, Any]:
        """Return what ``replay --json`` prints."""
        schedule = self.verdict.schedule
        return {
            "topology": schedule.topology.name,
            "collective": schedule.collective.name,
            "right": self.verdict.report.right,
            "ok": self.ok,
            "simulator": self.simulator,
            **self.packets.to_json(),
            "steps": [asdict(step) for step in self.steps],
            "cycles": self.cycles,
            "at_once": self.at_once,
            "unbarred": self.unbarred,
            "bound": self.bound,
            "bound_steps": self.bound_steps,
            "waits": [wait.to_json() for wait in self.waits],
            "failure": self.failure,
        }


def replay(
    schedule: Schedule, *, size: int = 64, sim: str = "verilator", progress: Progress = silent
) -> Replayed:
    """Play a schedule on collective engines, hardware and model compared in every cycle.

    Parameters
    ----------
    size : int
        Bytes of a message.
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
        verdict = examine(schedule)
        packets = packets_of(schedule, size)
    outcomes = run(packets, sim, progress)
    stepped, unbarred, at_once = outcomes
    assert stepped.replay is not None
    return Replayed(
        packets,
        verdict,
        sim,
        _steps(packets.replays[0], stepped.replay),
        tuple(waits_of(packets, stepped.replay)),
        cycles_of(at_once),
        cycles_of(unbarred),
        _failure(outcomes),
    )


def run(packets: Packets, sim: str, progress: Progress) -> list[Outcome]:
    """Play packets in each of their modes."""
    plan = make_plan(packets.fabric.spec(packets.channels, packets.flit_bits))
    return run_job(
        Job(tuple((plan, _scenario(played)) for played in packets.replays)), sim, progress=progress
    ).outcomes


def _scenario(played: Replay) -> Scenario:
    barriers = played.steps - 1 if played.mode == "barriers" else 0
    return Scenario(episodes=barriers, policy="together", replay=played)


def _failure(outcomes: Sequence[Outcome]) -> str | None:
    names = ("step by step", "without barriers", "at once")
    for name, outcome in zip(names, outcomes, strict=True):
        _, reason = verdict_of(outcome)
        if reason:
            return f"{name}: {reason}"
    return None


def cycles_of(outcome: Outcome) -> int | None:
    """Return the cycles from the first packet due until the last tail has come."""
    played = outcome.replay
    if verdict_of(outcome)[0] != "match" or played is None:
        return None
    return max(crossing.last for crossing in played.crossings) - min(played.due)


def _steps(played: Replay, outcome: ReplayOutcome) -> tuple[StepCycles, ...]:
    """Return each step's cycles, of those that were begun."""
    last = list(outcome.begins)
    count = [0] * len(outcome.begins)
    for crossing in outcome.crossings:
        step = played.sends[crossing.number].step
        last[step] = max(last[step], crossing.last)
    for send in played.sends:
        if send.step < len(count):
            count[send.step] += 1
    following = [*outcome.begins[1:], last[-1]] if last else []
    return tuple(
        StepCycles(messages, end - begin, after - end)
        for messages, begin, end, after in zip(count, outcome.begins, last, following, strict=True)
    )
