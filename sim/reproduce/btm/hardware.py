"""BTM and the CS tree measured on the RTL of one mesh: planners ``btm`` and ``cs``.

All members arrive together and nothing else is in the network, as in paper BTM's section 4.1. There
is no start-up: members arrive at their node ports by a wire. Messages are routed, and have no data.
Both trees are on the same hardware, so a node of the CS tree takes as long as one of BTM's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import btm
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.timing.btm import Timing, cs_formula_ns, formula_ns
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.tiles import measure
from syncfabric.sim.reproduce.btm.groups import draw
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["Measured", "add_latency", "add_traffic", "run"]

PLANNERS = {"btm": "BTM", "cs": "CS"}
SIDES = (4, 8, 16)
"""Of the meshes that may be measured."""
GROUPS = 5
"""Random groups of each size that are not all nodes."""


class Measured(NamedTuple):
    """Barriers of one size on the RTL, means over groups.

    Parameters
    ----------
    side, size : int
        Nodes on a side of the mesh, and members.
    cycles, links : dict of str to float
        By planner: from the arrival of all to the last release, and links passed.
    """

    side: int
    size: int
    cycles: dict[str, float]
    links: dict[str, float]

    @property
    def who(self) -> str:
        """What was measured, in words."""
        return f"{self.size} members, {self.side}x{self.side}, RTL"


def add_latency(work: Work, timing: Timing) -> None:
    """Add latencies in nanoseconds at the clock that is assumed; nothing without --rtl."""
    for found in _measured(work):
        for planner, name in PLANNERS.items():
            ns = found.cycles[planner] * 1000 / work.clock_mhz
            work.point(f"{name}, {found.side}x{found.side}, RTL", found.size, ns)
        if found.size == found.side**2:
            for planner, name in PLANNERS.items():
                ns = found.cycles[planner] * 1000 / work.clock_mhz
                cycles = f"{found.cycles[planner]:g} cycles at {work.clock_mhz:g} MHz"
                work.claim(f"latency of {name}, ns, {found.who}", None, ns, cycles)
        formula = _formula(found, work.seed, timing)
        work.claim(
            f"BTM is faster than CS, times, {found.who}",
            None,
            found.cycles["cs"] / found.cycles["btm"],
            f"{formula:.2f} by the formulas without start-ups",
        )


def _formula(found: Measured, seed: int, timing: Timing) -> float:
    """Return the speedup of the same groups by the paper's formulas, start-ups left out."""
    trees = [btm.build_tree(draw(found.side, found.size, s)) for s in _seeds(found, seed)]
    start_ups = 2 * timing.t_s
    ours = sum(formula_ns(tree, timing) - start_ups for tree in trees)
    return sum(cs_formula_ns(tree, timing) - start_ups for tree in trees) / ours


def add_traffic(work: Work) -> None:
    """Add links passed, as counted on the links of the RTL; nothing without --rtl."""
    for found in _measured(work):
        for planner, name in PLANNERS.items():
            work.point(f"{name}, {found.side}x{found.side}, RTL", found.size, found.links[planner])
        ratio = found.links["btm"] / found.links["cs"]
        work.claim(f"traffic of BTM over that of CS, {found.who}", None, ratio)


def _measured(work: Work) -> Iterator[Measured]:
    """Yield what both planners take, mesh by mesh and size by size."""
    if not work.rtl:
        return
    largest = int(work.values["rtl_side"])
    work.tell(f"RTL of meshes up to {largest}x{largest}")
    jobs = [(side, work.seed) for side in SIDES if side <= largest]
    for rows in work.map(run, jobs):
        yield from (Measured(*row) for row in rows)


def _seeds(found: Measured, seed: int) -> range:
    return range(seed, seed + (1 if found.size == found.side**2 else GROUPS))


def run(side: int, seed: int) -> list[Measured]:
    """Measure groups of 4, 8, … and all nodes of a mesh."""
    network = MeshSpec(
        kind="mesh", width=side, height=side, transport="routed", data_bits=0, setup="manager"
    )
    found = []
    size = 4
    while size <= side**2:
        point = Measured(side, size, {}, {})
        for planner in PLANNERS:
            pairs = [_barrier(network, planner, size, s) for s in _seeds(point, seed)]
            point.cycles[planner], point.links[planner] = np.mean(pairs, axis=0).tolist()
        found.append(point)
        size *= 2
    return found


def _barrier(network: MeshSpec, planner: str, size: int, seed: int) -> tuple[int, int]:
    """Return the cycles and links of one barrier."""
    members = tuple(draw(network.width, size, seed))
    groups = (GroupSpec(id=1, members=members, planner=planner),)
    plan = make_plan(NetworkSpec(name="reproduce", network=network, groups=groups))
    # "btin": the members arrive at node ports, on a mesh too.
    scenario = Scenario(episodes=1, scheme="btin", policy="together")
    (outcome,) = measure(plan, [scenario])
    assert outcome.scheme is not None
    return outcome.scheme.cycles[0], outcome.scheme.between[0]
