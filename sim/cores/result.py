"""What a program on a many-core system did: values, JSON, and rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, Protocol

from pydantic import TypeAdapter

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.core import FaultReason
from syncfabric.models.parsed import validated
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.cores.events import Events, Lost, Put, episodes_of, lost_cycles
from syncfabric.sim.results import GroupResult, Seconds
from syncfabric.sim.spread import Spread
from syncfabric.sim.tables import Rows, table

NO_TIME = Seconds(0, 0)
_REASONS = {
    FaultReason.ADDRESS: "there is neither memory nor a register at this address",
    FaultReason.ACCESS: "registers take whole words",
    FaultReason.INSTRUCTION: "illegal instruction, or an address that is not aligned",
    FaultReason.NOT_READY: "arrives at a register that is not ready: no member, or not set up",
    FaultReason.WAITING: "arrives again before it is released",
    FaultReason.NO_ARRIVE: "waits without having arrived",
    FaultReason.PACKET: "words of a packet out of order, or a destination or length that cannot be",
}
Verdict = Literal["end", "fault", "limit", "stuck"]


class _Named(Protocol):
    def function_at(self, pc: int) -> str | None: ...


@dataclass(frozen=True)
class Standing:
    """Where a core stood that was not over: what it did, the instruction, and its function."""

    core: int
    activity: str
    pc: int
    function: str | None


@dataclass(frozen=True)
class Stop:
    """Why a core was stopped, in words: by which instruction of which function, at what address."""

    core: int
    cycle: int
    reason: str
    pc: int
    address: int
    function: str | None

    def __post_init__(self) -> None:
        if self.reason not in _REASONS.values():
            raise ValueError(f"{self.reason!r} is no reason that a core is stopped for")


@dataclass(frozen=True)
class Routine:
    """A function of a barrier in software: each instruction's address and text."""

    name: str
    instructions: tuple[tuple[int, str], ...]


