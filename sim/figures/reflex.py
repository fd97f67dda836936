"""Barriers by network of paper Reflex (Fig. 6), BTM and wires, on hardware, in cycles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from syncfabric.models.networks.spec import AnySpec, GroupSpec, MeshSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.draw.canvas import format_of, picture
from syncfabric.sim.draw.curves import curves_figure
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.schemes.udn import release_cycles
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.figures.row import Row
from syncfabric.sim.output import check_file, write_file

__all__ = ["BARRIERS", "Barrier", "Times", "check_plot", "measured", "on_mesh", "plot", "reflex"]

SIDES = (2, 4, 6, 8)


@dataclass(frozen=True)
class Times:
    """What a barrier takes, in cycles from the last arrival to the last release.

    Parameters
    ----------
    together : int
        All members arrive in one cycle.
    late : int
        All but one have arrived before; the worst over which one.
    """

    together: int
    late: int


Barrier = Callable[[int], Times]
"""Measures a barrier of all cores of a square mesh, by its side."""


def on_mesh(planner: str, scheme: str = "", **keys: object) -> Barrier:
    """Return a barrier of a mesh: by its routers, or by packets with the same routers.

    Parameters
    ----------
    planner : str
        Of the group of all.
    scheme : str
        As in ``Scenario``; by packets.
    keys : object
        Of the network.
    """

    def barrier(side: int) -> Times:
        shape = {"kind": "mesh", "width": side, "height": side}
        return _run(MeshSpec.model_validate({**shape, **keys}), planner, scheme)

    return barrier


def on_static(planner: str) -> Barrier:
    """Return a barrier of the static network: paper Reflex's ring, or our tree."""
    return lambda side: _run(StaticSpec(kind="static", width=side, height=side), planner)


BARRIERS: dict[str, Barrier] = {
    "Reflex, ring": on_static("ring"),
    "Reflex, tree (ours)": on_static("tree"),
    "wires (ours)": on_mesh("wires", sync="wires"),
    "wires (ours), one link register": on_mesh("wires", sync="wires", link_registers=1),
    "BTM, planner shortest, pipeline 0": on_mesh("shortest", barrier_pipeline=0),
    "BTM, planner btm, pipeline 1": on_mesh("btm", barrier_pipeline=1),
    "UDN/STN": on_mesh("shortest", "udn/stn", barrier_pipeline=0),
    "dissemination": on_mesh("shortest", "dissemination", barrier_pipeline=0),
    "unicast": on_mesh("shortest", "unicast", barrier_pipeline=0),
}
"""All barriers that are measured, by their names."""


def _plan(network: AnySpec, planner: str) -> BarrierPlan:
    groups = (GroupSpec(id=1, members=tuple(network.topology.nodes), planner=planner),)
    return make_plan(NetworkSpec(name="figure", network=network, groups=groups))


def _run(network: AnySpec, planner: str, scheme: str = "") -> Times:
    plan = _plan(network, planner)
    together = Scenario(episodes=1, policy="together", scheme=scheme)
    late = Scenario(episodes=len(network.topology.nodes), policy="last", scheme=scheme)
    job = Job(((plan, together), (plan, late)))
    outcomes = simulate_tiles(job, build_fabric(network)).outcomes
    return Times(*map(_worst, outcomes))


def _worst(outcome: Outcome) -> int:
    wrong = outcome.hang or next(iter(outcome.mismatches), None)
    if wrong:
        raise RuntimeError(str(wrong))
    return max(outcome.scheme.cycles if outcome.scheme else outcome.groups[0].latency)


@cache
def measured() -> dict[str, dict[int, Times]]:
    """Return what each barrier takes, by its name and the number of cores."""
    return {
        name: {side * side: barrier(side) for side in SIDES} for name, barrier in BARRIERS.items()
    }


def reflex() -> Iterator[Row]:
    """Barriers of paper Reflex in hardware, 4 to 64 cores, all of them members (cycles)."""
    for name, times in measured().items():
        sizes = " / ".join(map(str, times))
        for when, cycles in (
            ("all together", [time.together for time in times.values()]),
            ("one late, the worst", [time.late for time in times.values()]),
        ):
            yield Row(f"{sizes} cores, {when}: {name}", " / ".join(map(str, cycles)))
    sizes = " / ".join(str(side * side) for side in SIDES)
    cycles = [_release(side) for side in SIDES]
    yield Row(
        f"{sizes} cores, UDN/STN's release in these, by formula", " / ".join(map(str, cycles))
    )


def _release(side: int) -> int:
    """Return what the release of UDN/STN takes on the static network."""
    group = _plan(MeshSpec(kind="mesh", width=side, height=side), "shortest").groups[0]
    assert group.root is not None
    return max(release_cycles(group.root, member) for member in group.members)


def check_plot(path: Path) -> None:
    """Refuse a file that no picture can be written into.

    Raises
    ------
    OutputError
        Its name ends otherwise than ``.svg`` or ``.png``, or it cannot be written.
    """
    format_of(path)
    check_file(path, "picture")


def plot(path: Path) -> Path:
    """Draw what all barriers take when all arrive together; return the file."""
    curves: dict[str, dict[int, float]] = {
        name: {cores: time.together for cores, time in times.items()}
        for name, times in measured().items()
    }
    figure = curves_figure(
        curves,
        title="Barriers in hardware",
        line="all cores of a square mesh, arriving in one cycle",
        across="cores",
        up="cycles from arrival to the last release",
    )
    return write_file(path, picture(figure, format_of(path)))
