"""All that is to be said of a schedule: is it right, how long does it take, could it be shorter."""

from dataclasses import asdict, dataclass
from typing import Any

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.certificate import Bound, Solver, best, verify
from syncfabric.models.collectives.checker import Report, check
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Task


@dataclass(frozen=True)
class Costs:
    """What times are reckoned with.

    Parameters
    ----------
    ts : float
        Start-up of a step, in nanoseconds.
    t1 : float
        Time of a byte on a channel, in nanoseconds.
    length : float
        Bytes of a message.
    """

    ts: float = 1000
    t1: float = 1
    length: float = 1024

    def to_json(self, schedule: Schedule) -> dict[str, float]:
        """Return them, and the times of a schedule."""
        costs = (self.ts, self.t1, self.length)
        return {
            **dict(zip(("ts", "t1", "bytes"), costs, strict=True)),
            "eq3": schedule.time_pipelined(*costs),
            "each_step": schedule.time(*costs),
        }


@dataclass(frozen=True)
class Verdict:
    """A schedule, the checker's report, and the bounds for routing as free as the schedule's."""

    schedule: Schedule
    report: Report
    bounds: tuple[Bound, ...]
    """The greatest first, the paper's last."""
    unproved: str | None
    """What is wrong with the schedule's own certificate; None if nothing, or if it has none."""

    @property
    def right(self) -> bool:
        """Whether the schedule keeps every rule, and its certificate proves what it says."""
        return self.report.right and (self.unproved is None or self._by_solver)

    @property
    def bound(self) -> Bound | None:
        """The greatest bound that is proved."""
        own = self.schedule.certificate
        proved = [own] if own is not None and self.unproved is None else []
        return best([*self.bounds, *proved])

    @property
    def optimal(self) -> bool:
        """Whether no schedule with such routing has fewer steps, by a bound that is proved."""
        bound = self.bound
        return self.report.right and bound is not None and bound.value >= len(self.schedule.steps)

    @property
    def _by_solver(self) -> bool:
        own = self.schedule.certificate
        return own is not None and isinstance(own.argument, Solver)

    def to_json(self, costs: Costs) -> dict[str, Any]:
        """Return what ``syncfabric check --json`` prints."""
        schedule, report, bound = self.schedule, self.report, self.bound
        own = schedule.certificate
        return {
            "verdict": "right" if self.right else "wrong",
            "topology": schedule.topology.name,
            "collective": schedule.collective.name,
            **asdict(schedule.rules),
            "steps": len(schedule.steps),
            "messages": schedule.messages,
            "required": report.required,
            "served": report.served,
            "longest_path": report.longest,
            "detour": report.detour,
            "time": costs.to_json(schedule),
            "bound": None if bound is None else bound.value,
            "optimal": self.optimal,
            "bounds": [{**b.to_json(), "text": b.argument.words()} for b in self.bounds],
            "certificate": None
            if own is None
            else {
                "value": own.value,
                "holds": None if self._by_solver else self.unproved is None,
                "text": self.unproved or own.argument.words(),
            },
            "conflict_count": report.count,
            "conflicts": [conflict.to_json() for conflict in report.conflicts],
        }


def examine(schedule: Schedule) -> Verdict:
    """Check a schedule, find lower bounds for it, and verify its certificate.

    Raises
    ------
    SpecError
        The topology lacks a node of the collective, or the collective leaves out a node.
    PlanError
        There is nothing to send.
    """
    report = check(schedule)
    task = Task(schedule.topology, schedule.collective, schedule.rules, report.detour)
    own = schedule.certificate
    unproved = None if own is None else verify(task, own)
    return Verdict(schedule, report, tuple(lower_bounds(task)), unproved)
