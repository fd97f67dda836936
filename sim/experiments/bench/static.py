"""Barriers and collectives of the static network (paper Reflex), all cores of a square."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.backends import measure_runs, plan_of
from syncfabric.sim.drive.scenario import Policy, Scenario
from syncfabric.sim.drive.static.operations import FROM_ROOT, KINDS, Collective, bound_of
from syncfabric.sim.experiments.alone import Barrier, Wish
from syncfabric.sim.experiments.bench.measures import at_most
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import section

SIDES = (2, 4, 8, 16)
PLANNERS = {
    "ring": Barrier("static", "ring"),
    "tree": Barrier("static", "tree"),
    "shortest": Barrier("mesh", "shortest"),
    "wires": Barrier("mesh", "wires", "", {"wires": 1}),
}
"""The last two are in routers."""
WISHES: dict[str, Wish] = {
    "all together": ("together", 0),
    "back to back": ("back_to_back", 0),
    **{f"one late by {late}, the worst": ("late", late) for late in (50, 200, 1000)},
}
EACH_LATE = 64
"""Cores up to which each is late once."""


@section
def static_latency() -> Iterator[Claim]:
    """Barriers on a static network, rings and trees, and in routers, all cores (cycles)."""
    for side in SIDES:
        each_late = side**2 <= EACH_LATE
        wishes = {words: wish for words, wish in WISHES.items() if each_late or wish[0] != "late"}
        for planner, barrier in PLANNERS.items():
            group, cycles = barrier.cycles(side, wishes.values())
            assert group.bound is not None
            for words, worst in zip(wishes, cycles, strict=True):
                yield at_most(f"{side}x{side}, {planner}, {words}", worst, group.bound)


SQUARES = (2, 4, 6, 8)
"""Sides of the networks that collectives by software (section VI) are measured on."""
WORDS: tuple[tuple[int, Policy], ...] = ((1, "together"), (1, "last"), (32, "together"))
"""Flits of a word (with links of one bit, its bits), and when members begin."""
WORK = 1
"""Cycles that a flit of a reduction takes a core."""
IN_ROUTERS = {
    "messages": Barrier("mesh", "shortest", "", {"data_bits": 32, "flit_bits": 64}),
    "wires": Barrier("mesh", "wires", "", {"wires": 1, "data_bits": 32}),
}
"""Barriers that combine a word on their way."""

Case = tuple[str, str, int, Policy]
"""Planner, kind, flits, and when members begin."""


@section
def collectives() -> Iterator[Claim]:
    """Collectives by software on static networks, all cores of a square (cycles)."""
    sizes = " / ".join(str(side * side) for side in SQUARES)
    found = [_collectives(side) for side in SQUARES]
    for case in found[0]:
        planner, kind, flits, policy = case
        cycles, formula = zip(*(times[case] for times in found), strict=True)
        word = "1 flit" if flits == 1 else f"{flits} flits"
        together = policy == "together"
        said = "all together" if together else "each the last in turn, worst"
        yield figure(
            f"{sizes} cores, {planner}, {kind} of {word}, {said}",
            " / ".join(map(str, cycles)),
            "formula " + " / ".join(map(str, formula)),
            # If others came before, no more than the formula's.
            all(a == b if together else a <= b for a, b in zip(cycles, formula, strict=True)),
        )
    for name, barrier in IN_ROUTERS.items():
        measured = [barrier.cycles(side, [("together", 0)]) for side in SQUARES]
        times = [cycles for _, (cycles,) in measured]
        bounds = [group.bound for group, _ in measured]
        yield figure(
            f"{sizes} cores, barrier by {name}, allreduce of 32 bits (or, and, xor), all together",
            " / ".join(map(str, times)),
            "bound " + " / ".join(map(str, bounds)),
            times == bounds,
        )


def _collectives(side: int) -> dict[Case, tuple[int, int]]:
    """Return what each collective takes in a square, under Verilator, and its formula."""
    network = StaticSpec(kind="static", width=side, height=side)
    cases: dict[Case, int] = {}
    runs = []
    for planner, kinds in (("ring", KINDS), ("tree", FROM_ROOT)):
        plan = plan_of(network, planner=planner)
        group = plan.groups[0]
        for kind in kinds:
            for flits, policy in WORDS:
                asked = Collective(1, kind, flits, work=WORK)
                cases[planner, kind, flits, policy] = bound_of(network, group, asked)
                episodes = 1 if policy == "together" else side * side
                scenario = Scenario(episodes=episodes, policy=policy, collectives=(asked,))
                runs.append((plan, scenario))
    worst = [max(outcome.collectives[0].cycles) for outcome in measure_runs(runs)]
    return {case: (cycles, cases[case]) for case, cycles in zip(cases, worst, strict=True)}
