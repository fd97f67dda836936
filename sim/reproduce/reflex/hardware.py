"""Barriers measured on our RTL: all cores of a square, under Verilator, in cycles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from syncfabric.models.networks.spec import (
    AnySpec,
    GroupSpec,
    MeshSpec,
    NetworkSpec,
    StaticSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.tiles import measure
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex.tile64 import REFLEX, TREE, WIRES, WIRES_1

__all__ = ["ALL", "BARRIERS", "SIDES", "Barrier", "Wish", "cycles", "run"]

SIDES = (2, 4, 6, 8)

Wish = tuple[Policy, int]
"""When members arrive, and the jitter: see ``Scenario``."""


@dataclass(frozen=True)
class Barrier:
    """A barrier of all cores of a square.

    Parameters
    ----------
    kind : str
        Of the network.
    planner : str
        Of the group of all.
    scheme : str
        As in ``Scenario``: by packets over a mesh. Empty: by the network's own hardware.
    keys : dict
        Of the network.
    """

    kind: str
    planner: str
    scheme: str = ""
    keys: dict[str, object] = field(default_factory=dict)

    def network(self, side: int) -> AnySpec:
        """Return the network of a side."""
        keys = {"kind": self.kind, "width": side, "height": side, **self.keys}
        spec = StaticSpec if self.kind == "static" else MeshSpec
        network: AnySpec = spec.model_validate(keys)
        return network

    def plan(self, side: int) -> BarrierPlan:
        """Return its plan."""
        network = self.network(side)
        groups = (GroupSpec(id=1, members=tuple(network.topology.nodes), planner=self.planner),)
        return make_plan(NetworkSpec(name="figure", network=network, groups=groups))

    def cycles(self, side: int, wishes: Iterable[Wish]) -> list[int]:
        """Measure it, compared with the golden model in every cycle.

        With ``last`` and ``late`` each member is that one once, and the worst counts; with
        ``back_to_back`` it is the period, the first one left out.

        Raises
        ------
        RuntimeError
            Hardware and model differ, or it does not come to an end.
        ToolError
            Verilator or the C++ compiler is missing.
        """
        plan, wanted = self.plan(side), list(wishes)
        episodes = {"together": 1, "back_to_back": 16}
        scenarios = [
            Scenario(
                episodes=episodes.get(policy, side * side),
                policy=policy,
                jitter=jitter,
                scheme=self.scheme,
            )
            for policy, jitter in wanted
        ]
        found = []
        for (policy, _), outcome in zip(wanted, measure(plan, scenarios), strict=True):
            each = outcome.scheme.cycles if outcome.scheme else outcome.groups[0].latency
            found.append(max(each[policy == "back_to_back" :]))
        return found


def _by_packets(scheme: str) -> Barrier:
    return Barrier("mesh", "shortest", scheme)


BARRIERS = {
    REFLEX: Barrier("static", "ring"),
    TREE: Barrier("static", "tree"),
    WIRES: Barrier("mesh", "wires", "", {"wires": 1}),
    WIRES_1: Barrier("mesh", "wires", "", {"wires": 1, "link_registers": 1}),
    "engines": Barrier("mesh", "shortest"),
    "engines, routed BTM": Barrier("mesh", "btm", "", {"transport": "routed"}),
    "UDN/STN": _by_packets("udn/stn"),
    "dissemination by messages": _by_packets("dissemination"),
    "unicast": _by_packets("unicast"),
}
"""What is measured, by the names that models have."""
ALL = tuple(BARRIERS)


def run(name: str, side: int, wishes: Sequence[Wish]) -> list[int]:
    """Return the cycles of a barrier by its name; see ``Barrier.cycles``."""
    return BARRIERS[name].cycles(side, wishes)


def cycles(
    work: Work, names: Sequence[str], wishes: Sequence[Wish], sides: Sequence[int] = SIDES
) -> dict[str, list[list[int]]]:
    """Measure barriers by name, at every side with every wish; all as jobs of the work."""
    work.tell("barriers on the RTL")
    jobs = [(name, side, wishes) for name in names for side in sides]
    found = iter(work.map(run, jobs))
    return {name: [next(found) for _ in sides] for name in names}
