"""What a run on a static network takes from its plan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_images import NumberedGroup
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static.collectives.asked import Collective

__all__ = ["asked_of", "barriers_of", "groups_of", "network_of"]


def network_of(plan: BarrierPlan) -> StaticSpec:
    """Return the network of a plan of this kind."""
    network = plan.spec.network
    assert isinstance(network, StaticSpec)
    return network


def groups_of(plan: BarrierPlan) -> Sequence[NumberedGroup]:
    """Return the groups of a plan of this kind."""
    return cast(Sequence[NumberedGroup], plan.groups)


def barriers_of(plan: BarrierPlan, scenario: Scenario) -> BarrierPlan:
    """Return a plan of the groups alone that have barriers in a scenario."""
    others = {asked.group for asked in scenario.collectives}
    if not others:
        return plan
    return replace(plan, groups=tuple(group for group in plan.groups if group.id not in others))


def asked_of(
    plan: BarrierPlan, scenario: Scenario
) -> list[tuple[NumberedGroup, list[tuple[int, Collective]]]]:
    """Return the other groups and what they are to do in turn, each with its place in the list."""
    asked: defaultdict[int, list[tuple[int, Collective]]] = defaultdict(list)
    for place, collective in enumerate(scenario.collectives):
        asked[collective.group].append((place, collective))
    return [(group, asked[group.id]) for group in groups_of(plan) if group.id in asked]
