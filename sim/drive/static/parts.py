"""What a run on a static network takes from its plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_images import StaticGroup

__all__ = ["NumberedGroup", "groups_of", "network_of"]


class NumberedGroup(StaticGroup, Protocol):
    """A planned group and its number."""

    @property
    def id(self) -> int:
        """Its GID."""


def network_of(plan: BarrierPlan) -> StaticSpec:
    """Return the network of a plan of this kind."""
    return cast(StaticSpec, plan.spec.network)


def groups_of(plan: BarrierPlan) -> Sequence[NumberedGroup]:
    """Return the groups of a plan of this kind."""
    return cast(Sequence[NumberedGroup], plan.groups)
