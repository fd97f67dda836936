"""The numbers that an engine and its node are built for, as keys with ranges."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import MOST_PORTS, WORD_BITS, EngineLayout, interval_of
from syncfabric.models.layout.flit import dimension_header, source_header, table_header
from syncfabric.models.layout.offload import Offload
from syncfabric.models.layout.slots import MOST_SLOTS, SlotLayout
from syncfabric.models.layout.streams import Channels, Join, Operations, StreamLayout, Width
from syncfabric.models.layout.words import RouterWord
from syncfabric.models.messages.layout import Layout
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.table import Flag, Table, Whole

BY_GRID = ("dimension", "adaptive")
"""Routings that need coordinates."""

LUT_RAM_GROUPS = 32
"""Groups above which entries and queues are in block RAM."""

MOST_IMAGE_WORDS = 8
"""Staged words of an image: addresses 1 to 8 of an engine."""


class EngineShape(Table):
    """What an engine is built for.

    The keys are those of ``[network]``, and two that follow from a router: ``links`` and ``own``.
    """

    links: Whole = Field(ge=1, le=MOST_PORTS, description="link ports")
    own: Flag = Field(default=True, description="the process of the router takes part")
    groups: Whole = Field(default=16, ge=1, le=256, description="entries")
    data_bits: Whole = Field(default=0, ge=0, le=32, description="bits of data in a message")
    operations: Literal["none", "bitwise", "all"] = Field(
        default="none", description="combining operations"
    )
    message_links: Literal["own", "shared"] = Field(
        default="own", description="links of their own, or those of packets"
    )
    engine_stages: Whole = Field(default=0, ge=0, le=4, description="cycles a router; 0: least")
    watchdog: Whole = Field(
        default=0, ge=0, le=65535, description="cycles between two visits; 0: none"
    )
    key_bits: Whole = Field(
        default=0, ge=0, le=16, description="bits of a group's key in each message; 0: none"
    )
    counters: Flag = Field(default=True, description="events are counted")
    read_back: Flag = Field(default=True, description="entries can be read whole")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.links + self.own > MOST_PORTS:
            raise SpecError(f"links must be at most {MOST_PORTS - 1} with own, not {self.links}")
        if (self.operations == "none") != (self.data_bits == 0):
            raise SpecError(
                f"operations {self.operations!r} do not go with data_bits {self.data_bits};"
                " 'none' goes with 0 data_bits, and 'bitwise' or 'all' with 1 and more"
            )
        if self.engine_stages and self.engine_stages < self._least:
            raise SpecError(
                f"engine_stages must be at least {self._least} here, not {self.engine_stages};"
                " leave it out for the least"
            )
        least = interval_of(self.stages, shared=self.shared) * (self.links + 1) + 1
        if 0 < self.watchdog < least:
            raise SpecError(
                f"watchdog must be 0, or at least {least} cycles here, not {self.watchdog}:"
                " visits would leave no room for arrivals"
            )
        return self

    @property
    def _least(self) -> int:
        """The fewest cycles a router that keep the clock."""
        if self.groups > LUT_RAM_GROUPS:
            return 4
        if self.data_bits > (4 if self.operations == "all" else 8):
            return 3
        return 2 if self._late else 1

    @property
    def _late(self) -> bool:
        """Whether messages share the links of packets, or a check follows them."""
        return self.shared or self.key_bits > 0

    @property
    def shared(self) -> bool:
        """Whether messages are on the links of packets."""
        return self.message_links == "shared"

    @property
    def stages(self) -> int:
        """Cycles a router."""
        return self.engine_stages or self._least

    @cached_property
    def layout(self) -> EngineLayout:
        """Widths of the engine's words."""
        shape = self.links, self.own, self.groups, self.data_bits, self.operations
        return EngineLayout(*shape, key_bits=self.key_bits)

    @property
    def options(self) -> dict[str, Any]:
        """What an engine takes beside its layout."""
        names = ("stages", "watchdog", "counters", "read_back")
        given = {name: getattr(self, name) for name in names}
        return {**given, "shared": self.shared}


