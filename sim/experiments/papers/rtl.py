"""Barriers of one group, alone on a network, measured on our RTL under Verilator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from syncfabric.models.networks.spec import AnySpec
    from syncfabric.sim.drive.scenario import Policy

LOOP = 16
"""Barriers that follow each other back to back."""

Wish = tuple["Policy", int]
"""When members arrive, and the jitter: see ``Scenario``."""


class Took(NamedTuple):
    """What barriers took: cycles from the last arrival to the last release, and links passed."""

    cycles: int
    between: int
    """Links between routers, in the first barrier; 0 if no scheme is measured."""


def on_rtl(
    network: AnySpec,
    members: Iterable[tuple[int, int]] | None,
    planner: str,
    asked: Sequence[tuple[str, Wish]],
) -> list[Took]:
    """Measure barriers of some nodes or all, compared with the golden model in every cycle.

    With policy ``last`` and ``late`` each member is that one once, and the worst counts; with
    ``back_to_back`` it is the period, the first one left out.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec
    members : iterable of nodes, optional
    planner : str
    asked : sequence of (scheme, wish)
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
    episodes, each = {"together": 1, "back_to_back": LOOP}, len(plan.groups[0].members)
    scenarios = [
        Scenario(episodes=episodes.get(policy, each), policy=policy, jitter=jitter, scheme=scheme)
        for scheme, (policy, jitter) in asked
    ]
    found = []
    for scenario, outcome in zip(scenarios, measure(plan, scenarios), strict=True):
        one = outcome.scheme
        cycles = one.cycles if one else outcome.groups[0].latency
        worst = max(cycles[scenario.policy == "back_to_back" :])
        found.append(Took(worst, one.between[0] if one else 0))
    return found
