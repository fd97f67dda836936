"""Tasks for tests: small ones of every kind, with steps that some methods find at once."""

from collections.abc import Sequence
from typing import Final

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.files import permutation
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule, Step
from syncfabric.models.collectives.task import Rules, Task

FREE = Rules()
ONE = Rules(1)
STORED: Final = "store-and-forward"
STORE = Rules(switching=STORED)
STORE_1 = Rules(1, switching=STORED)
STRICT_1 = Rules(1, "strict")
STRICT = Rules(1, "strict", STORED)


def task(
    name: str,
    kind: str,
    rules: Rules = FREE,
    extra: int = 0,
    senders: Sequence[int] | None = None,
    receivers: Sequence[int] | None = None,
    targets: Sequence[int] | None = None,
) -> Task:
    topology = named(name)
    made = collective(kind, topology, senders, receivers, targets)
    return Task(topology, made, rules, extra)


def assert_right(asked: Task, steps: tuple[Step, ...] | None, count: int | None = None) -> None:
    """There is a schedule, with so many steps, and the checker finds nothing wrong with it."""
    assert steps is not None
    assert count is None or len(steps) == count
    report = check(Schedule(asked.topology, asked.collective, asked.rules, steps))
    assert report.right, report.conflicts[:2]
    assert report.detour <= asked.extra


OTHERS = (0, *range(9, 16))
FAT = range(3, 11)
"""Eight processors of the fat Octagon, on routers 1 to 5: one, two, two, two, one."""
SWAPPED = permutation("transpose", 16)

