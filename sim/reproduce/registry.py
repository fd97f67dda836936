"""All experiments, by name."""

from __future__ import annotations

from collections.abc import Iterable

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean
from syncfabric.sim.reproduce.adapt.experiments import ADAPT
from syncfabric.sim.reproduce.btin.experiments import BTIN
from syncfabric.sim.reproduce.btm.experiments import BTM
from syncfabric.sim.reproduce.evo.experiments import EVO
from syncfabric.sim.reproduce.experiment import Experiment
from syncfabric.sim.reproduce.reflex.experiments import REFLEX

__all__ = ["ALL", "EXPERIMENTS", "chosen"]

ALL = "all"

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment for experiment in (*BTM, *BTIN, *REFLEX, *EVO, *ADAPT)
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
