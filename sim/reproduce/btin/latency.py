"""Latencies by paper BTIN's formulas over the networks that were drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.timing.btin import PacketTiming, formula_ns, multicast_ns, unicast_ns
from syncfabric.sim.reproduce.btin.networks import Survey
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["NAMES", "Latencies", "add_ratios", "members_of", "published", "times_of"]

NAMES = {"btin": "BTIN", "multicast": "multicast", "unicast": "unicast"}
"""Of the schemes in labels."""
OURS = ("rtl_", "t_in", "t_out")
"""How the names of parameters begin that the paper does not have."""


@dataclass(frozen=True, eq=False)
class Latencies:
    """What the schemes take.

    Parameters
    ----------
    survey : Survey
        Heights.
    times : PacketTiming
    links : float
        The c of ``multicast_ns``.
    """

    survey: Survey
    times: PacketTiming
    links: float

    def us(self, scheme: str, size: int) -> NDArray[np.float64]:
        """Return a scheme's microseconds, network by network.

        Parameters
        ----------
        scheme : str
            Of ``NAMES``.
        size : int
            Members.
        """
        place = self.survey.sizes.index(size)
        heights = self.survey.of("height")[:, place].astype(int).tolist()
        return np.array([self._ns(scheme, size, height) / 1000 for height in heights])

    def mean(self, scheme: str, size: int) -> float:
        """Return a scheme's mean microseconds."""
        return float(self.us(scheme, size).mean())

    def ratio(self, scheme: str, size: int) -> float:
        """Return a scheme's mean over BTIN's."""
        return self.mean(scheme, size) / self.mean("btin", size)

    def _ns(self, scheme: str, size: int, height: int) -> float:
        if scheme == "multicast":
            return multicast_ns(height, size, self.links, self.times)
        if scheme == "unicast":
            return unicast_ns(height, size, self.links, self.times)
        return formula_ns(height, self.times)


def times_of(work: Work, **changed: float) -> PacketTiming:
    """Return the times that the parameters name, some of them changed."""
    names = [field.name for field in fields(PacketTiming)]
    return PacketTiming(**{name: float(work.values[name]) for name in names} | changed)


def members_of(work: Work, nodes: int) -> int:
    """Return the size of the groups that claims are about, on a network of so many nodes."""
    return min(int(work.values["members"]), nodes)


def published(work: Work, value: float) -> float | None:
    """Return a value of the paper; None where parameters are not those that it has it for.

    What is not the paper's to begin with, as how messages follow each other, may be changed.
    """
    parameters = [p for p in work.experiment.parameters if not p.name.startswith(OURS)]
    return value if all(work.values[p.name] == p.value for p in parameters) else None


def add_ratios(
    work: Work, label: str, ratios: Mapping[int, float], size: int, paper: float | None
) -> None:
    """Add a curve of multicast over BTIN by members, and the paper's point if it has one."""
    work.curve(f"multicast over BTIN, {label}, ours", ratios.items())
    if paper is not None:
        work.point(f"multicast over BTIN, {label}, paper", size, paper)
