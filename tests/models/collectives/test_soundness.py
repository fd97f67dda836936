"""On networks so small that all schedules can be tried, none is shorter than a bound."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.certificate import best
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import Path, paths
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.collectives.topology import Topology, full_duplex

Done = frozenset[tuple[int, int]]

FAT = Topology("fat", 4, 2, full_duplex([(0, 4), (1, 4), (2, 5), (3, 5), (4, 5)]))


def can_scatter(task: Task, steps: int) -> bool:
    """Try every path and step of every message."""
    choices = [list(paths(task.topology, *pair, task.extra)) for pair in task.collective.pairs]
    ports = task.rules.ports
    taken: set[tuple[int, int, int]] = set()
    through: dict[tuple[int, str, int], int] = {}

    def place(number: int) -> bool:
        if number == len(choices):
            return True
        # The steps are alike: the first message may as well take the first.
        for step in range(steps if number else 1):
            for path in choices[number]:
                channels = {(step, a, b) for a, b in pairwise(path)}
                ends = [(step, "out", path[0]), (step, "in", path[-1])]
                full = ports != "all" and any(through.get(end, 0) >= ports for end in ends)
                if full or taken & channels:
                    continue
                taken.update(channels)
                for end in ends:
                    through[end] = through.get(end, 0) + 1
                if place(number + 1):
                    return True
                taken.difference_update(channels)
                for end in ends:
                    through[end] -= 1
        return False

    return place(0)


def steps_after(task: Task, before: Done) -> Iterator[Done]:
    """Yield who can be informed after one step more."""
    topology, made = task.topology, task.collective
    choices: dict[tuple[int, int], list[Path]] = {}
    for origin in made.senders:
        for target in range(topology.nodes):
            if (origin, target) not in before:
                informed = [v for o, v in before if o == origin]
                choices[origin, target] = [
                    path
                    for sender in informed
                    for path in paths(topology, sender, target, task.extra)
                    if not task.rules.stores or all(v >= topology.nodes for v in path[1:-1])
                ]
    messages = list(choices)

    def allowed(sent: tuple[Transfer, ...]) -> bool:
        """Return whether a step keeps the rules of channels and ports, in words of its own."""
        taken: dict[tuple[int, int], Transfer] = {}
        rules = task.rules
        for transfer in sent:
            path = transfer.path
            for place, channel in enumerate(pairwise(path)):
                other = taken.setdefault(channel, transfer)
                alike = (
                    other.message[0] == transfer.message[0]
                    and other.path[: place + 2] == path[: place + 2]
                )
                once = rules.single_use and (
                    rules.stores or (place == 0 and not topology.routers[path[0]])
                )
                if other is not transfer and not (alike and once):
                    return False
        if rules.ports == "all":
            return True
        outs = [(t.path[0], t.message[0]) for t in sent]
        ins = [t.path[-1] for t in sent]
        counted = set(outs) if rules.single_use else outs
        senders = [node for node, _ in counted]
        return (
            max(map(senders.count, senders), default=0) <= rules.ports
            and max(map(ins.count, ins), default=0) <= rules.ports
        )

    def choose(number: int, sent: tuple[Transfer, ...]) -> Iterator[Done]:
        if number == len(messages):
            yield before | {t.message for t in sent}
            return
        for path in choices[messages[number]]:
            more = (*sent, Transfer(messages[number], path))
            if allowed(more):
                yield from choose(number + 1, more)
        yield from choose(number + 1, sent)

    yield from choose(0, ())


def least_broadcast(task: Task) -> int:
    """Return the least steps, by trying all."""
    wanted = set(task.collective.pairs)
    states: set[Done] = {frozenset((s, s) for s in task.collective.senders)}
    for steps in range(1, 12):
        found = {after for before in states for after in steps_after(task, before)}
        if any(wanted <= state for state in found):
            return steps
        # What is informed of more is never worse.
        states = {a for a in found if not any(a < b for b in found)}
    raise AssertionError("no end")


@settings(deadline=None, max_examples=40)
@given(
    st.sets(st.sampled_from([(a, b) for a in range(4) for b in range(4) if a != b]), max_size=3),
    st.sampled_from(["ring-4", "star-4", "mesh-4"]),
    st.sampled_from(["AAS", "OAS", "MNS", "AOG"]),
    st.sampled_from([1, 2, "all"]),
    st.sampled_from([0, 1]),
)
def test_no_scatter_is_shorter(
    more: set[tuple[int, int]], name: str, kind: str, ports: int, extra: int
) -> None:
    channels = dict.fromkeys([*named(name).channels, *sorted(more)])
    topology = Topology("small", 4, 0, tuple(channels))
    sets = {"senders": [0, 1], "receivers": [1, 2, 3]} if kind == "MNS" else {}
    task = Task(topology, collective(kind, topology, **sets), Rules(ports), extra)
    bound = best(lower_bounds(task))
    assert bound is not None
    assert bound.value >= 1
    assert bound.value == 1 or not can_scatter(task, bound.value - 1)


SMALL = {
    "line": (named("mesh-4"), [0, 1]),
    "star": (named("star-4"), [1, 2]),
    "ring": (named("ring-4"), [0, 2]),
    "fat": (FAT, [0, 2]),
    "fat, neighbours": (FAT, [0, 1]),
}


@pytest.mark.parametrize("case", SMALL)
@pytest.mark.parametrize("one_port", ["single-use", "strict"])
@pytest.mark.parametrize("ports", [1, "all"])
@pytest.mark.parametrize("switching", ["wormhole", "store-and-forward"])
def test_no_broadcast_is_shorter(case: str, one_port: str, ports: int, switching: str) -> None:
    topology, senders = SMALL[case]
    rules = Rules(ports, one_port, switching)  # type: ignore[arg-type]
    for kind, sets in (("OAB", {"senders": senders[:1]}), ("MNB", {"senders": senders})):
        task = Task(topology, collective(kind, topology, **sets), rules)
        bound = best(lower_bounds(task))
        assert bound is not None
        assert bound.value <= least_broadcast(task)


def test_the_trials_find_what_is_known() -> None:
    """Else a bound might pass because nothing is tried."""
    line = named("mesh-4")
    assert can_scatter(Task(line, collective("AAS", line)), 4)
    assert not can_scatter(Task(line, collective("AAS", line)), 3)
    assert least_broadcast(Task(line, collective("OAB", line))) == 2
    ring = named("ring-4")
    store = Rules(1, "strict", "store-and-forward")
    assert least_broadcast(Task(ring, collective("OAB", ring), store)) == 2
    fat = Rules(1, "single-use", "store-and-forward")
    assert least_broadcast(Task(FAT, collective("OAB", FAT), fat)) == 1
