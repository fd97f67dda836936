"""Schedules to play, right and wrong ones."""

from collections.abc import Iterable
from dataclasses import replace

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import paths
from syncfabric.models.collectives.schedule import Rules, Schedule
from tests.models.collectives.right_schedules import table_4

__all__ = ["crowded", "first_fit", "together"]


def crowded() -> Schedule:
    """Table 4 with 0 to 2 in step 1, where 1 to 2 is taken by 5 to 2, and 0 to 1 by 7 to 1."""
    first, second, *others = table_4().steps
    return replace(table_4(), steps=((*first, second[0]), second[1:], *others))


def together(
    topology: str, messages: Iterable[tuple[int, int]], rules: Rules | None = None
) -> Schedule:
    """Some messages of a complete exchange, all in one step on their first paths."""
    network = named(topology)
    step = [((a, b), next(paths(network, a, b))) for a, b in messages]
    return Schedule.of(network, collective("AAS", network), rules or Rules(), [step])


def first_fit(topology: str, ports: int) -> Schedule:
    """AAS with every message in the first step in which channels and ports are free for it."""
    network = named(topology)
    steps: list[list[tuple[tuple[int, int], tuple[int, ...]]]] = []
    taken: list[set[int]] = []
    count: list[dict[tuple[str, int], int]] = []
    for a, b in collective("AAS", network).pairs:
        path = next(paths(network, a, b))
        channels, ends = set(network.along(path)), (("out", a), ("into", b))
        place = next(
            (
                number
                for number, free in enumerate(taken)
                if not channels & free and all(count[number].get(e, 0) < ports for e in ends)
            ),
            len(steps),
        )
        if place == len(steps):
            steps.append([])
            taken.append(set())
            count.append({})
        steps[place].append(((a, b), path))
        taken[place] |= channels
        for end in ends:
            count[place][end] = count[place].get(end, 0) + 1
    return Schedule.of(network, collective("AAS", network), Rules(ports), steps)
