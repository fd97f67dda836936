"""Setting groups up and ending them: over the config chain, by a manager, or by members.

Source: docs/microarchitecture-engine.md, E7; docs/microarchitecture-networks.md, N5 and N6.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.engine import ADDRESS_BITS, COMMIT, IMAGE_ADDRESS, Code
from syncfabric.models.layout.network import NetworkShape, Target
from syncfabric.models.layout.setup import COMMAND, REQUEST, ManagerWord, Operation
from syncfabric.models.networks.irregular import Place
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.images import EPOCHS, Epochs, RouterImage, group_images

__all__ = [
    "COMMIT_ADDRESS",
    "Write",
    "asked_node",
    "check_representatives",
    "commit_write",
    "duties",
    "free_writes",
    "go_writes",
    "image_writes",
    "kill_command",
    "kill_requests",
    "kill_writes",
    "manager_address",
    "set_up_command",
    "set_up_requests",
    "set_up_writes",
]

COMMIT_ADDRESS = 0


class Write(NamedTuple):
    """A write over the config chain.

    Attributes
    ----------
    target, address, word : int
        Addresses of engines are below 32.
    """

    target: int
    address: int
    word: int


def set_up_writes(
    groups: Sequence[GroupPlan], network: NetworkShape, epochs: Epochs
) -> Iterator[Write]:
    """Yield the writes that set groups up and start them (N6.6); count them in ``epochs``."""
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
    layout = network.router.layout
    for group in groups:
        for image in group_images(group, layout, epochs):
            target = network.target_of(image.router)
            for k, word in enumerate(image.words(layout)):
                yield Write(target, IMAGE_ADDRESS + k, word)
            yield commit_write(Code.SETUP, network, image.router, image.entry, image.epoch)
        epochs.set_up(group)


def go_writes(
    groups: Sequence[GroupPlan], network: NetworkShape, epochs: Epochs
) -> Iterator[Write]:
    """Yield the COMMIT GO of each group's root; ``epochs`` are those after SETUP."""
    for group in groups:
        root = group.shape.root
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
    """Yield the writes that free an entry of a router, and the registers of its nodes (E7.10).

    What a fault has left there does not matter. Up to three of the first four are refused. The
    entry's epoch is 0 after the last one, as after reset.
    """
    layout = network.router.layout
    for epoch in range(EPOCHS):
        yield commit_write(Code.KILL, network, router, entry, epoch)
    ports = [port for at, port in network.nodes if at == router]
    values = {"children": sum(1 << port for port in ports)}
    if network.interfaces:  # node ports are links, which have names
        values |= {f"entry_{port}": entry for port in ports}
    image = RouterImage(router, entry, EPOCHS - 1, layout.image.pack(values))
    for k, word in enumerate(image.words(layout)):
        yield Write(network.target_of(router), IMAGE_ADDRESS + k, word)
    yield commit_write(Code.SETUP, network, router, entry, image.epoch)
    yield commit_write(Code.KILL, network, router, entry, 0)


def commit_write(code: Code, network: NetworkShape, router: int, entry: int, epoch: int) -> Write:
    """Return the write that commits a command at a router's entry; READ is of its status."""
    word = COMMIT.pack({"code": code, "entry": entry, "epoch": epoch})
    return Write(network.target_of(router), COMMIT_ADDRESS, word)


def set_up_requests(
    group: GroupPlan, network: NetworkShape, epochs: Epochs
) -> list[tuple[int, ...]]:
    """Return the requests of a manager's SETUP (N5.1), the root last.

    Each is header, REQUEST and the image's words. ``epochs`` stays as it is: ``Epochs.set_up``
    counts the command when it is done.
    """
    layout = network.router.layout
    return [
        (
            network.sink_header(image.router),
            REQUEST.pack({"entry": image.entry, "epoch": image.epoch}),
            *image.words(layout),
        )
        for image in group_images(group, layout, epochs)
    ]


def manager_address(word: ManagerWord) -> int:
    """Return the config address of a manager's word at its node."""
    return Target.MANAGER << ADDRESS_BITS | word


def set_up_command(
    group: GroupPlan, network: NetworkShape, epochs: Epochs
) -> Iterator[tuple[int, int]]:
    """Yield the writes, address and word, that have a manager set a group up (N5)."""
    yield from _command(Operation.SETUP, set_up_requests(group, network, epochs))


def kill_command(
    places: Iterable[tuple[int, int]], network: NetworkShape, epochs: Epochs
) -> Iterator[tuple[int, int]]:
    """Yield the writes, address and word, that have a manager kill entries of routers (N5)."""
    yield from _command(Operation.KILL, kill_requests(places, network, epochs))


def _command(
    operation: Operation, requests: Sequence[tuple[int, ...]]
) -> Iterator[tuple[int, int]]:
    yield manager_address(ManagerWord.POINTER), 0
    for request in requests:
        for word in request:
            yield manager_address(ManagerWord.DATA), word
    command = COMMAND.pack({"operation": operation, "count": len(requests)})
    yield manager_address(ManagerWord.COMMAND), command


def kill_requests(
    places: Iterable[tuple[int, int]], network: NetworkShape, epochs: Epochs
) -> list[tuple[int, ...]]:
    """Return the requests of a manager's KILL of routers' entries, as long as those of SETUP."""
    layout = network.router.layout
    return [
        (
            network.sink_header(router),
            REQUEST.pack({"entry": entry, "epoch": epochs[router, entry]}),
            *[0] * layout.image_words,
        )
        for router, entry in places
    ]


def asked_node(group: GroupPlan, router: int) -> Place:
    """Return the node that is asked to set a router's engine up: that at its lowest port."""
    topology = group.graph.topology
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
            f"group {group.id}: root {group.graph.name(group.shape.root)} of its tree has no"
            f' member, and with setup = "paper" members alone set engines up; {remedy}'
        )
    with_nodes = {router for router, _ in group.graph.topology.nodes}
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
    shape = group.shape
    first: dict[int, int] = {}
    for router, port in sorted(shape.nodes.tolist()):
        first.setdefault(router, group.graph.topology.index((router, port)))
    found: dict[int, list[int]] = {}
    # From the root down, so that a representative's own router comes before those below it.
    for position in shape.depth.argsort(kind="stable").tolist():
        router = int(shape.routers[position])
        if router not in first:
            first[router] = first[int(shape.routers[shape.parent[position]])]
        found.setdefault(first[router], []).append(router)
    return {node: tuple(routers) for node, routers in found.items()}
