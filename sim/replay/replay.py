"""A schedule on hardware: cycle by cycle, beside what takes its place, and a bound."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from syncfabric.models.collectives.certificate import best
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.verdict import Verdict, examine
from syncfabric.models.errors import SpecError, about
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.replay.script import Replay, ReplayOutcome
from syncfabric.sim.drive.run import verdict_of
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.simulate import build_bench, run_model, simulate
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.replay.ground import CYCLES_PER_HOP
from syncfabric.sim.replay.sends import Packets, packets_of
from syncfabric.sim.replay.waits import Wait, waits_of
from syncfabric.sim.request import SIMULATORS

__all__ = ["Replayed", "StepCycles", "replay"]

RUNS = 3


@dataclass(frozen=True)
class StepCycles:
    """A step on hardware.

    Parameters
    ----------
    messages : int
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
    packets : Packets
    verdict : Verdict
        The checker's, with the bounds.
    simulator : str
    steps : tuple of StepCycles
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
        """Cycles that any way to send these messages takes on these routers.

        Every bound on steps counts how often messages must take one channel, or one port, after
        each other, or hear from each other. Each time takes a cycle a flit, the head among them;
        the first flit and the last have a way before and behind them.
        """
        hops = min(len(way.ports) for way in self.packets.ways)
        return self.bound_steps * (self.packets.flits + 1) + hops * CYCLES_PER_HOP

    def to_json(self) -> dict[str, Any]:
        """Return what ``replay --json`` prints."""
        packets, irregular = self.packets, self.packets.ground.irregular
        return {
            "topology": packets.schedule.topology.name,
            "collective": packets.schedule.collective.kind,
            "right": self.verdict.report.right,
            "ok": self.ok,
            "simulator": self.simulator,
            "messages": packets.schedule.messages,
            "flits": packets.flits,
            "switches": irregular.switches,
            "switch_ports": irregular.ports,
            "nodes": len(irregular.nodes),
            "channels": packets.channels,
            "flit_bits": packets.flit_bits,
            "rerouted": packets.rerouted,
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
    schedule : Schedule
    size : int
        Bytes of a message.
    sim : {"verilator", "icarus", "model"}
        ``"model"`` plays it on the golden model alone.
    progress : Progress

    Raises
    ------
    SpecError
        It cannot be played on these routers; the message says why.
    ToolError
        A simulator is missing, or broke off.
    """
    if sim not in SIMULATORS:
        raise SpecError(f"sim must be one of {', '.join(SIMULATORS)}, not {sim!r}")
    with about(schedule.source):
        verdict = examine(schedule)
        packets = packets_of(schedule, size)
    plan = make_plan(packets.ground.spec(packets.channels, packets.flit_bits))
    runs = (packets.by_step, packets.unbarred, packets.at_once)
    job = Job(tuple((plan, _scenario(played)) for played in runs))
    if sim == "model":
        outcomes = run_model(job).outcomes
    else:
        with stage(progress, "build"):
            tiles = sim == "verilator"
            network = plan.spec.network
            built = build_fabric(network) if tiles else build_bench(network, sim)
        with stage(progress, "simulate"):
            outcomes = (simulate_tiles if tiles else simulate)(job, built).outcomes
    stepped, unbarred, at_once = outcomes
    assert stepped.replay is not None
    return Replayed(
        packets,
        verdict,
        sim,
        _steps(packets.by_step, stepped.replay),
        tuple(waits_of(packets, stepped.replay)),
        _cycles(at_once),
        _cycles(unbarred),
        _failure(outcomes),
    )


def _scenario(played: Replay) -> Scenario:
    barriers = played.steps - 1 if played.mode == "barriers" else 0
    return Scenario(episodes=barriers, policy="together", replay=played)


def _failure(outcomes: list[Outcome]) -> str | None:
    names = ("step by step", "without barriers", "at once")
    for name, outcome in zip(names, outcomes, strict=True):
        _, reason = verdict_of(outcome)
        if reason:
            return f"{name}: {reason}"
    return None


def _cycles(outcome: Outcome) -> int | None:
    """Return the cycles from the first packet due until the last tail has come."""
    played = outcome.replay
    if verdict_of(outcome)[0] != "match" or played is None:
        return None
    return max(passage.last for passage in played.passages) - min(played.due)


def _steps(played: Replay, outcome: ReplayOutcome) -> tuple[StepCycles, ...]:
    """Return each step's cycles, of those that were begun."""
    last = list(outcome.begins)
    count = [0] * len(outcome.begins)
    for passage in outcome.passages:
        step = played.sends[passage.number].step
        last[step] = max(last[step], passage.last)
    for send in played.sends:
        if send.step < len(count):
            count[send.step] += 1
    following = [*outcome.begins[1:], last[-1]] if last else []
    return tuple(
        StepCycles(messages, end - begin, after - end)
        for messages, begin, end, after in zip(count, outcome.begins, last, following, strict=True)
    )
