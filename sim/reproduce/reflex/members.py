"""All schemes that a mesh can have, on random members of it: time, links and set-up."""

from __future__ import annotations

import random
from statistics import mean
from typing import Any

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.schemes.loggp import ANYWHERE, STATIC
from syncfabric.models.schemes.scheme import Cost
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex.tile64 import buffered, memory, network

__all__ = ["costs", "random_members"]

SCHEMES = (*STATIC, *ANYWHERE)


def random_members(work: Work) -> None:
    """Draw members of each number, as many times as there are runs."""
    side = int(work.values["side"])
    counts = [1 << power for power in range(1, (side * side).bit_length())]
    if counts[-1] < side * side:
        counts.append(side * side)
    values = dict(work.values)
    jobs = [(values, count, seed) for count in counts for seed in work.seeds]
    work.tell(f"{len(jobs)} groups on {side}x{side}")
    told = {counts[len(counts) // 2], counts[-1]}
    found = iter(work.map(costs, jobs))
    for count in counts:
        runs = [next(found) for _ in work.seeds]
        for scheme in SCHEMES:
            each = [Cost(**run[scheme.name]) for run in runs]
            work.point(scheme.name, count, mean(cost.latency_ns for cost in each))
            if count in told:
                _tell(work, f"{scheme.name}, {count} of {side * side}", each)


def _tell(work: Work, what: str, costs: list[Cost]) -> None:
    others = {
        "links passed": mean(cost.traversals for cost in costs),
        "height": mean(cost.height for cost in costs),
        "set-up messages": mean(cost.setup_messages for cost in costs),
        "nodes touched": mean(cost.setup_nodes for cost in costs),
    }
    note = ", ".join(f"{name} {value:.4g}" for name, value in others.items())
    work.claim(f"{what}: latency, ns", None, mean(cost.latency_ns for cost in costs), note)


def costs(values: dict[str, int | float], count: int, seed: int) -> dict[str, dict[str, Any]]:
    """Return what every scheme costs for random members, by its name."""
    side = int(values["side"])
    static = buffered(values, side, side)
    mesh = MeshSpec(kind="mesh", width=side, height=side)
    members = random.Random(seed).sample(mesh.topology.nodes, count)
    found = {}
    for scheme in SCHEMES:
        times = memory(values) if scheme.name == "centralized" else network(values)
        place = static if "static" in scheme.kinds else mesh
        found[scheme.name] = vars(scheme.cost(place, members, times))
    return found