@dataclass(frozen=True)
class CoresResult:
    """One run.

    Parameters
    ----------
    cycles : int
        From when the cores were let go to the last one's end.
    verdict : {"end", "fault", "limit", "stuck"}
        All cores have ended; one was stopped; the limit was reached; no core could go on.
    exits : tuple of int or None
        Exit code of each core; None: it has not ended.
    console : tuple of Put
        Numbers and lines of text.
    groups : tuple of GroupResult
        As of a run: barriers in hardware.
    lost : tuple of Lost
        Cycles in barriers, by core.
    stands : tuple of Standing
        The cores that have not ended.
    barrier : str
        What ``sf_barrier`` was made of; empty if it is not known.
    code : tuple of Routine
        Functions that it goes through, if that is software.
    changes : tuple of str
        How the system differs from the network that was asked for.
    """

    network: str
    simulator: str
    cores: int
    cycles: int
    verdict: Verdict
    exits: tuple[int | None, ...]
    console: tuple[Put, ...]
    groups: tuple[GroupResult, ...]
    lost: tuple[Lost, ...]
    faults: tuple[Stop, ...]
    stands: tuple[Standing, ...]
    barrier: str = ""
    code: tuple[Routine, ...] = ()
    changes: tuple[str, ...] = ()
    seconds: Seconds = NO_TIME

    @property
    def ok(self) -> bool:
        """All cores have ended, with exit code 0."""
        return self.verdict == "end" and not any(self.exits)

    def to_json(self) -> dict[str, Any]:
        """Return the result as ``syncfabric cores --json`` prints it."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> CoresResult:
        """Return the result that ``to_json`` wrote.

        Raises
        ------
        SpecError
            ``values`` has not the shape of a result; the message names the first place.
        """
        try:
            return validated(_adapter(), values, "result")
        except SpecError as error:
            raise SpecError(f"{error}; give what `syncfabric cores --json` prints") from None


@cache
def _adapter() -> TypeAdapter[CoresResult]:
    return TypeAdapter(CoresResult)


def result_of(
    plan: BarrierPlan,
    program: _Named,
    events: Events,
    cores: int,
    simulator: str,
    seconds: Seconds,
) -> CoresResult:
    """Return the result of what happened."""
    verdict: Verdict = "end"
    if events.faults:
        verdict = "fault"
    elif events.end != "end":
        verdict = "limit" if events.end == "limit" else "stuck"
    groups = []
    for group in plan.groups:
        latencies = [episode.latency for episode in episodes_of(plan, group, events)]
        latency = Spread.of(latencies) if latencies else None
        groups.append(
            GroupResult.of(group, episodes=len(latencies), latency=latency, model_latency=None)
        )
    over = {core: code for core, (_, code) in events.exits.items()}
    stopped = {fault.core for fault in events.faults}
    return CoresResult(
        network=plan.spec.name,
        simulator=simulator,
        cores=cores,
        cycles=events.cycles,
        verdict=verdict,
        exits=tuple(over.get(core) for core in range(cores)),
        console=tuple(events.puts),
        groups=tuple(groups),
        lost=lost_cycles(events),
        faults=tuple(
            Stop(
                core=fault.core,
                cycle=fault.cycle,
                reason=_REASONS[fault.reason],
                pc=fault.pc,
                address=fault.address,
                function=program.function_at(fault.pc),
            )
            for fault in events.faults
        ),
        stands=tuple(
            Standing(core, activity.name.lower(), pc, program.function_at(pc))
            for core, (activity, pc) in sorted(events.stands.items())
            if core not in stopped
        ),
        seconds=seconds,
    )


def console_lines(result: CoresResult) -> Iterator[str]:
    """Yield what the cores wrote, by cycle."""
    for put in result.console:
        yield f"core {put.core}, cycle {put.cycle:,}: {put.value}"


def core_rows(result: CoresResult) -> Rows:
    """Return a row a core."""
    return table(
        zip(result.lost, result.exits, strict=True),
        {
            "core": lambda pair: pair[0].core,
            "exit code": lambda pair: pair[1],
            "in barriers\n(cycles)": lambda pair: pair[0].cycles,
            "share": lambda pair: f"{pair[0].cycles / max(1, result.cycles):.1%}",
            "waiting\nfor hardware": lambda pair: pair[0].waiting,
        },
    )


def group_rows(result: CoresResult) -> Rows:
    """Return a row a group: its barriers in hardware."""
    columns = {"group": "id", "members": "members", "planner": "planner", "barriers": "episodes"}
    return table(
        result.groups, columns | {"latency (cycles)\nmin/med/max": "latency", "bound": "bound"}
    )


def complaints(result: CoresResult) -> Iterator[str]:
    """Yield why a run is not all right, a line each; nothing if it is."""
    for fault in result.faults:
        yield (
            f"fault: core {fault.core}, cycle {fault.cycle:,}, instruction at {_at(fault)}, "
            f"address 0x{fault.address:x}: {fault.reason}"
        )
    if result.verdict == "limit":
        yield f"limit: not all cores have ended within {result.cycles:,} cycles"
    if result.verdict == "stuck":
        yield f"stuck: in cycle {result.cycles:,} no core that has not ended can continue"
    if result.verdict in ("limit", "stuck"):
        for one in result.stands:
            yield f"  core {one.core} {_DOING[one.activity]}, at {_at(one)}"
    if result.verdict == "end":
        for core, code in enumerate(result.exits):
            if code:
                yield f"core {core} ended with exit code {code}"


def _at(one: Stop | Standing) -> str:
    return f"0x{one.pc:x}" + (f" in {one.function}" if one.function else "")


_DOING = {
    "works": "works",
    "arrives": "arrives at a barrier",
    "waits": "waits in a barrier",
    "fenced": "waits for acknowledgements before it arrives",
    "receives": "waits for a packet",
    "sends": "waits to send a packet",
    "configures": "waits for the config port",
    "stopped": "has ended",
}
