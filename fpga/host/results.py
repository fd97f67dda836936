"""What barriers on a board were like, beside what was planned."""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from syncfabric.fpga.host.host import MeterReading, TrafficReading
from syncfabric.models.messages.host import SKEW_BOUNDS
from syncfabric.sim.rows import Rows

__all__ = ["BoardResult", "GroupMeasure", "board_rows"]

_NONE = "–"


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
    """

    network: str
    simulated: bool
    groups: tuple[GroupMeasure, ...]
    rate: float
    traffic: TrafficReading | None
    cycles: int

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is not as it must be."""
        wrong = self.traffic.wrong if self.traffic else 0
        flits = (f"traffic: {wrong:,} flits arrived wrong",) if wrong else ()
        return (*(words for group in self.groups for words in group.wrong), *flits)

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        return {**asdict(self), "ok": not self.wrong}


def board_rows(result: BoardResult) -> Rows:
    """Return a table, a row a group: latencies in cycles, and barriers by skew of arrival."""
    heads = ["group", "members", "planner", "episodes", "latency\n(cycles)\nlast/least/most"]
    heads += ["bound\n(cycles)", "skew\n(cycles)\n0"]
    for low, high in pairwise(SKEW_BOUNDS):
        heads.append(f"{low}–{high - 1}")
    heads.append(f"{SKEW_BOUNDS[-1]}\nor more")
    rows = []
    for group in result.groups:
        meter = group.meter
        latency = f"{meter.last} / {meter.least} / {meter.greatest}" if meter.episodes else _NONE
        row = [str(group.id), f"{group.members:,}", group.planner, f"{meter.episodes:,}", latency]
        row += [_NONE if group.bound is None else str(group.bound)]
        rows.append([*row, *(f"{count:,}" if count else "" for count in meter.histogram)])
    return heads, rows
