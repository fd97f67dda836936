"""Each rank's part of a schedule, played by ranks that are only pretended."""

from collections import defaultdict, deque

import pytest

from syncfabric.models.collectives.checker import check
from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Schedule
from syncfabric.models.collectives.task import Rules
from syncfabric.sim.ranks.parts import Part, parts_of
from tests.models.collectives.right_schedules import ALL, ring_oas
from tests.sim.ranks.made import every_kind, one_of

Terms = tuple[tuple[int, int], ...]
"""What a block holds: the messages that are added up in it, sorted."""


def played(parts: list[Part]) -> list[dict[int, Terms]]:
    """Return what each rank has in its slots in the end; messages of a pair keep their order."""
    slots: list[dict[int, Terms]] = [{s: (name,) for s, name in part.own} for part in parts]
    wires: dict[tuple[int, int], deque[Terms]] = defaultdict(deque)
    todo = [deque(part.steps) for part in parts]
    sent = [False] * len(parts)
    while any(todo):
        moved = False
        for rank, steps in enumerate(todo):
            if not steps:
                continue
            step = steps[0]
            if not sent[rank]:
                for peer, slot in step.sends:
                    wires[rank, peer].append(slots[rank][slot])
                sent[rank] = moved = True
            if all(
                len(wires[peer, rank]) >= sum(p == peer for p, _ in step.receives)
                for peer, _ in step.receives
            ):
                for peer, slot in step.receives:
                    slots[rank][slot] = wires[peer, rank].popleft()
                for total, term in step.adds:
                    both = slots[rank][total] + slots[rank].pop(term)
                    slots[rank][total] = tuple(sorted(both))
                steps.popleft()
                sent[rank], moved = False, True
        assert moved, "ranks wait for each other"
    assert not any(wires.values())
    return slots


def right_terms(collective: Collective, nodes: int, name: tuple[int, int]) -> Terms:
    if collective.kind in ("AOR", "AAR"):
        return tuple((node, name[1]) for node in range(nodes))
    return (name,)


def assert_served(schedule: Schedule) -> None:
    assert check(schedule).right
    parts = parts_of(schedule)
    found = played(parts)
    collective, nodes = schedule.collective, schedule.topology.nodes
    for node, part in enumerate(parts):
        assert all(slot < part.slots for step in part.steps for _, slot in step.receives)
        for slot, name in part.wanted:
            assert found[node][slot] == right_terms(collective, nodes, name)
    for origin, target in collective.pairs:
        names = [name for _, name in parts[target].wanted]
        if collective.broadcast:
            assert (origin, origin) in names
        elif collective.kind in ("AOR", "AAR"):
            assert names == [(target, target)]
        else:
            assert (origin, target) in names


@pytest.mark.parametrize("name", ["ring-5", "fat-octagon-16", "fat-tree-2x2", "mesh-3x3"])
def test_every_kind(name: str) -> None:
    for schedule in every_kind(name):
        assert_served(schedule)


@pytest.mark.parametrize("make", ALL.values(), ids=ALL)
def test_schedules_of_the_paper_and_by_hand(make: object) -> None:
    assert callable(make)
    assert_served(make())


def test_what_is_only_relayed_is_looked_at_too() -> None:
    parts = parts_of(ring_oas(8))
    wanted = {name for _, name in parts[1].wanted}
    assert (0, 1) in wanted
    assert (0, 2) in wanted


def test_a_sum_is_received_beside_what_it_is_added_to() -> None:
    part = parts_of(one_of("AOR", "star-8", Rules()))[0]
    (step,) = part.steps
    assert len({slot for _, slot in step.receives}) == 7
    assert {spare for _, spare in step.adds} == {slot for _, slot in step.receives}
    assert {total for total, _ in step.adds} == {0}
    assert part.slots == 8