# Task, steps, and who finds them: exact, hgsa, mboa.
TASKS: dict[str, tuple[Task, int, str]] = {
    "AAS": (task("octagon-8", "AAS"), 4, "ehm"),
    "AAS, cube": (task("hypercube-8", "AAS"), 4, "h"),
    "AAS, one port": (task("mesh-3x3", "AAS", ONE), 9, "h"),
    "AAS, one port, optimal": (task("mesh-3x3", "AAS", ONE), 8, "e"),
    "AAS, cube, one port": (task("hypercube-8", "AAS", ONE), 8, "m"),
    "AAS, two ports": (task("hypercube-8", "AAS", Rules(2)), 4, "e"),
    "AAS, fat": (task("fat-octagon-16", "AAS", ONE), 18, "h"),
    "AAS, fat, optimal": (task("fat-octagon-16", "AAS", ONE), 16, "e"),
    "AAS, fat, stored": (task("fat-octagon-16", "AAS", STORE_1), 18, "h"),
    "AAS, tree": (task("fat-tree-2x2", "AAS", ONE), 3, "e"),
    "AAS, stored": (task("ring-6", "AAS", STORE), 5, "e"),
    "AAS, stored, one port": (task("ring-4", "AAS", STORE_1), 4, "e"),
    "OAS": (task("hypercube-16", "OAS"), 4, "m"),
    "OAS, two ports": (task("hypercube-16", "OAS", Rules(2)), 8, "m"),
    "OAS, mesh": (task("mesh-4x4", "OAS", senders=[1]), 6, "e"),
    "OAS, longer paths": (task("mesh-4x4", "OAS", FREE, 2, [1]), 5, "ehm"),
    "OAS, stored": (task("ring-8", "OAS", STORE), 4, "e"),
    "OAS, by way of others": (task("coated-mesh-2x2", "OAS", STORE_1), 7, "e"),
    "MNS": (task("fat-octagon-16", "MNS", ONE, 0, range(1, 9), OTHERS), 11, "h"),
    "MNS, optimal": (task("fat-octagon-16", "MNS", ONE, 0, FAT, FAT), 10, "e"),
    "MNS, all ports": (task("fat-octagon-16", "MNS", FREE, 0, range(8), range(8, 16)), 12, "m"),
    "MNS, sets overlap": (task("mesh-3x3", "MNS", ONE, 0, range(8), range(8)), 10, "m"),
    "permutation": (task("hypercube-16", "permutation", targets=SWAPPED), 2, "h"),
    "permutation, mesh": (task("mesh-4x4", "permutation", targets=SWAPPED), 4, "m"),
    "permutation, one port": (task("torus-4x4", "permutation", ONE, targets=SWAPPED), 2, "m"),
    "AAB, cube": (task("hypercube-16", "AAB", STORE), 4, "h"),
    "AAB, torus": (task("torus-4x4", "AAB", STORE), 4, "e"),
    "AAB, mesh": (task("mesh-4x4", "AAB", STORE), 8, "e"),
    "AAB, wormhole": (task("torus-4x4", "AAB"), 4, "h"),
    "AAB, wormhole, Octagon": (task("octagon-8", "AAB"), 3, "e"),
    "AAB, one port": (task("mesh-4x4", "AAB", STORE_1), 16, "h"),
    "AAB, one port, strict": (task("mesh-3x3", "AAB", STRICT_1), 10, "h"),
    "AAB, stored, strict": (task("mesh-3x3", "AAB", STRICT), 10, "e"),
    "AAB, any way round": (task("ring-5", "AAB", STRICT, 4), 5, "h"),
    "AAB, not minimal": (task("ring-4", "AAB", STRICT, 2), 3, "e"),
    "AAB, behind switches": (task("coated-mesh-2x2", "AAB", ONE), 8, "h"),
    "AAB, behind switches, strict": (task("coated-mesh-2x2", "AAB", STRICT_1), 8, "h"),
    "AAB, behind switches, stored": (task("fat-octagon-16", "AAB", STORE_1), 16, "h"),
    "MNB": (task("fat-octagon-16", "MNB", ONE, 0, range(1, 9), OTHERS), 10, "h"),
    "MNB, Octagon": (task("octagon-8", "MNB", FREE, 0, range(3), range(2, 7)), 2, "e"),
    "MNB, past others": (task("mesh-4x4", "MNB", STORE, 0, [0, 5], [10, 15]), 6, "h"),
    "OAB": (task("hypercube-16", "OAB"), 2, "eh"),
    "OAB, ring": (task("ring-8", "OAB"), 2, "m"),
    "OAB, stored": (task("hypercube-16", "OAB", STORE), 4, "h"),
    "OAB, one port": (task("hypercube-16", "OAB", STRICT_1), 4, "m"),
    "OAB, one port, copies count once": (task("mesh-4x4", "OAB", ONE), 3, "m"),
    "OAB, processors": (task("coated-mesh-2x2", "OAB", ONE), 3, "e"),
    "OAB, processors, strict": (task("coated-mesh-4x4", "OAB", STRICT_1), 5, "h"),
    "OAB, fat": (task("fat-octagon-16", "OAB", ONE), 2, "m"),
    "OAB, fat, strict": (task("fat-octagon-16", "OAB", STRICT_1), 4, "m"),
    "OAB, fat, stored": (task("fat-octagon-16", "OAB", STORE_1), 2, "h"),
    "OAB, switches copy": (task("fat-octagon-8", "OAB", STORE_1), 1, "e"),
    "OAB, switches copy, strict": (task("fat-octagon-8", "OAB", STRICT), 3, "e"),
    "multicast": (task("mesh-4x4", "multicast", STRICT_1, 0, [5], [0, 3, 12]), 2, "h"),
    "multicast, all ports": (task("mesh-4x4", "multicast", receivers=range(5, 12)), 2, "e"),
    "multicast, stored": (task("mesh-4x4", "multicast", STORE, 0, [0], [15, 12]), 6, "h"),
    "multicast, processors": (
        task("coated-mesh-4x4", "multicast", receivers=(3, 5, 8, 9, 14)),
        2,
        "m",
    ),
    "multicast to some of two ports": (
        task("torus-4x4", "multicast", Rules(2, "strict"), 0, (5,), range(5)),
        2,
        "m",
    ),
}
