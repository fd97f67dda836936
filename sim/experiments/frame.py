"""An experiment, what can be set of it, and the work of running it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field, fields
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from syncfabric.models.errors import SpecError
from syncfabric.models.timing.times import Times
from syncfabric.sim.experiments.claim import Aim, Claim, Value, Verdict
from syncfabric.sim.experiments.jobs import Job, Pool, Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Parameter:
    """What ``--set NAME=VALUE`` changes."""

    name: str
    value: int | float
    """By default; an int takes whole numbers only."""
    least: int | float
    most: int | float
    """Its range."""
    words: str
    """What it is, with its unit."""

    def checked(self, value: int | float, whose: str) -> int | float:
        """Return a value as the parameter takes it.

        Parameters
        ----------
        value : int or float
        whose : str
            The experiment's name.

        Raises
        ------
        SpecError
            It is out of range, or not whole.
        """
        what = f"--set {self.name}"
        if isinstance(self.value, int) and not isinstance(value, int):
            raise SpecError(
                f"{what}: it must be a whole number for {whose}, not {value}; it is {self.words}"
            )
        if not self.least <= value <= self.most:
            raise SpecError(
                f"{what}: it must be {self.least:,} to {self.most:,} for {whose}, not {value:,}; "
                f"it is {self.words}"
            )
        return type(self.value)(value)


def times_parameters(times: Times, *names: str) -> tuple[Parameter, ...]:
    """Return the parameters that set the times of a model, some of them or all.

    Parameters
    ----------
    times : Times
        The defaults.
    *names : str
    """
    return tuple(
        Parameter(time.name, float(getattr(times, time.name)), 0, *time.metadata.values())
        for time in fields(times)
        if not names or time.name in names
    )


Result = TypeVar("Result")
Given = TypeVar("Given", bound=Times)

INNER = ("function", "axes", "caption")
"""Fields that ``--list`` leaves out."""

BENCH = "scripts/bench"
"""The place of what is no paper's."""

Series = dict[str, list[tuple[float, float]]]
"""The points of each curve by its label."""


@dataclass(frozen=True)
class Axes:
    """What the axes of a plot are."""

    across: str
    up: str
    """Their words, with the unit."""
    across_base: int | None = None
    up_base: int | None = None
    """Of a logarithmic scale; values of 0 or less are left out then."""
    prefix: str = ""
    """Of the labels of the curves on these axes; "" takes the curves that no other axes take."""


@dataclass(frozen=True)
class Experiment:
    """What can be run again."""

    name: str
    """As on the command line."""
    title: str
    """What it shows, in a few words."""
    place: str
    """Where it stands in the paper."""
    function: Callable[[Work], None]
    """Takes a ``Work``, and adds to it what it finds."""
    runs: int | None = None
    """Of each entry, each with a seed of its own, by default; the paper's own number. None: there
    is no choice."""
    time_limit: float | None = None
    """Seconds of a run, by default. None: nothing is cut off by time."""
    axes: tuple[Axes, ...] = ()
    """Of the plots of its series, one below another. Without series there is a plot of the ratios.
    """
    caption: str = ""
    """What the plot does not show of the paper, and why."""
    parameters: tuple[Parameter, ...] = ()
    """What can be set."""
    rtl: bool = False
    """Whether ``--rtl`` adds points measured on the hardware."""

    @property
    def of_a_paper(self) -> bool:
        """Whether ``syncfabric reproduce`` runs it; else ``scripts/bench`` does."""
        return "paper" in self.place

    def to_json(self) -> dict[str, Any]:
        """Return what ``--list --json`` prints."""
        return {head: value for head, value in asdict(self).items() if head not in INNER}


def experiment(
    name: str, title: str, place: str, **more: Any
) -> Callable[[Callable[[Work], None]], Experiment]:
    """Return a decorator that makes an ``Experiment`` of the function that runs it.

    Parameters
    ----------
    name, title, place : str
    **more
        The other fields of ``Experiment``.
    """
    return lambda function: Experiment(name, title, place, function, **more)


def section(function: Callable[[], Iterator[Claim]]) -> Experiment:
    """Make an experiment of measured figures beside their targets: a section of ``scripts/bench``.

    Parameters
    ----------
    function : callable
        Yields the figures, see ``figure``; its docstring's first line is the title.
    """

    def work(work: Work) -> None:
        for claim in function():
            work.claims.append(claim)
            work.report(f"{len(work.claims)} done, {claim.claim}: {claim.ours}")

    title = (function.__doc__ or "").splitlines()[0].rstrip(".")
    return Experiment(function.__name__, title, BENCH, work)


def declared(package: str, *names: str) -> list[Experiment]:
    """Return the experiments that modules of a package declare, in their order."""
    return [
        value
        for name in names
        for value in vars(import_module(f"{package}.{name}")).values()
        if isinstance(value, Experiment)
    ]


