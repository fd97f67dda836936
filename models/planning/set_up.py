"""Setting groups up and ending them: over the config chain, by a manager, or by members.

Source: docs/microarchitecture-engine.md, E7 and E9; docs/setup.md;
docs/microarchitecture-networks.md, N5.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, WORD_BITS, Code, EngineLayout
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.setup import COMMAND, REQUEST, Operation
from syncfabric.models.layout.words import (
    EngineWord,
    ManagerWord,
    config_address,
)
from syncfabric.models.messages.registers import Op
from syncfabric.models.networks.irregular import Place
from syncfabric.models.planning.group_plan import GroupPlan

EPOCHS = 1 << EPOCH_BITS
"""Epochs of an entry."""


class Epochs:
    """The epoch of every entry that a software sets up: 0 after reset, and one more a SETUP."""

    def __init__(self) -> None:
        self._epochs: dict[Place, int] = {}

    def __getitem__(self, place: Place) -> int:
        """Return the epoch of a router's entry."""
        return self._epochs.get(place, 0)

    def __setitem__(self, place: Place, epoch: int) -> None:
        """Learn an epoch that a reply named."""
        self._epochs[place] = epoch % EPOCHS

    def after(self, place: Place) -> int:
        """Return the epoch that the next SETUP makes."""
        return (self[place] + 1) % EPOCHS

    def set_up(self, group: GroupPlan) -> None:
        """Count a SETUP at every router of a group."""
        for place in group.placement.items():
            self[place] = self.after(place)


@dataclass(frozen=True)
class RouterImage:
    """What SETUP writes at a router: the image ``word``; ``epoch`` is the entry's before SETUP."""

    router: int
    entry: int
    epoch: int
    word: int

    def words(self, layout: EngineLayout) -> list[int]:
        """Return the staged words, word 0 first."""
        mask = (1 << WORD_BITS) - 1
        return [self.word >> WORD_BITS * k & mask for k in range(layout.image_words)]


def key_of(gid: int, layout: EngineLayout) -> int:
    """Return the key of a group: not 0, and another for each of as many in a row as there are."""
    return 1 + gid % ((1 << layout.key_bits) - 1)


def group_images(group: GroupPlan, layout: EngineLayout, epochs: Epochs) -> Iterator[RouterImage]:
    """Yield the images of a group at all its routers, by rising number, but the root last.

    Names are the neighbours' entries with their epochs after SETUP; at a port to a node interface
    they are the router's own entry and epoch (N2.7). Of routed messages the parent's is ``u``.

    Parameters
    ----------
    group : GroupPlan
    layout : EngineLayout
    epochs : Epochs
        Before SETUP.
    """
    tree = group.tree
    routers, ups = tree.routers.tolist(), tree.parent_port.tolist()
    # The port, router and class of messages of each name.
    links: list[list[tuple[int | str, int, int]]] = [[] for _ in routers]
    if group.slot_register is None:
        downs = tree.far_port.tolist()
        classes = tree.classes.tolist() if layout.routed else [0] * len(downs)
        for child, above in enumerate(tree.parent.tolist()):
            if above >= 0:
                name = "u" if layout.routed else ups[child]
                links[child].append((name, routers[above], 1 - classes[child]))
                links[above].append((downs[child], routers[child], classes[child]))
        if group.graph.own_links:
            for router, port in tree.nodes.tolist():
                links[tree.position[router]].append((port, router, 0))
    for position in (*(i for i, up in enumerate(ups) if up >= 0), tree.position[tree.root]):
        router, up = routers[position], ups[position]
        values = {
            "children": int(tree.child_mask[position]),
            "parent": 0 if up < 0 else 1 << up,
            "op": Op[group.op.upper()] if layout.op_bits else 0,
        }
        if layout.key_bits:
            values["key"] = key_of(group.id, layout)
        for name, there, route_class in links[position]:
            entry = group.placement[there]
            values[f"entry_{name}"] = entry
            values[f"epoch_{name}"] = epochs.after((there, entry))
            if layout.routed and group.graph.grid:
                place = zip(layout.place, group.graph.grid.place(there), strict=True)
                values |= {f"{coordinate}_{name}": here for coordinate, here in place}
                values[f"route_class_{name}"] = route_class
        entry = group.placement[router]
        yield RouterImage(router, entry, epochs[router, entry], layout.image.pack(values))


class Write(NamedTuple):
    """A write over the config chain; addresses of engines are below 32."""

    target: int
    address: int
    word: int


def set_up_writes(
    groups: Sequence[GroupPlan], network: NetworkShape, epochs: Epochs
) -> Iterator[Write]:
    """Yield the writes that set groups up and start them; count them in ``epochs``."""
    yield from image_writes(groups, network, epochs)
    yield from go_writes(groups, network, epochs)


def image_writes(
    groups: Sequence[GroupPlan], network: NetworkShape, epochs: Epochs
) -> Iterator[Write]:
    """Yield the writes by which all routers get their image and COMMIT SETUP, the root last.

    Parameters
    ----------
    groups : sequence of GroupPlan
    network : NetworkShape
    epochs : Epochs
        Before the first write; after the last one, as it is then.
    """
    for group in groups:
        for image in group_images(group, network.router.layout, epochs):
            yield from _staged(image, network)
        epochs.set_up(group)


def _staged(image: RouterImage, network: NetworkShape) -> Iterator[Write]:
    for k, word in enumerate(image.words(network.router.layout)):
        yield Write(network.target_of(image.router), EngineWord.IMAGE + k, word)
    yield commit_write(Code.SETUP, network, image.router, image.entry, image.epoch)


