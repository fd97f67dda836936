"""How the registers of a kind of network are set up by packets: words, their bits, headers."""

from dataclasses import dataclass

from syncfabric.models.messages import (
    ARRIVED,
    COMMAND_WORD,
    CONTROL,
    LIFE,
    NODE_WORD,
    PARENT_WORD,
    SEQUENCE_BITS,
    STATUS,
    TREE,
    WIRE_IMAGE,
    WIRE_STATUS,
    Layout,
    RegisterWord,
    SwitchWord,
    WireLayout,
    WireWord,
)
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import (
    IrregularSpec,
    MeshSpec,
    RegisterSpec,
)

__all__ = ["SEQUENCES", "SLOT_BITS", "SetupFormat", "setup_format"]

SEQUENCES = 1 << SEQUENCE_BITS
"""Requests that a manager can tell apart."""

SLOT_BITS = next(field.width for field in WIRE_IMAGE.fields if field.name == "slot")
"""Bits of the number of a slot in a request."""


@dataclass(frozen=True)
class SetupFormat:
    """What set-up must know of a network, whatever its kind.

    Parameters
    ----------
    flit : Layout
        Flit of the network; its payload has at least 32 bits.
    routers : int
        Switches, or nodes of a mesh: each has a set-up sink.
    registers : int
        Barrier registers of a router.
    image : tuple of (int, int)
        Word numbers of a register's image less the control word, in the order of a request, and
        which bits of each a register keeps.
    control : int
        Bits of the control word that a register keeps.
    command : int
        Word that takes commands.
    state : int
        Word that tells the state.
    busy : int
        Its bits that say that an episode, or the end, is under way.
    headers : tuple of int
        Header of a reply to each manager.
    slot_at : int, optional
        Where the image word of a request names the register to be taken, by its lowest bit;
        without, the first free one is.
    """

    flit: Layout
    routers: int
    registers: int
    image: tuple[tuple[int, int], ...]
    control: int
    command: int
    state: int
    busy: int
    headers: tuple[int, ...]
    slot_at: int | None = None

    @property
    def image_bits(self) -> int:
        """Bits of the widest image word."""
        return max(kept.bit_length() for _, kept in self.image)

    @property
    def stride(self) -> int:
        """Words of an entry in a manager's memory: header, request word, image."""
        return 2 + len(self.image)


def setup_format(network: RegisterSpec, managers: tuple[Node, ...]) -> SetupFormat:
    """Return the format of a network.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        The network.
    managers : tuple of node
        Nodes of the managers: one to four.
    """
    layout = network.layout
    control = (1 << CONTROL.width) - 1
    if isinstance(network, IrregularSpec):
        headers = tuple(
            layout.header.pack({"switch": switch, "port": port}) for switch, port in managers
        )
        routers = network.switches
    else:
        headers = tuple(layout.header.pack({"x": x, "y": y, "reply": 1}) for x, y in managers)
        routers = network.width * network.height
    if not network.has_messages:
        return _wires(network, routers, headers)
    if isinstance(network, IrregularSpec):
        tree = {"parent": (1 << (network.ports - 1).bit_length()) - 1}
        tree["children"] = (1 << network.ports) - 1
        return SetupFormat(
            flit=layout.flit,
            routers=routers,
            registers=network.barrier_registers,
            image=((SwitchWord.TREE, TREE.pack(tree)),),
            control=control & ~CONTROL.pack({"turn": 1}),
            command=COMMAND_WORD,
            state=SwitchWord.ARRIVED,
            busy=_busy(ARRIVED),
            headers=headers,
        )
    place = {"x": (1 << network.layout.x_bits) - 1, "y": (1 << network.layout.y_bits) - 1}
    children = NODE_WORD.pack({**place, "present": 1})
    return SetupFormat(
        flit=layout.flit,
        routers=routers,
        registers=network.barrier_registers,
        image=(
            (RegisterWord.PARENT, PARENT_WORD.pack({**place, "relay": 1})),
            *((word, children) for word in range(RegisterWord.EAST, RegisterWord.STATUS)),
        ),
        control=control,
        command=RegisterWord.STATUS,
        state=RegisterWord.STATUS,
        busy=_busy(STATUS),
        headers=headers,
    )


def _wires(network: RegisterSpec, routers: int, headers: tuple[int, ...]) -> SetupFormat:
    """Return the format of slots of barrier wires: words of a kind of their own, on any network."""
    if isinstance(network, MeshSpec):
        slot = WireLayout(Port.LOCAL, True, network.data_bits)
    else:
        slot = WireLayout(network.ports, False, network.data_bits)
    return SetupFormat(
        flit=network.layout.flit,
        routers=routers,
        registers=network.barrier_registers,
        image=((WireWord.TREE, slot.tree_mask),),
        control=(1 << CONTROL.width) - 1 & ~CONTROL.pack({"turn": 1}),
        command=WireWord.COMMAND,
        state=WireWord.STATUS,
        busy=WIRE_STATUS.pack({"la": 1, "up": 1, "dn": 1}),
        headers=headers,
        slot_at=WIRE_IMAGE.offsets["slot"],
    )


def _busy(state: Layout) -> int:
    """Return the bits of a state word that say that an episode, or the end, is under way."""
    return (1 << state.width) - 1 | LIFE.pack({"dying": 1}) << state.width
