"""Whether a group's plan, which anybody may have put together, is one of its network."""

from __future__ import annotations

from typing import Any

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.models.planning.links.group_plan import GroupPlan
from syncfabric.models.planning.plan_static import StaticGroupPlan

__all__ = ["check_group"]

BOUNDS = ("bound", "bound_btm", "bound_least")


def check_group(group: Any, network: AnySpec) -> None:
    """See that a group's plan is one of this network, in what reading its JSON does not show.

    Parameters
    ----------
    group : Any
        What stands where a group's plan belongs.
    network : AnySpec

    Raises
    ------
    SpecError
        It is none, or that of another kind of network; or a bound is no number of cycles.
    """
    plan = StaticGroupPlan if isinstance(network, StaticSpec) else GroupPlan
    if not isinstance(group, plan):
        name = type(group).__name__
        raise SpecError(f"{name} is no plan of a group on a network of kind {network.kind}")
    for name in BOUNDS:
        bound = getattr(group, name)
        whole = isinstance(bound, int) and not isinstance(bound, bool) and bound >= 0
        if bound is not None and not whole:
            raise SpecError(f"group {group.id}: {name} must be cycles or None, not {bound!r}")
