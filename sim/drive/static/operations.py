"""What groups of a static network are asked to do in place of barriers, and what it may take."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_routes import reach
from syncfabric.models.timing.static import (
    allreduce_cycles,
    broadcast_cycles,
    reduce_cycles,
)

FROM_ROOT = ("broadcast", "scatter")
"""Kinds that switches carry by themselves, on rings and trees."""
THROUGH_CORES = ("reduce", "allreduce")
"""Kinds that pass a token from core to core, on rings alone."""
KINDS = FROM_ROOT + THROUGH_CORES
OPERATIONS = ("sum", "or", "and", "xor", "max", "min")
HIGHEST_FIRST = ("max", "min")
"""Operations that must know the highest flits first."""


class Collective(NamedTuple):
    """Operations of a group, as many as the scenario has episodes.

    Parameters
    ----------
    group : int
        GID.
    kind, op : str
        One of `KINDS`, and of a reduction one of `OPERATIONS`.
    flits : int
        Flits of a member's word; the lowest goes first, with max and min the highest.
    work : int
        Cycles that a flit of a reduction takes a core: 0, it sends it on in the cycle it takes it.
    """

    group: int
    kind: str
    flits: int = 1
    op: str = "sum"
    work: int = 0


@dataclass(frozen=True)
class CollectiveOutcome:
    """What operations took: cycles from the last member's begin to the last member's end."""

    asked: Collective
    cycles: list[int]


@dataclass(frozen=True)
class Shape:
    """A group of two members or more: its members' places from the root on, and a flit's bits."""

    order: tuple[int, ...]
    ring: bool
    bits: int

    @classmethod
    def of(cls, network: StaticSpec, group: GroupPlan) -> Shape:
        """Return the shape of a planned group."""
        index, root = group.members.index, group.route.root
        order = [root, *(node for node in reach(group) if node != root)]
        return cls(tuple(map(index, order)), group.flits is None, network.flit_bits)


def network_of(plan: BarrierPlan) -> StaticSpec:
    """Return the network of a plan of this kind."""
    network = plan.spec.network
    assert isinstance(network, StaticSpec)
    return network


def barriers_of(plan: BarrierPlan, collectives: Sequence[Collective]) -> BarrierPlan:
    """Return a plan of the groups alone that have barriers beside these collectives."""
    others = {asked.group for asked in collectives}
    return replace(plan, groups=tuple(group for group in plan.groups if group.id not in others))


def asked_of(
    plan: BarrierPlan, collectives: Sequence[Collective]
) -> list[tuple[GroupPlan, list[tuple[int, Collective]]]]:
    """Return the other groups and what they are to do in turn, each with its place in the list."""
    asked: defaultdict[int, list[tuple[int, Collective]]] = defaultdict(list)
    for place, collective in enumerate(collectives):
        asked[collective.group].append((place, collective))
    return [(group, asked[group.id]) for group in plan.groups if group.id in asked]


def words_of(seed: int, place: int, operation: int, shape: Shape, flits: int) -> list[int]:
    """Return a word for each member: what it gives to a reduction, or gets by a scatter.

    A broadcast is of the root's. Words depend on the scenario's seed, the place of the collective
    in it, the operation's number, and their ``flits``.
    """
    rng = random.Random(f"{seed}/collective/{place}/{operation}")
    return [rng.getrandbits(shape.bits * flits) for _ in shape.order]


def bound_of(network: StaticSpec, group: GroupPlan, asked: Collective) -> int:
    """Return the most cycles from the last begin to the last end: when the root begins last (R10).

    The group has two members or more; what goes through its cores takes a ring.
    """
    places = reach(group)
    links, members = max(places.values()), len(group.members)
    if asked.kind == "broadcast":
        return broadcast_cycles(links, asked.flits, network)
    if asked.kind == "scatter":
        return broadcast_cycles(links, (members - 1) * asked.flits, network)
    if asked.kind == "reduce":
        return reduce_cycles(links, members, asked.flits, asked.work, network)
    last = max(place for node, place in places.items() if node != group.route.root)
    return allreduce_cycles(links, members, last, asked.flits, asked.work, network)


def check_collectives(plan: BarrierPlan, asked: Sequence[Collective]) -> None:
    """Refuse what cannot be done on a plan's network.

    Raises
    ------
    SpecError
        A group is not on the network, has one member, or is no ring where it has to be one; or a
        value is not what it can be.
    """
    if asked and not isinstance(plan.spec.network, StaticSpec):
        raise SpecError(
            f"collectives run on static networks; {plan.spec.name} is of another kind, whose "
            "groups combine in their barriers: set op there"
        )
    for place, collective in enumerate(asked, 1):
        for problem in _problems(plan, collective):
            raise SpecError(f"collective {place}: {problem}")


def _problems(plan: BarrierPlan, asked: Collective) -> Iterator[str]:
    """Yield what is wrong with a collective."""
    if asked.kind not in KINDS:
        yield f"kind must be one of {', '.join(KINDS)}, not {asked.kind!r}"
    if asked.op not in OPERATIONS:
        yield f"op must be one of {', '.join(OPERATIONS)}, not {asked.op!r}"
    if asked.flits < 1:
        yield f"flits must be 1 or more, not {asked.flits}"
    if asked.work < 0:
        yield f"work must be 0 cycles or more, not {asked.work}"
    groups = {group.id: group for group in plan.groups}
    if asked.group not in groups:
        known = ", ".join(map(str, groups)) or "none"
        yield f"group {asked.group} is not on the network; its groups: {known}"
        return
    group = groups[asked.group]
    if len(group.members) < 2:
        yield f"group {asked.group} has one member, so there is no receiver; two are needed"
    if asked.kind in THROUGH_CORES and group.flits is not None:
        yield (
            f"group {asked.group} is a tree, where switches copy flits and cannot combine them; "
            f'{asked.kind} needs a ring: set planner = "ring"'
        )
