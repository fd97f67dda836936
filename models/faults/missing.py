"""Who is missing at a barrier that a watchdog has broken, from what registers still hold.

Source: docs/microarchitecture-faults.md, F5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, TypeVar

from syncfabric.models.errors import PlanError
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    STATUS,
    RegisterWord,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, IrregularGroupPlan
from syncfabric.models.planning.switch_tree import PROCESS_PORT, UPLINK_PORT, Seat

__all__ = ["Missing", "Read", "missing"]

Read: TypeAlias = Callable[[int, int], int | None]
"""Reads a word at a target and address of the config port; None if nobody answers."""


@dataclass(frozen=True)
class Missing:
    """What is to blame for a barrier that does not end; all in ascending order of the targets.

    Parameters
    ----------
    members : tuple of Node or Place
        Members whose own register says that they have not arrived.
    lost : tuple of (child, parent)
        Two neighbours in the tree, switches by their numbers: a message between them was lost, or
        came after the parent had given up. If a release was lost, those that have had theirs are
        among ``members``, for they have not arrived again.
    silent : tuple of node or switch
        Who does not answer, or holds no register of the group any more.
    """

    members: tuple[Node, ...] = ()
    lost: tuple[tuple[Seat, Seat], ...] = ()
    silent: tuple[Seat, ...] = ()


FoundT = TypeVar("FoundT")


class Seated(NamedTuple):
    """A register of the tree: where it is, and whom it waits for.

    ``children`` has by the number of its bit the target of each child; ``process`` is the bit of
    its own process, if that is a member and has one.
    """

    seat: Seat
    register: int
    children: Mapping[int, int]
    process: bool


class State(NamedTuple):
    """What a register says: the children that are in, its own process, and whether it fired."""

    arrived: int
    local: bool
    fired: bool


def missing(plan: BarrierPlan, group_id: int, read: Read) -> Missing:
    """Return who is missing at a group's barrier.

    Only registers on the way to what is missing are read, two words each. It is to be asked before
    registers are written or killed.

    Parameters
    ----------
    plan : BarrierPlan
        The plan by which the group was set up.
    group_id : int
        The group.
    read : callable
        Reads a word over the config port.

    Raises
    ------
    PlanError
        There is no such group, or its barriers are no messages, or it lives in memory somewhere.
    """
    group = plan.group(group_id)
    network = plan.spec.network
    if isinstance(group, GroupPlan) and isinstance(network.topology, Mesh):
        tree, root = _of_mesh(group, network.topology)
        return _Search(tree, group_id, _mesh_state, read).run(root)
    if isinstance(group, IrregularGroupPlan) and isinstance(network, IrregularSpec):
        tree, root = _of_irregular(group, network)
        return _Search(tree, group_id, _port_state, read).run(root)
    raise PlanError(
        f"group {group_id}: its barriers are no messages, and only registers of these keep who has "
        'come; set sync = "messages"'
    )


class _Search:
    """Walks down a tree to what is missing."""

    def __init__(
        self,
        tree: Mapping[int, Seated],
        gid: int,
        state: Callable[[Read, int, int], State | None],
        read: Read,
    ) -> None:
        self._tree, self._gid, self._state, self._read = tree, gid, state, read
        self._known: dict[int, State | None] = {}
        self._members: dict[int, Node] = {}
        self._lost: dict[int, tuple[Seat, Seat]] = {}
        self._silent: dict[int, Seat] = {}

    def run(self, root: int) -> Missing:
        asked = [root]
        while asked:
            asked += self._ask(asked.pop())
        return Missing(_in_order(self._members), _in_order(self._lost), _in_order(self._silent))

    def _ask(self, target: int) -> Iterator[int]:
        """Say what is missing at a register that has not fired; yield those to be asked next."""
        seated, state = self._tree[target], self._look(target)
        if state is None:
            self._silent[target] = seated.seat
            yield from seated.children.values()
            return
        if state.fired:
            return
        if seated.process and not state.local and isinstance(seated.seat, tuple):
            self._members[target] = seated.seat
        for bit, child in seated.children.items():
            if state.arrived >> bit & 1:
                continue
            below = self._look(child)
            if below is not None and below.fired:
                self._lost[child] = self._tree[child].seat, seated.seat
            else:
                yield child

    def _look(self, target: int) -> State | None:
        if target not in self._known:
            self._known[target] = self._fetch(target)
        return self._known[target]

    def _fetch(self, target: int) -> State | None:
        register = self._tree[target].register
        word = self._read(target, register_address(register, RegisterWord.CONTROL))
        control = CONTROL.unpack(word or 0)
        if not control["valid"] or control["gid"] != self._gid:
            return None
        return self._state(self._read, target, register)


def _in_order(found: Mapping[int, FoundT]) -> tuple[FoundT, ...]:
    return tuple(found[target] for target in sorted(found))


def _mesh_state(read: Read, target: int, register: int) -> State | None:
    word = read(target, register_address(register, RegisterWord.STATUS))
    if word is None:
        return None
    fields = STATUS.unpack(word)
    return State(
        fields["arrived"], bool(fields["local"] or fields["waiting"]), bool(fields["fired"])
    )


def _port_state(read: Read, target: int, register: int) -> State | None:
    word = read(target, register_address(register, SwitchWord.ARRIVED))
    if word is None:
        return None
    fields = ARRIVED.unpack(word)
    arrived = fields["arrived"]
    return State(arrived, bool(arrived >> PROCESS_PORT & 1), bool(fields["fired"]))


def _of_mesh(group: GroupPlan, mesh: Mesh) -> tuple[dict[int, Seated], int]:
    tree = {}
    for image in group.registers():
        children = {
            bit: mesh.index(child) for bit, child in enumerate(image.children) if child is not None
        }
        register = group.node_places[image.node]
        tree[mesh.index(image.node)] = Seated(image.node, register, children, not image.relay)
    return tree, mesh.index(group.root)


def _of_irregular(
    group: IrregularGroupPlan, network: IrregularSpec
) -> tuple[dict[int, Seated], int]:
    topology, count = network.topology, len(network.nodes)
    tree, root = {}, -1
    for image in group.registers():
        seat, children = image.seat, {}
        if isinstance(seat, int):
            target, place = count + seat, group.switch_places[seat]
            for port in image.children:
                end, node = topology.across(seat, port), topology.node_at(seat, port)
                if end is not None:
                    children[port] = count + end[0]
                elif node is not None:
                    children[port] = node
        else:
            target, place = topology.index(seat), group.places[seat]
            if UPLINK_PORT in image.children:
                children[UPLINK_PORT] = count + seat[0]
        tree[target] = Seated(seat, place, children, not isinstance(seat, int))
        root = target if image.parent is None else root
    return tree, root
