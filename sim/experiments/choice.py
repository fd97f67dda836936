"""All experiments by name, what a user chooses of them, and whether they take it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.sim.experiments.frame import Experiment, Work, declared
from syncfabric.sim.experiments.papers import (
    adapt,
    btin,
    btin_table,
    btm,
    btm_table,
    evo,
    reflex,
    reflex_more,
)

ALL = "all"

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in declared(btm, btm_table, btin, btin_table, reflex, reflex_more, evo, adapt)
}


def chosen(names: Iterable[str]) -> list[Experiment]:
    """Return the experiments of these names, each once; all of them for ``all``.

    Raises
    ------
    SpecError
        There is no name, or no experiment of a name.
    """
    wanted = list(dict.fromkeys(names))
    if not wanted:
        raise SpecError("reproduce: name an experiment, or all; --list shows them")
    for name in wanted:
        if name != ALL and name not in EXPERIMENTS:
            near = did_you_mean(name, (*EXPERIMENTS, ALL))
            raise SpecError(f'reproduce: unknown experiment "{name}"; {near}')
    if ALL in wanted:
        return list(EXPERIMENTS.values())
    return [EXPERIMENTS[name] for name in wanted]


CLOCK_MHZ = 100.0
FASTEST_MHZ = 100_000


@dataclass(frozen=True)
class Choice:
    """The options of ``syncfabric reproduce`` that experiments take.

    Parameters
    ----------
    runs : int, optional
        Of an entry.
    seed : int
        Of the first run.
    time_limit : float, optional
        Seconds of a run.
    settings : mapping of str to int or float
        Parameters that are not to have their default.
    rtl : bool
        Whether points measured on the hardware are wanted.
    clock_mhz : float, optional
        The clock that is assumed for them.
    """

    runs: int | None = None
    seed: int = 1
    time_limit: float | None = None
    settings: Mapping[str, int | float] = field(default_factory=dict)
    rtl: bool = False
    clock_mhz: float | None = None

    def check(self, experiments: Sequence[Experiment]) -> None:
        """Refuse what is out of range, or what none of the experiments takes.

        Raises
        ------
        SpecError
        """
        names = ", ".join(experiment.name for experiment in experiments)
        if self.runs is not None and all(e.runs is None for e in experiments):
            raise SpecError(f"--seeds: {names} has no runs to choose; leave it out")
        if self.time_limit is not None:
            if not 0 < self.time_limit < math.inf:
                raise SpecError(
                    f"--time-limit: it must be above 0 seconds, not {self.time_limit:g}"
                )
            if all(e.time_limit is None for e in experiments):
                raise SpecError(
                    f"--time-limit: nothing in {names} is cut off by time; leave it out"
                )
        if self.rtl and not any(experiment.rtl for experiment in experiments):
            raise SpecError(f"--rtl: {names} has nothing to measure on the hardware; leave it out")
        if self.clock_mhz is not None:
            if not 0 < self.clock_mhz <= FASTEST_MHZ:
                raise SpecError(
                    f"--clock: it must be above 0 and at most {FASTEST_MHZ} MHz, "
                    f"not {self.clock_mhz:g}"
                )
            if not self.rtl:
                raise SpecError("--clock: it is of points by --rtl; add --rtl, or leave it out")
        for name in self.settings:
            self._check_setting(name, experiments)

    def work(self, experiment: Experiment, stop: Callable[[], bool]) -> Work:
        """Return the work of an experiment with what of this it takes."""
        runs = experiment.runs if self.runs is None or experiment.runs is None else self.runs
        limit = experiment.time_limit if self.time_limit is None else self.time_limit
        return Work(
            experiment,
            1 if runs is None else runs,
            self.seed,
            math.inf if limit is None else limit,
            stop,
            chosen=self._chosen(experiment),
            rtl=self.rtl and experiment.rtl,
            clock_mhz=CLOCK_MHZ if self.clock_mhz is None else self.clock_mhz,
        )

    def _check_setting(self, name: str, experiments: Sequence[Experiment]) -> None:
        known = {parameter.name for e in experiments for parameter in e.parameters}
        if not known:
            names = ", ".join(experiment.name for experiment in experiments)
            raise SpecError(f"--set {name}: {names} has no parameters; leave it out")
        if name not in known:
            raise SpecError(f'--set: unknown parameter "{name}"; {did_you_mean(name, known)}')
        for experiment in experiments:
            self._chosen(experiment)

    def _chosen(self, experiment: Experiment) -> dict[str, int | float]:
        """Return the settings of this experiment's parameters."""
        return {
            parameter.name: parameter.checked(self.settings[parameter.name], experiment.name)
            for parameter in experiment.parameters
            if parameter.name in self.settings
        }
