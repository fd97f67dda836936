"""What a tile is built for: its network's port, its packets, its memory."""

from functools import cached_property

from pydantic import BaseModel, ConfigDict

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.messages.core import (
    MOST_CORES,
    MOST_MEMORY_KIB,
    SHAPE,
    head_flit,
)
from syncfabric.models.messages.layout import Layout
from syncfabric.models.networks.spec import AnySpec, MeshSpec, MessageSpec

PACKETS = 0
"""Channel in which packets begin."""

WORD_BITS = 32


class TileShape(BaseModel):
    """What every tile of a system has to do with (docs/microarchitecture-cores.md).

    Parameters
    ----------
    cores : int
        Of the system; core i is node i.
    memory_kib : int
        Local memory of each.
    barriers : AnySpec
        The network of its barriers.
    beside : MeshSpec, optional
        The network of its packets, where that of its barriers has none.
    """

    model_config = ConfigDict(frozen=True)

    cores: int
    memory_kib: int
    barriers: AnySpec
    beside: MeshSpec | None = None

    @property
    def packets(self) -> MessageSpec:
        """The network of its packets."""
        return self.beside or self.barriers.engines("network")

    @property
    def lanes(self) -> int:
        """Channels of packets, and as many of acknowledgements: with datelines 2, else 1."""
        return 1 + bool(self.packets.shape.datelines)

    @property
    def acks(self) -> int:
        """Channel in which acknowledgements begin."""
        return PACKETS + self.lanes

    @property
    def registers(self) -> int:
        """Registers of the node's port."""
        return self.barriers.port_registers

    @property
    def data_bits(self) -> int:
        """Data bits of a barrier."""
        return self.barriers.data_bits

    @property
    def has_last(self) -> bool:
        """Whether groups end: an arrive can be the last, and BROKEN is seen."""
        return self.barriers.ends_groups

    @property
    def flit_word(self) -> int:
        """Bits of a flit that software sends by itself; 0 where there is no such role."""
        return self.barriers.software_bits

    @property
    def stream(self) -> StreamLayout | None:
        """Words of streams; None without."""
        return self.barriers.stream

    @property
    def first_slot(self) -> int:
        """Register of the first slot of barrier wires, whose channel is the first of streams."""
        return self.registers - self.barriers.wires

    @property
    def config_address_bits(self) -> int:
        """Bits of a config address of its own node."""
        return self.barriers.layout.config_address_bits

    @property
    def memory_words(self) -> int:
        """Words of local memory."""
        return self.memory_kib * 256

    @property
    def core_bits(self) -> int:
        """Bits of a core's number, at least 1."""
        return max(1, (self.cores - 1).bit_length())

    @cached_property
    def head(self) -> Layout:
        """Payload of a packet's head."""
        return head_flit(self.packets.layout.header.width, self.cores)

    @property
    def word(self) -> int:
        """The shape word."""
        return SHAPE.pack(
            {
                "registers": self.registers,
                "data_bits": self.data_bits,
                "has_last": self.has_last,
                "software": self.flit_word > 0,
                "messages": 1,
                "managed": self.barriers.managed,
                "streams": self.stream.channels if self.stream else 0,
            }
        )

    def check(self) -> None:
        """Refuse a number of cores or a memory that cannot be built.

        Raises
        ------
        SpecError
            With the field, the value, the reason and the remedy.
        """
        nodes = len(self.barriers.topology.nodes)
        if not 1 <= self.cores <= min(nodes, MOST_CORES):
            raise SpecError(
                f"cores = {self.cores}: the network has {nodes} nodes, and a system at most "
                f"{MOST_CORES} cores; choose 1 to {min(nodes, MOST_CORES)}"
            )
        size = self.memory_kib
        if not 1 <= size <= MOST_MEMORY_KIB or size & (size - 1):
            raise SpecError(
                f"memory = {size} KiB: local memory is a power of two, 1 to {MOST_MEMORY_KIB} KiB"
            )

    def check_network(self) -> None:
        """Refuse a network that cores cannot use; raises as ``check``."""
        if self.flit_word > WORD_BITS:
            raise SpecError(
                f"flit_bits = {self.flit_word}: a core sends flits of at most {WORD_BITS} bits; "
                f"set flit_bits = {WORD_BITS} or less"
            )
        if self.stream and self.stream.bits != WORD_BITS:
            raise SpecError(
                f"stream_bits = {self.stream.bits}: a core's memory gives a stream a word of "
                f"{WORD_BITS} bits in a cycle; set stream_bits = {WORD_BITS}"
            )
        self._check_packets()

    def _check_packets(self) -> None:
        packets = self.packets
        if packets.shape.router.routing == "source":
            raise SpecError(
                'routing = "source": a head of a core\'s packet has no room for its route; set '
                'routing = "table", or remove the key'
            )
        if packets.shape.router.routing == "adaptive":
            raise SpecError(
                'routing = "adaptive": packets between two cores may overtake each other, and '
                'messages bear no numbers; set routing = "dimension", or remove the key'
            )
        needed = 2 * self.lanes
        if packets.channels < needed:
            beyond = ", and behind datelines on the next one each" if self.lanes > 1 else ""
            raise SpecError(
                f"channels = {packets.channels}: cores send packets on channel {PACKETS} and their "
                f"acknowledgements on channel {self.acks}{beyond}; set channels = {needed}"
            )
        needed = max(self.head.width, WORD_BITS)
        if packets.flit_bits < needed:
            raise SpecError(
                f"flit_bits = {packets.flit_bits} is too narrow for a core's packets: a flit holds "
                f"a word, or a head of {self.head.width} bits; set flit_bits = {needed} or more"
            )
        if packets.check_bits:
            raise SpecError(
                f"check_bits = {packets.check_bits}: a core's packets cannot be cut short; "
                "set check_bits = 0"
            )
