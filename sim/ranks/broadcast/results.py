"""What broadcasts between ranks have shown."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from syncfabric.sim.ranks.broadcast.member import Setting
from syncfabric.sim.ranks.payloads import Times, processors


@dataclass(frozen=True)
class Wrong:
    """A payload that is not what it should be, from a byte on."""

    rank: int
    round: int | None
    """None: it came by the library's Bcast."""
    byte: int


@dataclass(frozen=True)
class Lost:
    """A rank that has not answered."""

    rank: int
    round: int


@dataclass(frozen=True)
class Row:
    """A round.

    Parameters
    ----------
    round : int
    order : tuple of int
        The rank at each position of the tree when the round began.
    cost : float
        Of the tree then, by the latencies that it had been given, in seconds.
    adaptive, fixed : float or None
        Seconds of a broadcast along the tree, and along the plain binomial tree of the same ranks;
        None if none went without repair.
    swaps : int
        After the round.
    said : tuple of str
        What happened.
    """

    round: int
    order: tuple[int, ...]
    cost: float
    adaptive: float | None
    fixed: float | None
    swaps: int
    said: tuple[str, ...]


@dataclass(frozen=True)
class Recovery:
    """What a slow link cost the adaptive broadcast, and what it has got back; in seconds.

    Parameters
    ----------
    round : int
        The one in whose broadcasts the link was slow and the tree did not know it yet.
    before : float
        Median of the rounds before.
    hit : float
        That round.
    after : float
        Median of the rounds after, until something else happened.
    """

    round: int
    before: float
    hit: float
    after: float

    @property
    def recovered(self) -> float | None:
        """The part of the lost time that came back; None if less than a tenth was lost."""
        lost = self.hit - self.before
        return (self.hit - self.after) / lost if lost > 0.1 * self.before else None


@dataclass(frozen=True)
class Broadcasts:
    """All rounds.

    Parameters
    ----------
    setting : Setting
    mpi : str
        The MPI library.
    library : Times
        Its own Bcast among all ranks, before the first round; nothing held back.
    rows : sequence of Row
    lost : sequence of Lost
    checked : int
        Bytes compared.
    wrong : sequence of Wrong
    whole : bool
        Whether all ranks answered in the end, so that MPI can be ended in order.
    """

    setting: Setting
    mpi: str
    library: Times
    rows: Sequence[Row]
    lost: Sequence[Lost]
    checked: int
    wrong: Sequence[Wrong]
    whole: bool

    @property
    def adaptive(self) -> float | None:
        """Median over the rounds, in seconds."""
        return _median(row.adaptive for row in self.rows)

    @property
    def fixed(self) -> float | None:
        """Median over the rounds, in seconds."""
        return _median(row.fixed for row in self.rows)

    def as_asked(self) -> bool:
        """Whether every byte was right, and no rank was lost but those that were to go."""
        gone = {(e.rank, e.turn) for e in self.setting.script.events if e.fate != "join"}
        return not self.wrong and all((lost.rank, lost.round) in gone for lost in self.lost)

    def recoveries(self) -> list[Recovery]:
        """Return one for each round in which something got slow, and nothing else happened."""
        eventful = [row.round for row in self.rows if row.said]
        found = []
        for place, turn in enumerate(eventful):
            first = eventful[place - 1] if place else 0
            last = eventful[place + 1] if place + 1 < len(eventful) else len(self.rows)
            before = _median(row.adaptive for row in self.rows[first:turn])
            after = _median(row.adaptive for row in self.rows[turn + 1 : last])
            row = self.rows[turn]
            slow = all(said.startswith("link ") for said in row.said)
            if slow and before is not None and after is not None and row.adaptive is not None:
                found.append(Recovery(turn, before, row.adaptive, after))
        return found

    def to_json(self) -> dict[str, Any]:
        """Return what ``bcast --json`` prints; times in seconds."""
        return {
            "ranks": self.setting.script.ranks,
            "processors": processors(),
            "mpi": self.mpi,
            "bytes": self.setting.size,
            "latency": self.setting.script.latency,
            "timeout": self.setting.timeout,
            "right": not self.wrong,
            "checked_bytes": self.checked,
            "wrong": [asdict(wrong) for wrong in self.wrong],
            "lost": [asdict(lost) for lost in self.lost],
            "adaptive": self.adaptive,
            "fixed": self.fixed,
            "library": self.library.to_json(),
            "slow": [{**asdict(r), "recovered": r.recovered} for r in self.recoveries()],
            "rounds": [asdict(row) for row in self.rows],
        }


def _median(seconds: Iterable[float | None]) -> float | None:
    found = [value for value in seconds if value is not None]
    return median(found) if found else None
