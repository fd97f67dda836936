"""Schedules of every kind."""

import json
import pickle
import tempfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from syncfabric.models.collectives.chunks.schedule import Exchange, chunked_kind
from syncfabric.models.collectives.chunks.schedule import Schedule as InChunks
from syncfabric.models.collectives.chunks.search import search
from syncfabric.models.collectives.collective import DUAL, KINDS, collective
from syncfabric.models.collectives.exact.first_fit import first_fit
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.collectives.topology import linked
from tests.models.collectives.right_schedules import turned_round
from tests.programs import run


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
    """Schedules of every kind, both kinds of switching."""
    for kind in KINDS:
        yield one_of(kind, name, Rules())
        yield one_of(kind, name, Rules(1, "strict", "store-and-forward"))


def in_chunks(kind: str, name: str) -> Iterator[InChunks]:
    """Schedules in two chunks of three words by each method."""
    topology = linked(named(name), Fraction(1000), Fraction(1))
    size = 48 * Exchange(chunked_kind(kind), topology.nodes, 1).held
    for found in search(topology, chunked_kind(kind), size, (2,)).found:
        yield found.schedule


def printed(ranks: int, program: str, schedules: Iterable[object] = ()) -> list[dict[str, Any]]:
    """Run a program between ranks; return the JSON of the lines that it prints.

    The schedules are its `schedules`: they are found once, and not by each rank.
    """
    with tempfile.NamedTemporaryFile() as file:
        file.write(pickle.dumps(list(schedules)))
        file.flush()
        read = f"import pickle\nschedules = pickle.load(open({file.name!r}, 'rb'))\n"
        done = run("-c", read + program, ranks=ranks)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
