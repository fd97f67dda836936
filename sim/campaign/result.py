"""What a campaign found, as values and as rows."""

import enum
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from syncfabric.sim.campaign.request import Kind
from syncfabric.sim.campaign.trial import Trial
from syncfabric.sim.tables import Rows


class Verdict(enum.Enum):
    """What has become of a fault; those from EARLY on must not be."""

    MISSED = "nothing to change"
    MASKED = "masked"
    DETECTED = "detected"
    RECOVERED = "hung, recovered"
    EARLY = "false release"
    WRONG = "wrong data"
    SILENT = "silent hang"
    LOST = "not recovered"


@dataclass(frozen=True)
class Outcome:
    """What came of a trial.

    Parameters
    ----------
    reported : tuple of str
        What reported it: counters; ``BROKEN`` if members were released broken, ``REFUSED`` if a
        command was, ``TIMEOUT`` if members timed out on a static network without watchdogs.
    text : str
        What is wrong, if something is.
    """

    trial: Trial
    verdict: Verdict
    reported: tuple[str, ...]
    text: str
    cycles: int
    episodes: int


BAD = (Verdict.EARLY, Verdict.WRONG, Verdict.SILENT, Verdict.LOST)
"""What must not become of a fault that the network is meant to stand."""
MOST_FINDINGS = 20


@dataclass
class KindCount:
    """What became of the faults of one kind.

    Parameters
    ----------
    meant : bool
        The network is meant to stand it.
    reported : Counter of str
        Faults that a counter, or members that were released broken, reported.
    """

    kind: Kind
    meant: bool
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    reported: Counter[str] = field(default_factory=Counter)

    @property
    def faults(self) -> int:
        """Those that have changed something."""
        return self.verdicts.total() - self.verdicts[Verdict.MISSED]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        verdicts = {verdict.name.lower(): self.verdicts[verdict] for verdict in Verdict}
        reported = dict(sorted(self.reported.items()))
        return {"kind": self.kind.value, "meant": self.meant, **verdicts, "reported_by": reported}


@dataclass(frozen=True)
class CampaignFinding:
    """A trial that ended as none may."""

    number: int
    kind: str
    verdict: str
    text: str

    def __str__(self) -> str:
        return f"trial {self.number} ({self.kind}): {self.verdict}: {self.text}"


@dataclass
class CampaignResult:
    """A campaign's result; it grows trial by trial."""

    network: str
    seed: int
    kinds: tuple[KindCount, ...]
    interrupted: bool = False
    trials: int = 0
    episodes: int = 0
    cycles: int = 0
    build_seconds: float = 0.0
    run_seconds: float = 0.0
    processor_seconds: float = 0.0
    findings: list[CampaignFinding] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        """Count one more trial."""
        trial = outcome.trial
        (count,) = (each for each in self.kinds if each.kind is trial.kind)
        count.verdicts[outcome.verdict] += 1
        count.reported.update(outcome.reported)
        self.trials += 1
        self.episodes += outcome.episodes
        self.cycles += outcome.cycles
        if outcome.verdict in BAD and count.meant and len(self.findings) < MOST_FINDINGS:
            found = (trial.number, trial.kind.value, outcome.verdict.value, outcome.text)
            self.findings.append(CampaignFinding(*found))

    @property
    def faults(self) -> int:
        """Faults that have changed something."""
        return sum(count.faults for count in self.kinds)

    @property
    def verdict(self) -> Literal["clean", "wrong", "interrupted"]:
        """Whether a fault that is meant came to what must not be."""
        if self.findings:
            return "wrong"
        return "interrupted" if self.interrupted else "clean"

    @property
    def rates(self) -> tuple[float, float, float]:
        """Faults, episodes and cycles a second of the hardware's processor time."""
        seconds = self.processor_seconds or float("inf")
        return self.faults / seconds, self.episodes / seconds, self.cycles / seconds

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON values."""
        seconds = ("build_seconds", "run_seconds", "processor_seconds")
        return {
            "network": self.network,
            "seed": self.seed,
            "verdict": self.verdict,
            "faults": self.faults,
            **{name: getattr(self, name) for name in ("trials", "episodes", "cycles", *seconds)},
            "kinds": [count.to_json() for count in self.kinds],
            "findings": [vars(finding) for finding in self.findings],
        }


def kind_rows(result: CampaignResult) -> Rows:
    """Return a row a kind, one of all that are meant, and those that are not below it."""
    shown = [verdict for verdict in Verdict if verdict is not Verdict.MISSED]
    heads = ["fault", "faults", *(verdict.value for verdict in shown), "reported by"]
    meant = [count for count in result.kinds if count.meant]
    rows = [_row(count.kind.value, [count], shown) for count in meant]
    if len(meant) > 1:
        rows.append(_row("all", meant, shown))
    for count in result.kinds:
        if not count.meant:
            rows.append(_row(f"{count.kind.value} (not meant)", [count], shown))
    return heads, rows


def _row(name: str, counts: Sequence[KindCount], shown: Sequence[Verdict]) -> list[str]:
    reported: Counter[str] = Counter()
    for count in counts:
        reported.update(count.reported)
    numbers = (sum(count.verdicts[verdict] for count in counts) for verdict in shown)
    faults = sum(count.faults for count in counts)
    reporters = ", ".join(f"{name} {times:,}" for name, times in reported.most_common())
    return [name, f"{faults:,}", *(f"{number:,}" for number in numbers), reporters or "–"]


def summary(result: CampaignResult) -> Iterator[str]:
    """Yield the lines below the table."""
    faults, episodes, cycles = result.rates
    yield (
        f"{result.faults:,} faults in {result.trials:,} trials, {result.episodes:,} barriers and "
        f"{result.cycles:,} cycles: {faults:,.0f} faults, {episodes:,.0f} barriers and "
        f"{cycles:,.0f} cycles a second of processor time, {result.run_seconds:.0f} s in all"
    )
    for count in result.kinds:
        yield f"{count.kind.value}: {count.kind.words}"
    if result.verdict == "clean":
        yield "of the faults that are meant none released early, and none hung unreported"
