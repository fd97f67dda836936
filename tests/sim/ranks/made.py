"""Schedules of every kind."""

from collections.abc import Iterator

from syncfabric.models.collectives.collective import DUAL, KINDS, collective
from syncfabric.models.collectives.exact.first_fit import first_fit
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from tests.models.collectives.right_schedules import turned_round


def one_of(kind: str, name: str, rules: Rules) -> Schedule:
    """A schedule of a kind on a topology of four nodes or more."""
    if kind in DUAL:
        return turned_round(one_of(DUAL[kind], name, rules), kind)
    topology = named(name)
    sets = {"multicast": ([1], [0, 3]), "MNB": ([0, 1], [1, 3]), "MNS": ([0, 1], [1, 3])}
    senders, receivers = sets.get(kind, (None, None))
    targets = [2, 1, 3, 0, *range(4, topology.nodes)] if kind == "permutation" else None
    made = collective(kind, topology, senders, receivers, targets)
    steps = first_fit(Task(topology, made, rules))
    assert steps is not None
    return Schedule(topology, made, rules, steps)


def every_kind(name: str) -> Iterator[Schedule]:
    """Schedules of every kind, both ways of switching."""
    for kind in KINDS:
        yield one_of(kind, name, Rules())
        yield one_of(kind, name, Rules(1, "strict", "store-and-forward"))