@dataclass
class Work:
    """One run of an experiment: what it is asked, and what it has found so far."""

    experiment: Experiment
    runs: int = 1
    """Of each entry."""
    seed: int = 1
    """Of the first run; the next ones follow."""
    time_limit: float = 60.0
    """Seconds of a run."""
    stop: Callable[[], bool] = lambda: False
    """Turns true when the user asks to stop. Pass it on to searches."""
    progress: Callable[[str], None] = lambda words: None
    """Takes words on what is being done."""
    chosen: dict[str, int | float] = field(default_factory=dict)
    """Parameters that are not to have their default."""
    rtl: bool = False
    """Whether points measured on the hardware are wanted."""
    clock_mhz: float = 100.0
    """The clock that is assumed for them."""
    pool: Pool | None = None
    """Carries out jobs; by default this process, one after another, and keeps no result."""
    counted: Callable[[Tally], None] = lambda tally: None
    """Takes how far the jobs are."""
    tally: Tally = field(default_factory=Tally)
    claims: list[Claim] = field(default_factory=list)
    series: Series = field(default_factory=dict)
    drawing: Callable[[], Figure] | None = None
    """Makes the experiment's own picture, in place of the plot."""
    by_formula: bool = False
    """Whether the rows that are added follow from an input, or from a fit."""

    @property
    def seeds(self) -> range:
        """The seeds of an entry's runs."""
        return range(self.seed, self.seed + self.runs)

    @property
    def values(self) -> dict[str, int | float]:
        """The value of every parameter by its name."""
        return {p.name: self.chosen.get(p.name, p.value) for p in self.experiment.parameters}

    def whole(self, name: str) -> int:
        """Return the value of a parameter that is a whole number."""
        return int(self.values[name])

    def times(self, model: type[Given], **changed: float) -> Given:
        """Return a model's times as the parameters have them, else its defaults; some changed."""
        names = [time.name for time in fields(model) if time.name in self.values]
        return model(**{name: float(self.values[name]) for name in names} | changed)

    @property
    def beside(self) -> int:
        """How many jobs are carried out side by side."""
        return 1 if self.pool is None else self.pool.size

    def map(self, function: Callable[..., Result], jobs: Iterable[Job]) -> Iterator[Result]:
        """Yield ``function(*job)`` of each job, in their order, as JSON holds it: tuples as lists.

        Jobs are carried out side by side, and results kept: the same job of the same function is
        not carried out again until the sources change.

        Parameters
        ----------
        function : callable
            Of a module, so that other processes find it. What it returns can be written as JSON.
        jobs : iterable of tuples
            Of what can be written as JSON: all that decides the result.
        """
        all_ = list(jobs)
        if self.pool is not None:
            yield from self.pool.map(function, all_, self.tally, self._look)
            return
        for job in all_:
            self.check()
            yield json.loads(json.dumps(function(*job)))

    def alone(self, function: Callable[..., Result], job: Job, what: str) -> Result:
        """Return ``function(*job, progress=..., stop=...)`` of a job that takes all processors.

        Its result is kept as those of ``map``, but not if the user has asked to stop meanwhile.

        Parameters
        ----------
        function : callable
            Of a module. ``progress`` takes words, ``stop`` is the work's.
        job : tuple
        what : str
            What it does, to be said before its words.
        """
        more: dict[str, Any] = {"progress": lambda words: self.progress(f"{what}: {words}")}
        more["stop"] = self.stop
        if self.pool is not None:
            found: Result = self.pool.alone(function, job, self.tally, self._look, **more)
            return found
        self.check()
        found = json.loads(json.dumps(function(*job, **more)))
        self.check()
        return found

    def _look(self) -> None:
        self.check()
        self.counted(self.tally)

    def report(self, words: str) -> None:
        """Say what is being done. Call it often: here the work ends if the user asks."""
        self.check()
        self.progress(words)

    def claim(
        self,
        claim: str,
        paper: Value,
        ours: Value,
        note: str = "",
        *,
        aim: Aim = "same",
        holds: bool | None = None,
        partly: bool = False,
        by_formula: bool = False,
    ) -> None:
        """Add a row; see ``Claim``. Not if the user has asked to stop, for then it is not whole.

        ``holds`` decides what the two values do not say, ``partly`` what does not hold.
        """
        self.check()
        decided: Verdict | None = None
        if paper is not None and holds is not None:
            decided = "holds" if holds else "partly" if partly else "does not hold"
        formula = by_formula or self.by_formula
        self.claims.append(Claim(claim, paper, ours, note, aim, decided, formula))

    def confirm(
        self,
        claim: str,
        right: bool,
        note: str = "",
        *,
        partly: bool = False,
        by_formula: bool = False,
    ) -> None:
        """Add a row of what the paper says in words: ours is "yes" or "no"."""
        ours, formula = "yes" if right else "no", by_formula
        self.claim(claim, "yes", ours, note, holds=right, partly=partly, by_formula=formula)

    def curve(self, label: str, points: Iterable[tuple[float, float]]) -> None:
        """Add points to a curve."""
        for x, y in points:
            self.point(label, x, y)

    def point(self, label: str, x: float, y: float) -> None:
        """Add a point to a curve."""
        self.check()
        self.series.setdefault(label, []).append((x, y))

    def check(self) -> None:
        """End the work if the user has asked.

        Raises
        ------
        KeyboardInterrupt
        """
        if self.stop():
            raise KeyboardInterrupt

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {
            "name": self.experiment.name,
            "rows": [claim.to_json() for claim in self.claims],
            "series": {
                label: [list(point) for point in points] for label, points in self.series.items()
            },
        }
