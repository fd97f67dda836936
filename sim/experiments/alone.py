"""Barriers of one group, alone on an idle network, measured on our RTL under Verilator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from syncfabric.models.networks.spec import MeshSpec, StaticSpec

if TYPE_CHECKING:
    from syncfabric.models.networks.spec import AnySpec
    from syncfabric.models.planning.group_plan import GroupPlan
    from syncfabric.sim.drive.scenario import Policy

LOOP = 16
"""Barriers that follow each other back to back."""

Wish = tuple["Policy", int]
"""When members arrive, and the jitter: see ``Scenario``."""
LAST: Wish = ("last", 16)
"""Each member is last once, the others arriving at random before it."""


class Took(NamedTuple):
    """What barriers took."""

    cycles: list[int]
    """From the last arrival to the last release, of each; of those back to back without the first,
    which follows none."""
    between: int = 0
    """Links between routers that the first one passed; 0 if no scheme is measured."""
    beside: int = 0
    """Links of nodes, likewise."""

    @property
    def worst(self) -> int:
        """The greatest of the cycles."""
        return max(self.cycles)


def alone(
    network: AnySpec,
    members: Iterable[tuple[int, int]] | None = None,
    planner: str = "",
    asked: Iterable[tuple[str, Wish]] = (("", LAST),),
) -> tuple[GroupPlan, list[Took]]:
    """Measure barriers of some nodes or all, compared with the golden model in every cycle.

    With policies ``last`` and ``late`` each member is that one once.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec
    members : iterable of nodes, optional
    planner : str
        By default the network's own.
    asked : iterable of (scheme, wish)
        Schemes as in ``Scenario``: by packets or as ``btin``, whose members arrive at node ports.
        Empty: by the network's own hardware.

    Raises
    ------
    RuntimeError
        Hardware and model differ, or it does not come to an end.
    ToolError
        Verilator or the C++ compiler is missing.
    """
    from syncfabric.sim.drive.backends import measure, plan_of
    from syncfabric.sim.drive.scenario import Scenario

    plan = plan_of(network, members, planner)
    (group,) = plan.groups
    episodes = {"together": 1, "back_to_back": LOOP}
    scenarios = [
        Scenario(episodes.get(policy, len(group.members)), 1, 0.0, policy, jitter, scheme=scheme)
        for scheme, (policy, jitter) in asked
    ]
    found = []
    for scenario, outcome in zip(scenarios, measure(plan, scenarios), strict=True):
        if one := outcome.scheme:
            found.append(Took(one.cycles, one.between[0], one.beside[0]))
        else:
            found.append(Took(outcome.groups[0].latency))
        if scenario.policy == "back_to_back":
            del found[-1].cycles[0]
    return group, found


class Barrier(NamedTuple):
    """A barrier of all cores of a square."""

    kind: str
    """Of the network."""
    planner: str
    scheme: str = ""
    """As in ``Scenario``: by packets over a mesh. Empty: by the network's own hardware."""
    keys: Mapping[str, object] = {}
    """Of the network."""

    def network(self, side: int) -> AnySpec:
        """Return the network of a side."""
        keys = {"kind": self.kind, "width": side, "height": side, **self.keys}
        return (StaticSpec if self.kind == "static" else MeshSpec).model_validate(keys)

    def cycles(self, side: int, wishes: Iterable[Wish]) -> tuple[GroupPlan, list[int]]:
        """Measure it on a square of a side: the worst for each wish."""
        asked = [(self.scheme, wish) for wish in wishes]
        group, found = alone(self.network(side), None, self.planner, asked)
        return group, [took.worst for took in found]
