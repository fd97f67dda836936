"""Rings and trees of cores on a static network: by agents, and by programs that send the flits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean

from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.sim.cores.compile import compile_program
from syncfabric.sim.cores.run import run_program
from syncfabric.sim.cores.system import FLITS, HARDWARE
from syncfabric.sim.figures.row import Row

__all__ = ["core_reflex", "squares"]

SIDE, SIDES = 8, (2, 4, 8)
EPISODES = 10
KINDS = {"reflex": "reflex-software", "reflex-tree": "reflex-tree-software"}
"""A barrier by agents, and the same in software."""


def squares(side: int, sides: Sequence[int], barrier: str) -> list[float]:
    """Measure barriers of the cores in squares of a static network; the others end at once.

    Parameters
    ----------
    side : int
        Of the network, each of whose nodes has a core.
    sides : sequence of int
        Of the squares, all in the same corner; each is the one group of a run.
    barrier : str
        What ``sf_barrier`` is made of: a kind of a static network's own.

    Returns
    -------
    list of float
        Mean cycles from the last member's arrival to the last one's going on, as programs see it:
        all arrive together.
    """
    network = StaticSpec(kind="static", width=side, height=side)
    planner = (HARDWARE | FLITS)[barrier][1][0]
    found = []
    for square in sides:
        members = tuple((x, y) for y in range(square) for x in range(square))
        group = GroupSpec(id=1, members=members, planner=planner)
        spec = NetworkSpec(name="figure", network=network, groups=(group,))
        defines = {"GROUPS": "1", "EPISODES": str(EPISODES)}
        program = compile_program(Path("scaling"), spec=spec, barrier=barrier, defines=defines)
        result, _ = run_program(spec, program, cores=side * side)
        if not result.ok:
            raise RuntimeError(f"{barrier}, {square} x {square} cores: {result.verdict}")
        put: dict[int, list[int]] = {network.topology.index(member): [] for member in members}
        for one in result.console:
            put[one.core].append(int(one.value))
        took = (
            max(of[k + 1] for of in put.values()) - max(of[k] for of in put.values())
            for k in range(0, 2 * EPISODES, 2)
        )
        found.append(mean(took))
    return found


def core_reflex() -> Iterator[Row]:
    """Reflex barriers of cores, by agents and in software (cycles)."""
    words = ", ".join(str(side * side) for side in SIDES)
    for kind, software in KINDS.items():
        agents, programs = (squares(SIDE, SIDES, barrier) for barrier in (kind, software))
        for barrier, cycles in ((kind, agents), (software, programs)):
            yield Row(f"{barrier}: {words} cores", ", ".join(f"{one:.0f}" for one in cycles))
        ratios = (soft / hard for soft, hard in zip(programs, agents, strict=True))
        yield Row(f"{software} over {kind}", ", ".join(f"{ratio:.1f}" for ratio in ratios))
