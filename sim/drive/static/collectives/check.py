"""What a static network cannot do for a group, told before any work begins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.static.collectives.asked import (
    KINDS,
    OPERATIONS,
    THROUGH_CORES,
    Collective,
)
from syncfabric.sim.drive.static.parts import groups_of

__all__ = ["check_collectives"]


def check_collectives(plan: BarrierPlan, asked: Sequence[Collective]) -> None:
    """Refuse what cannot be done on a plan's network.

    Raises
    ------
    SpecError
        A group is not on the network, has one member, or is no ring where it has to be one; or a
        value is not what it can be.
    """
    if asked and not isinstance(plan.spec.network, StaticSpec):
        raise SpecError(
            f"collectives run on static networks; {plan.spec.name} is of another kind, whose "
            "groups combine in their barriers: set op there"
        )
    for place, collective in enumerate(asked, 1):
        for problem in _problems(plan, collective):
            raise SpecError(f"collective {place}: {problem}")


def _problems(plan: BarrierPlan, asked: Collective) -> Iterable[str]:
    """Yield what is wrong with a collective."""
    if asked.kind not in KINDS:
        yield f"kind must be one of {', '.join(KINDS)}, not {asked.kind!r}"
    if asked.op not in OPERATIONS:
        yield f"op must be one of {', '.join(OPERATIONS)}, not {asked.op!r}"
    if asked.flits < 1:
        yield f"flits must be 1 or more, not {asked.flits}"
    if asked.work < 0:
        yield f"work must be 0 cycles or more, not {asked.work}"
    groups = {group.id: group for group in groups_of(plan)}
    if asked.group not in groups:
        known = ", ".join(map(str, groups)) or "none"
        yield f"group {asked.group} is not on the network; its groups: {known}"
        return
    group = groups[asked.group]
    if len(group.members) < 2:
        yield f"group {asked.group} has one member, which has nobody to send to; it takes two"
    if asked.kind in THROUGH_CORES and group.flits is not None:
        yield (
            f"group {asked.group} is a tree, where switches copy flits and cannot combine them; "
            f'{asked.kind} needs a ring: set planner = "ring"'
        )
