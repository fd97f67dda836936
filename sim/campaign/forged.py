"""Messages that nobody has sent, as they stand on a link."""

from __future__ import annotations

import random

from syncfabric.models.golden.link_form import LinkForm, Wires
from syncfabric.models.messages import Kind
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec, RegisterSpec
from syncfabric.models.planning.switch_tree import PROCESS_PORT, PortRegister
from syncfabric.models.planning.tree import Register
from syncfabric.sim.assemble.links import links_of

__all__ = ["end_of", "forged", "spurious_kinds"]


def forged(
    network: RegisterSpec,
    rng: random.Random,
    *,
    kind: Kind,
    gid: int,
    epoch: int,
    router: int | None = None,
) -> int:
    """Return the forward wires of a message with the right check bits, as of ``Fault.mask``.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        With ``check_bits`` and messages.
    rng : random.Random
        Draws its class and data and, on a mesh, its destination.
    kind, gid, epoch : Kind, int, int
    router : int, optional
        On a mesh its destination; else it is for any that can be written, beyond the rim or where
        dimension order does not lead to, too.
    """
    fields: dict[str, int] = {"kind": kind, "gid": gid, "epoch": epoch}
    fields["data"] = rng.getrandbits(network.data_bits) if network.data_bits else 0
    form = LinkForm(network)
    turn = rng.randrange(form.classes)
    if isinstance(network, MeshSpec):
        x, y = rng.getrandbits(network.layout.x_bits), rng.getrandbits(network.layout.y_bits)
        if router is not None:
            x, y = network.mesh.node(router)
        fields |= {"x": x, "y": y, "turn": turn}
    wires = Wires(sync=network.layout.sync.pack(fields), sync_valid=1 << turn)
    return form.pack(form.checked(wires))


def end_of(network: RegisterSpec, link: int) -> tuple[int, int]:
    """Return where a link leads to: its number on the config port, and by which port."""
    links = links_of(network)
    end = links.ends[link]
    if not isinstance(network, IrregularSpec):
        assert end is not None
        return end
    if end is not None:
        return len(network.nodes) + end[0], end[1]
    switch, port = divmod(link, network.ports)
    node = network.topology.node_at(switch, port)
    assert node is not None
    return node, 0


def spurious_kinds(
    network: RegisterSpec, register: Register | PortRegister | None, port: int
) -> list[Kind]:
    """Return the kinds, if any, that a register uses in no state when they come to it by a port.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        With managers; messages from children come by their ports.
    register : Register, PortRegister or None
        None: the group has none here.
    port : int
        Input of its router, switch or node interface.
    """
    if register is None:
        return list(Kind)
    if isinstance(register, Register):
        assert isinstance(network, MeshSpec)
        is_child = register.children[port] is not None
        is_parent = register.parent is not None and port == _up(network, register)
    else:
        is_child = port in register.children
        # The root of a tree in a node interface is told GO and BROKEN from below.
        at_node = PROCESS_PORT in register.children and not isinstance(register.seat, int)
        is_parent = port == register.parent or (at_node and register.parent is None)
    if is_child and is_parent:  # it depends on the class; but a root is not told DISTRIBUTE
        return [Kind.DISTRIBUTE] if register.parent is None else []
    if is_child:  # a kind 2 from a child is LAST
        return [Kind.DISTRIBUTE, Kind.BROKEN]
    return [Kind.REDUCE] if is_parent else list(Kind)


def _up(network: MeshSpec, register: Register) -> Port:
    """Return the port by which a register's messages leave for its parent."""
    (x, y), parent = register.node, register.parent
    assert parent is not None
    along_x = Port.EAST if parent[0] > x else Port.WEST if parent[0] < x else None
    along_y = Port.NORTH if parent[1] > y else Port.SOUTH if parent[1] < y else None
    first, second = (along_x, along_y) if register.turn is Turn.X_FIRST else (along_y, along_x)
    way = first if first is not None else second
    assert way is not None
    return way
