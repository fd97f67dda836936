"""Small tasks of every kind that annealing can do, with a number of steps that it finds at once."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.files import permutation
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Rules, Task

STORE = Rules(switching="store-and-forward")
STORE_1 = Rules(1, switching="store-and-forward")
STRICT_1 = Rules(1, "strict")


def task(
    name: str,
    kind: str,
    rules: Rules | None = None,
    extra: int = 0,
    senders: Sequence[int] | None = None,
    receivers: Sequence[int] | None = None,
    targets: Sequence[int] | None = None,
) -> Task:
    topology = named(name)
    made = collective(kind, topology, senders, receivers, targets)
    return Task(topology, made, rules or Rules(), extra)


OTHERS = (0, *range(9, 16))

TASKS: dict[str, tuple[Task, int]] = {
    "AAS, cube": (task("hypercube-8", "AAS"), 4),
    "AAS, one port": (task("mesh-3x3", "AAS", Rules(1)), 9),
    "AAS, Octagon": (task("octagon-8", "AAS"), 4),
    "AAS, fat": (task("fat-octagon-16", "AAS", Rules(1)), 18),
    "AAS, fat, stored": (task("fat-octagon-16", "AAS", STORE_1), 18),
    "OAS, longer paths": (task("mesh-4x4", "OAS", None, 2, [1]), 5),
    "MNS": (task("fat-octagon-16", "MNS", Rules(1), 0, range(1, 9), OTHERS), 11),
    "permutation": (
        task("hypercube-16", "permutation", targets=permutation("transpose", 16)),
        2,
    ),
    "AAB, cube": (task("hypercube-16", "AAB", STORE), 4),
    "AAB, wormhole": (task("torus-4x4", "AAB"), 4),
    "AAB, one port": (task("mesh-4x4", "AAB", STORE_1), 16),
    "AAB, one port, strict": (task("mesh-3x3", "AAB", STRICT_1), 10),
    "AAB, any way round": (task("ring-5", "AAB", Rules(1, "strict", "store-and-forward"), 4), 5),
    "AAB, behind switches": (task("coated-mesh-2x2", "AAB", Rules(1)), 8),
    "AAB, behind switches, strict": (task("coated-mesh-2x2", "AAB", STRICT_1), 8),
    "AAB, behind switches, stored": (task("fat-octagon-16", "AAB", STORE_1), 16),
    "MNB": (task("fat-octagon-16", "MNB", Rules(1), 0, range(1, 9), OTHERS), 10),
    "MNB, past others": (task("mesh-4x4", "MNB", STORE, 0, [0, 5], [10, 15]), 6),
    "OAB": (task("hypercube-16", "OAB"), 2),
    "OAB, stored": (task("hypercube-16", "OAB", STORE), 4),
    "OAB, one port": (task("coated-mesh-4x4", "OAB", STRICT_1), 5),
    "OAB, fat, stored": (task("fat-octagon-16", "OAB", STORE_1), 2),
    "multicast": (task("mesh-4x4", "multicast", Rules(1, "strict"), 0, [5], [0, 3, 12]), 2),
    "multicast, stored": (task("mesh-4x4", "multicast", STORE, 0, [0], [15, 12]), 6),
}