def go_writes(
    groups: Sequence[GroupPlan], network: NetworkShape, epochs: Epochs
) -> Iterator[Write]:
    """Yield the COMMIT GO of each group's root; ``epochs`` are those after SETUP."""
    for group in groups:
        root = group.tree.root
        entry = group.placement[root]
        yield commit_write(Code.GO, network, root, entry, epochs[root, entry])


def kill_writes(
    groups: Sequence[GroupPlan], network: NetworkShape, epochs: Epochs
) -> Iterator[Write]:
    """Yield the writes that end groups at all their routers."""
    for group in groups:
        for router, entry in group.placement.items():
            yield commit_write(Code.KILL, network, router, entry, epochs[router, entry])


def free_writes(network: NetworkShape, router: int, entry: int) -> Iterator[Write]:
    """Yield the writes that free an entry of a router, and the registers of its nodes (E7.8).

    What a fault has left there does not matter. Up to three of the first four are refused. The
    entry's epoch is 0 after the last one, as after reset.
    """
    for epoch in range(EPOCHS):
        yield commit_write(Code.KILL, network, router, entry, epoch)
    ports = [port for at, port in network.nodes if at == router]
    values = {"children": sum(1 << port for port in ports)}
    if network.interfaces:  # node ports are links, which have names
        values |= {f"entry_{port}": entry for port in ports}
    word = network.router.layout.image.pack(values)
    yield from _staged(RouterImage(router, entry, EPOCHS - 1, word), network)
    yield commit_write(Code.KILL, network, router, entry, 0)


def commit_write(code: Code, network: NetworkShape, router: int, entry: int, epoch: int) -> Write:
    """Return the write that commits a command at a router's entry; READ is of its status."""
    word = COMMIT.pack({"code": code, "entry": entry, "epoch": epoch})
    return Write(network.target_of(router), EngineWord.COMMIT, word)


def set_up_command(group: GroupPlan, network: NetworkShape, epochs: Epochs) -> list[Place]:
    """Return the writes, address and word, that have a manager set a group up, the root last (N5).

    ``epochs`` stays as it is: ``Epochs.set_up`` counts the command when it is done.
    """
    layout = network.router.layout
    images = group_images(group, layout, epochs)
    return _command(
        Operation.SETUP, network, [(i.router, i.entry, i.epoch, i.words(layout)) for i in images]
    )


def kill_command(places: Iterable[Place], network: NetworkShape, epochs: Epochs) -> list[Place]:
    """Return the writes, address and word, that have a manager kill entries of routers (N5)."""
    nothing = [0] * network.router.layout.image_words
    return _command(
        Operation.KILL, network, [(r, entry, epochs[r, entry], nothing) for r, entry in places]
    )


def _command(
    operation: Operation,
    network: NetworkShape,
    requests: Sequence[tuple[int, int, int, Sequence[int]]],
) -> list[Place]:
    """Return the writes of a command's requests: header, REQUEST, and words of an image (N5.1)."""
    writes = [(config_address(ManagerWord.POINTER), 0)]
    for router, entry, epoch, image in requests:
        request = REQUEST.pack({"entry": entry, "epoch": epoch})
        words = (network.sink_header(router), request, *image)
        writes += [(config_address(ManagerWord.DATA), word) for word in words]
    command = COMMAND.pack({"operation": operation, "count": len(requests)})
    return [*writes, (config_address(ManagerWord.COMMAND), command)]


def asked_node(group: GroupPlan, router: int) -> Place:
    """Return the node that is asked to set a router's engine up: that at its lowest port."""
    topology = group.graph
    return router, min(p for p in range(topology.ports) if topology.node_at(router, p) is not None)


def check_representatives(group: GroupPlan) -> None:
    """Refuse a group with a router whose engine no member could set up.

    Source: paper BTIN, section 3.1, Setup_Register, step 6.

    Raises
    ------
    PlanError
        Its root's router has no member, or another router of its tree has no node.
    """
    remedy = 'set planner = "btin", or setup = "local" or "manager"'
    if group.root_node is None:
        raise PlanError(
            f"group {group.id}: root {group.graph.name(group.tree.root)} of its tree has no"
            f' member, and with setup = "paper" members alone set engines up; {remedy}'
        )
    with_nodes = {router for router, _ in group.graph.nodes}
    for router in group.placement:
        if router not in with_nodes:
            raise PlanError(
                f"group {group.id}: {group.graph.name(router)} of its tree has no node, and with"
                ' setup = "paper" a node must set its engine up; put a node there, or set setup ='
                ' "local" or "manager"'
            )


def duties(group: GroupPlan) -> dict[int, tuple[int, ...]]:
    """Return the routers that each representative answers for, by the number of its node.

    The representative of a router is the member at its lowest port. It answers for that router,
    whose engine it sets up itself, and then for those without members below, down to the next
    routers with members: it asks a node of each.

    Parameters
    ----------
    group : GroupPlan
        Whose root's router has a member.
    """
    tree = group.tree
    first: dict[int, int] = {}
    for router, port in sorted(tree.nodes.tolist()):
        first.setdefault(router, group.graph.index((router, port)))
    found: dict[int, list[int]] = {}
    # From the root down, so that a representative's own router comes before those below it.
    for position in tree.depth.argsort(kind="stable").tolist():
        router = int(tree.routers[position])
        if router not in first:
            first[router] = first[int(tree.routers[tree.parent[position]])]
        found.setdefault(first[router], []).append(router)
    return {node: tuple(routers) for node, routers in found.items()}
