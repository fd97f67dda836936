"""All experiments by name, what a user chooses of them, and whether they take it."""

import math
from collections.abc import Iterable, Mapping, Sequence

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.models.plugins import plugins
from syncfabric.sim.experiments.frame import Experiment, Work, declared

ALL = "all"

_FILES = (
    *("btm", "btm_table", "btin", "btin_table", "reflex", "reflex_more"),
    *("evo", "adapt", "adapt_more"),
)
"""Of the folder ``papers``, in the order of lists."""

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in declared("syncfabric.sim.experiments.papers", *_FILES)
}


def experiments() -> dict[str, Experiment]:
    """Return all experiments by their names, those of other packages last.

    Raises
    ------
    SpecError
        A package that adds one cannot be imported.
    """
    return EXPERIMENTS | plugins("syncfabric.experiments", Experiment)


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
    known = experiments()
    for name in wanted:
        if name != ALL and name not in known:
            near = did_you_mean(name, (*known, ALL))
            raise SpecError(f'reproduce: unknown experiment "{name}"; {near}')
    if ALL in wanted:
        return list(known.values())
    return [known[name] for name in wanted]


CLOCK_MHZ = 100.0
FASTEST_MHZ = 100_000


def works_of(
    experiments: Sequence[Experiment],
    *,
    runs: int | None = None,
    seed: int = 1,
    time_limit: float | None = None,
    settings: Mapping[str, int | float] | None = None,
    rtl: bool = False,
    clock_mhz: float | None = None,
) -> list[Work]:
    """Return the work of each experiment, with those of the options that it takes.

    Parameters
    ----------
    experiments : sequence of Experiment
    runs : int, optional
        Of an entry.
    seed : int
        Of the first run.
    time_limit : float, optional
        Seconds of a run.
    settings : mapping of str to int or float, optional
        Parameters that are not to have their default.
    rtl : bool
        Whether points measured on the hardware are wanted.
    clock_mhz : float, optional
        The clock that is assumed for them.

    Raises
    ------
    SpecError
        An option is out of range, or none of the experiments takes it.
    """
    names = ", ".join(experiment.name for experiment in experiments)
    if runs is not None and all(e.runs is None for e in experiments):
        raise SpecError(f"--seeds: {names} has no runs to choose; leave it out")
    if time_limit is not None:
        if not 0 < time_limit < math.inf:
            raise SpecError(f"--time-limit: it must be above 0 seconds, not {time_limit:g}")
        if all(e.time_limit is None for e in experiments):
            raise SpecError(f"--time-limit: nothing in {names} is cut off by time; leave it out")
    if rtl and not any(experiment.rtl for experiment in experiments):
        raise SpecError(f"--rtl: {names} has nothing to measure on the hardware; leave it out")
    if clock_mhz is not None:
        if not 0 < clock_mhz <= FASTEST_MHZ:
            span = f"it must be above 0 and at most {FASTEST_MHZ} MHz, not {clock_mhz:g}"
            raise SpecError(f"--clock: {span}")
        if not rtl:
            raise SpecError("--clock: it is of points by --rtl; add --rtl, or leave it out")
    known = {parameter.name for e in experiments for parameter in e.parameters}
    for name in settings or {}:
        if not known:
            raise SpecError(f"--set {name}: {names} has no parameters; leave it out")
        if name not in known:
            raise SpecError(f'--set: unknown parameter "{name}"; {did_you_mean(name, known)}')
    works = []
    for experiment in experiments:
        usual, limit = experiment.runs, experiment.time_limit
        chosen = {
            parameter.name: parameter.checked(settings[parameter.name], experiment.name)
            for parameter in experiment.parameters
            if settings and parameter.name in settings
        }
        work = Work(experiment, 1 if usual is None else runs or usual, seed, chosen=chosen)
        work.time_limit = time_limit or limit or math.inf
        work.rtl, work.clock_mhz = rtl and experiment.rtl, clock_mhz or CLOCK_MHZ
        works.append(work)
    return works
