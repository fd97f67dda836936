"""Schedules that are right, from the paper and by construction."""

from collections.abc import Callable

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import paths
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.models.collectives.topology import Topology
from syncfabric.sim.experiments.papers import evo

STORE = Rules(switching="store-and-forward")

TABLE_4, table_4 = evo.TABLE_4, evo.printed_schedule
"""AAS on the Octagon: the vertices of every path, a step a line; and the schedule."""

FIG_5 = {1: (0, 2), 2: (3, 2), 3: (0, 1), 4: (3, 2), 5: (6, 2), 6: (0, 1), 7: (0, 2)}
"""OAB on the ring of eight: source and step of each destination."""


def fig_5() -> Schedule:
    ring = named("ring-8")
    steps = [
        [
            ((0, end), next(paths(ring, source, end)))
            for end, (source, step) in FIG_5.items()
            if step == number
        ]
        for number in (1, 2)
    ]
    return Schedule.of(ring, collective("OAB", ring), Rules(), steps)


def cube_aas(nodes: int) -> Schedule:
    """Vectors paired with their complements, lowest bit first, from every node."""
    cube = named(f"hypercube-{nodes}")

    def path(source: int, vector: int) -> tuple[int, ...]:
        bits = [1 << i for i in range(nodes.bit_length()) if vector >> i & 1]
        vertices = [source]
        for bit in bits:
            vertices.append(vertices[-1] ^ bit)
        return tuple(vertices)

    steps = [
        [
            ((source, source ^ vector), path(source, vector))
            for vector in (half, nodes - 1 - half)
            if vector
            for source in range(nodes)
        ]
        for half in range(nodes // 2)
    ]
    return Schedule.of(cube, collective("AAS", cube), Rules(), steps)


def ring_aab(nodes: int) -> Schedule:
    """Every message in both directions, a hop a step, until they meet."""
    ring = named(f"ring-{nodes}")
    steps = []
    for far in range(1, nodes // 2 + 1):
        signs = (1,) if 2 * far == nodes else (1, -1)
        steps.append(
            [
                (
                    (o, (o + sign * far) % nodes),
                    ((o + sign * (far - 1)) % nodes, (o + sign * far) % nodes),
                )
                for sign in signs
                for o in range(nodes)
            ]
        )
    return Schedule.of(ring, collective("AAB", ring), STORE, steps)


def ring_aab_strict(nodes: int) -> Schedule:
    """Every message in one direction, with one port."""
    ring = named(f"ring-{nodes}")
    steps = [
        [((o, (o + far) % nodes), ((o + far - 1) % nodes, (o + far) % nodes)) for o in range(nodes)]
        for far in range(1, nodes)
    ]
    rules = Rules(1, "strict", "store-and-forward")
    return Schedule.of(ring, collective("AAB", ring), rules, steps)


def ring_oas(nodes: int) -> Schedule:
    """Hop by hop from node 0, the farthest first, in one direction."""
    ring = named(f"ring-{nodes}")
    # What starts in step s for destination nodes - 1 - s makes a hop a step, and meets none.
    flights = [(nodes - 1 - start, start) for start in range(nodes - 1)]
    last = max(start + target for target, start in flights)
    steps = [
        [
            ((0, target), (step - start, step - start + 1))
            for target, start in flights
            if 0 <= step - start < target
        ]
        for step in range(last)
    ]
    return Schedule.of(ring, collective("OAS", ring), STORE, steps)


def fat_multicast() -> Schedule:
    """From processor 0 of the fat Octagon to all others at once, along a tree that routers copy."""
    fat = named("fat-octagon-16")
    steps = [[((0, end), next(paths(fat, 0, end))) for end in range(1, 16)]]
    rules = Rules(1, "single-use", "store-and-forward")
    return Schedule.of(fat, collective("OAB", fat), rules, steps)


def turned_round(schedule: Schedule, kind: str) -> Schedule:
    """The time reversal, as the collective that it is."""
    topology: Topology = schedule.topology
    single = len(schedule.collective.senders) == 1
    made = collective(kind, topology, None, schedule.collective.senders if single else None)
    steps = [[((b, a), path[::-1]) for (a, b), path in step] for step in reversed(schedule.steps)]
    return Schedule.of(topology, made, schedule.rules, steps)


ALL: dict[str, Callable[[], Schedule]] = {
    "table 4": table_4,
    "fig 5": fig_5,
    "hypercube AAS": lambda: cube_aas(16),
    "ring AAB": lambda: ring_aab(8),
    "ring AAB, odd": lambda: ring_aab(9),
    "ring AAB, one port": lambda: ring_aab_strict(8),
    "ring OAS, hop by hop": lambda: ring_oas(8),
    "fat Octagon OAB": fat_multicast,
    "AOR": lambda: turned_round(fig_5(), "AOR"),
    "AAR": lambda: turned_round(ring_aab(8), "AAR"),
    "AAR, one port": lambda: turned_round(ring_aab_strict(8), "AAR"),
    "AOG, hop by hop": lambda: turned_round(ring_oas(8), "AOG"),
}
