"""Functional coverage: what the runs of a bench have met, of all that they could."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from syncfabric.models.networks.spec import IrregularSpec, RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.coverage.irregular import IrregularCoverage, irregular_universe
from syncfabric.sim.drive.coverage.mesh import MeshCoverage, mesh_universe
from syncfabric.sim.drive.coverage.shared import Coverage

__all__ = ["Coverage", "coverage_of", "holes", "percent", "universe"]


def coverage_of(plan: BarrierPlan) -> Coverage:
    """Return what watches one run on the plan's network."""
    if isinstance(plan.spec.network, IrregularSpec):
        return IrregularCoverage(plan)
    return MeshCoverage(plan)


def universe(spec: RegisterSpec) -> Iterator[str]:
    """Yield every bin that a network can reach, given groups and traffic of all kinds.

    Parameters
    ----------
    spec : MeshSpec or IrregularSpec
        The network; a mesh of at least 3x3 nodes, or switches with links and nodes enough to meet.
    """
    if isinstance(spec, IrregularSpec):
        return irregular_universe(spec)
    return mesh_universe(spec)


def percent(hits: Mapping[str, int], bins: set[str]) -> float:
    """Return how much of ``bins`` was hit."""
    return 100 * sum(hits.get(name, 0) > 0 for name in bins) / len(bins)


def holes(hits: Mapping[str, int], bins: set[str]) -> list[str]:
    """Return the bins never hit, in alphabetical order."""
    return sorted(name for name in bins if not hits.get(name, 0))