class NodeShape(EngineShape):
    """What a node is built for: a router of packets, its engine, its links and its node port.

    Router port p is link p of the engine; with ``own``, port ``links`` is the process's.
    """

    channels: Whole = Field(
        default=1, ge=0, le=4, description="virtual channels of packets; 0: no packets"
    )
    buffer_flits: Whole = Field(default=4, ge=1, le=40, description="flits a channel can hold")
    flit_bits: Whole = Field(default=32, ge=16, le=128, description="payload of a flit")
    output_register: Flag = Field(default=False, description="a register before each link")
    routing: Literal["dimension", "adaptive", "table", "source"] = Field(
        default="source", description="how packets find their outputs"
    )
    sides: tuple[Whole, ...] = Field(
        default=(), description="routers in each dimension; none: they have no coordinates"
    )
    wraps: Flag = Field(default=False, description="lines of more than two routers are rings")
    routers: Whole = Field(
        default=0, ge=0, le=1 << 17, description="routers that a table leads to; 0: no table"
    )
    datelines: Flag = Field(default=False, description="packets change channels at some outputs")
    managers: Whole = Field(
        default=0, ge=0, le=4, description="managers that set groups up by packets"
    )
    link_registers: Whole = Field(default=0, ge=0, le=15, description="registers on each link")
    longest_link: Whole = Field(
        default=0, ge=0, le=15, description="registers on the longest link, if some have more"
    )
    check_bits: Whole = Field(
        default=0, ge=0, le=8, description="check bits of each word on a link; 0: none"
    )
    transport: Literal["link", "routed"] = Field(
        default="link",
        description="messages go from neighbour to neighbour, or are routed as packets are",
    )
    clock_enables: Flag = Field(default=False, description="a router shows when it needs its clock")
    registers: Whole = Field(
        default=0, ge=0, le=16, description="groups of the node port; 0: the engine's own port"
    )
    wires: Whole = Field(
        default=0, ge=0, le=MOST_SLOTS, description="slots of barrier wires; 0: no wires"
    )
    streams: Channels = Field(
        default=0, description="stream channels, for the first slots; 0: no streams"
    )
    stream_bits: Width = Field(default=32, description="bits of a word of a stream")
    stream_operations: tuple[Operations, ...] = Field(
        default=("add",), min_length=1, description="operators of streams"
    )
    stream_join: Join = Field(
        default="tree", description="an operator for each pair of ports, or one for all"
    )
    stream_links: Literal["own", "shared"] = Field(
        default="own", description="streams have links of their own, or those of packets"
    )
    offload: Offload | None = Field(default=None, description="a designer's own operator")

    @model_validator(mode="after")
    def _check_node(self) -> Self:
        for wrong, reason in self._refusals():
            if wrong:
                raise SpecError(reason)
        return self

    def _refusals(self) -> Iterator[tuple[bool, str]]:
        """Yield whether each rule between several keys is broken, and what to say then."""
        packets, table = self.channels > 0, self.routing == "table"
        yield (
            packets and self.ports < 2,
            f"channels must be 0 with a single port, not {self.channels};"
            " a router of packets needs 2 ports",
        )
        yield (
            not packets and self.message_links == "shared",
            "message_links 'shared' needs packets; take 'own', or channels of 1 and more",
        )
        yield (
            self.transport == "routed" and not (packets and self.grid),
            "transport 'routed' needs a mesh or torus with channels and routing 'dimension', not"
            f" {self.channels} channels and {self.routing!r}; take transport 'link'",
        )
        yield (
            self.transport == "routed" and not self.own,
            "transport 'routed' needs nodes in the routers; take interfaces = false, or transport"
            " 'link'",
        )
        ports = self.grid.ports if self.grid else 0
        yield (
            self.transport == "routed" and self.links != ports,
            f"links must be {ports} with transport 'routed' and sides {self.sides}, not"
            f" {self.links}: messages go by dimensions alone",
        )
        words = self.layout.image_words
        yield (
            self.transport == "routed" and words > MOST_IMAGE_WORDS,
            f"the image of an entry takes {words} words with transport 'routed' and"
            f" {self.links} links, and {MOST_IMAGE_WORDS} is the most; take transport 'link'",
        )
        yield (
            self.transport == "routed" and self.groups > LUT_RAM_GROUPS,
            f"groups must be at most {LUT_RAM_GROUPS} with transport 'routed', not {self.groups};"
            " take transport 'link' for more",
        )
        capacity = self.flit_bits + 2 + (self.check_bits > 0)
        width = self.layout.link_message.width
        yield (
            self.key_bits > 0 and self.shared and width > capacity,
            f"key_bits {self.key_bits} leaves no room in a message on links of packets: it takes"
            f" {width} bits, and a flit has {capacity}; take fewer, or message_links 'own'",
        )
        yield (
            self.routing in BY_GRID and not self.grid,
            f"routing {self.routing!r} needs sides of a mesh or torus; take 'table' or 'source'",
        )
        least = self.escapes + 1
        yield (
            self.escapes > 0 and self.channels < least,
            f"channels must be at least {least} with routing 'adaptive' here, not {self.channels}:"
            f" packets go by dimension order in channel{'s 0 and 1' if self.datelines else ' 0'},"
            " and adapt in those above",
        )
        yield (
            ports > self.links,
            f"links must be at least {ports} with sides {self.sides}, not {self.links}",
        )
        yield (
            table and self.routers == 0,
            "routers must be 1 and more with routing 'table', not 0;"
            " they are what the table leads to",
        )
        yield (
            not table and self.routers > 0,
            f"routers must be 0 with routing {self.routing!r}, not {self.routers};"
            " only routing 'table' has a table",
        )
        yield (
            self.managers > 0 and not packets,
            f"managers must be 0 without channels, not {self.managers};"
            " set-up packets travel beside packets",
        )
        yield (
            self.managers > 0 and self.flit_bits < WORD_BITS,
            f"flit_bits must be at least {WORD_BITS} with managers, not {self.flit_bits};"
            " a flit holds a word of a set-up packet",
        )
        runs = 1 << max(0, self.managers - 1).bit_length()
        yield (
            self.layout.entries < runs,
            f"groups must be at least {runs} with {self.managers} managers, not {self.groups}:"
            " each has a share of a router's entries",
        )
        yield (
            self.managers > 0 and self.routing == "source",
            "managers do not go with routing 'source'; take 'dimension' or 'table'",
        )
        yield (
            self.datelines and not self.escapes and self.channels % 2 > 0,
            f"datelines do not go with {self.channels} channels, where packets go over from"
            " channel 0 to 1 or from 2 to 3; take channels 2 or 4",
        )
        least = self.header.offsets["reply"] if self.grid else 0
        yield (
            self.flit_bits < least,
            f"flit_bits must be at least {least} here, not {self.flit_bits}:"
            " a header holds the destination's coordinates",
        )
        yield (
            self.registers > 0 and not self.own,
            f"registers must be 0 without own, not {self.registers};"
            " a node port belongs to the router's own process",
        )
        entries = self.layout.entries
        yield (
            self.registers > entries,
            f"registers must be at most {entries} with {self.groups} groups, not {self.registers}",
        )
        most = 256 - entries
        yield (
            self.wires > most,
            f"wires must be at most {most} with {self.groups} groups, not {self.wires}:"
            " entries and slots are numbered 0 to 255 together",
        )
        yield (
            self.streams > self.wires,
            f"streams must be at most wires = {self.wires}, not {self.streams}:"
            " a stream goes with a slot; set wires to as many or more",
        )
        others = {
            "managers": 'setup = "local"',
            "check_bits": "check_bits = 0",
            "wires": "wires = 0",
        }
        for name, remedy in others.items():
            yield (
                self.clock_enables and getattr(self, name) > 0,
                f"clock_enables does not go with {name} = {getattr(self, name)} yet;"
                f" set {remedy}, or leave clock_enables out",
            )
        yield from self._of_shared_streams()
        yield (
            len(set(self.stream_operations)) < len(self.stream_operations),
            "stream_operations names one twice; name each once",
        )
        yield (
            "offload" in self.stream_operations and not self.offload,
            'stream_operations names "offload"; say in [network.offload] what that is',
        )
        yield (
            self.offload is not None and "offload" not in self.stream_operations,
            'offload is not in use; add "offload" to stream_operations, or remove it',
        )

    def _of_shared_streams(self) -> Iterator[tuple[bool, str]]:
        """Yield the same of streams on links of packets."""
        here = self.streams > 0 and self.stream_links == "shared"
        yield (
            here and not self.channels,
            "stream_links 'shared' needs packets; take 'own', or channels of 1 and more",
        )
        most, checks = (64, " and check_bits") if self.check_bits else (128, "")
        yield (
            here and self.stream_bits > most,
            f"stream_bits must be at most {most} with stream_links 'shared'{checks}, not"
            f" {self.stream_bits}; take stream_links 'own' for more",
        )
        yield (
            here and self.shared,
            "stream_links 'shared' does not go with messages on the same links: neither can wait;"
            " take message_links 'own' and transport 'link', or stream_links 'own'",
        )

    @property
    def _late(self) -> bool:
        return super()._late or self.check_bits > 0

    @property
    def most_registers(self) -> int:
        """Registers on the longest link."""
        return max(self.link_registers, self.longest_link)

    @cached_property
    def grid(self) -> Grid | None:
        """The coordinates that packets go by; None: they are routed by others."""
        by_sides = self.routing in BY_GRID and self.sides
        return Grid(self.sides, self.wraps) if by_sides else None

    @property
    def escapes(self) -> int:
        """Channels of packets that do not adapt, from 0 on; 0: none do."""
        return 1 + self.datelines if self.routing == "adaptive" else 0

    @cached_property
    def header(self) -> Layout:
        """What the routing reads of a head flit."""
        if self.routing == "source":
            return source_header(self.flit_bits, self.ports)
        if self.grid:
            return dimension_header(self.grid, 0 if self.own else self.ports)
        return table_header(max(1, self.routers), self.ports)

    @property
    def shared(self) -> bool:
        """Whether messages are on the links of packets; routed ones always are."""
        return self.message_links == "shared" or self.transport == "routed"

    @cached_property
    def layout(self) -> EngineLayout:
        """Widths of the engine's words; those of routed messages say where they go."""
        place = self.grid.bits if self.transport == "routed" and self.grid else ()
        shape = (self.links, self.own, self.groups, self.data_bits, self.operations)
        return EngineLayout(*shape, place, bool(place) and self.datelines, self.key_bits)

    @cached_property
    def slots(self) -> SlotLayout | None:
        """Widths of the slots' words; None without wires."""
        return SlotLayout(self.layout, self.wires, self.check_bits > 0) if self.wires else None

    @cached_property
    def stream(self) -> StreamLayout | None:
        """Words and latencies of streams; None without."""
        if not self.streams:
            return None
        engine = self.layout
        return StreamLayout(
            self.streams,
            self.stream_bits,
            self.stream_operations,
            self.stream_join,
            engine.ports,
            engine.own,
            self.most_registers,
            self.offload,
            self.check_bits,
            self.stream_links == "shared",
            self.output_register,
        )

    @property
    def router_words(self) -> tuple[RouterWord, ...]:
        """Config words of a router beside its engine's, by rising address."""
        checks, drops = self.check_bits > 0, self.channels + self.streams > 0
        return _words(checks, drops, checks, checks, self.managers + self.wires > 0)

    @property
    def end_words(self) -> tuple[RouterWord, ...]:
        """Config words of a node interface's end of its link."""
        checks = self.check_bits > 0
        return _words(checks, checks and self.channels > 0, checks, checks, False)

    @property
    def ports(self) -> int:
        """Ports of the router: its links, and the process's own or that of the set-up sink."""
        return self.links + (self.own or self.managers > 0)

    @property
    def link_channels(self) -> int:
        """Virtual channels of a link: those of packets, and one of set-up packets."""
        return self.channels + (self.managers > 0)

    @property
    def outputs(self) -> tuple[tuple[int, ...], ...]:
        """For each input, the outputs of its packets by table or source.

        They are all but its own; that of a process has its own, too.
        """
        ports, process = range(self.ports), self.links if self.own else -1
        return tuple(tuple(o for o in ports if o != i or i == process) for i in ports)


def _words(*there: bool) -> tuple[RouterWord, ...]:
    return tuple(word for word, has in zip(RouterWord, there, strict=True) if has)
