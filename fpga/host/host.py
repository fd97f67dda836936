"""The registers of a board's host, by their names."""

from collections.abc import Iterable
from dataclasses import dataclass

from syncfabric.fpga.host.link import Link, RefusedError
from syncfabric.models.errors import BoardError
from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    HOST_ID,
    HOST_VERSION,
    INTERRUPT,
    MASK_BASE,
    METER_BASE,
    METER_WORDS,
    MOST_REGISTERS,
    NODE_BASE,
    NODE_WORDS,
    RESULT_BASE,
    SHAPE,
    STREAM_BASE,
    STREAM_PACKET,
    STREAM_PLACE,
    TRAFFIC_BASE,
    TRAFFIC_CONTROL,
    TRAFFIC_WORDS,
    WAIT_BASE,
    GlobalWord,
    MeterWord,
    NodeWord,
    StreamWord,
    TrafficWord,
    config_word,
    meter_word,
    node_word_address,
    stream_word,
    traffic_word,
)
from syncfabric.models.traffic import rate_word


def name_of(address: int) -> str:
    """Return the name of the word at an address: ``CONTROL``, ``node 3 WAIT 0``, ``no word``."""
    if address in set(GlobalWord):
        return GlobalWord(address).name
    if TRAFFIC_BASE <= address < TRAFFIC_BASE + TRAFFIC_WORDS:
        return _word("TRAFFIC ", address - TRAFFIC_BASE, TrafficWord)
    if STREAM_BASE <= address < STREAM_BASE + len(StreamWord):
        return f"STREAM {StreamWord(address - STREAM_BASE).name}"
    if CONFIG_WINDOW <= address < 2 * CONFIG_WINDOW:
        return f"config word {address - CONFIG_WINDOW}"
    if address >= NODE_BASE:
        node, word = divmod(address - NODE_BASE, NODE_WORDS)
        for base, name in ((DATA_BASE, "DATA"), (RESULT_BASE, "RESULT"), (WAIT_BASE, "WAIT")):
            if base <= word < base + MOST_REGISTERS:
                return f"node {node} {name} {word - base}"
        return _word(f"node {node} ", word, NodeWord)
    if address >= METER_BASE:
        meter, word = divmod(address - METER_BASE, METER_WORDS)
        if word >= MASK_BASE:
            return f"meter {meter} MASK {word - MASK_BASE}"
        if HISTOGRAM_BASE <= word < HISTOGRAM_BASE + BINS:
            return f"meter {meter} HISTOGRAM {word - HISTOGRAM_BASE}"
        return _word(f"meter {meter} ", word, MeterWord)
    return "no word"


def _word(page: str, word: int, words: type[MeterWord] | type[NodeWord] | type[TrafficWord]) -> str:
    return page + words(word).name if word in set(words) else "no word"


@dataclass(frozen=True)
class Identity:
    """What a board says of itself: ``NODES`` and the fields of ``SHAPE``."""

    nodes: int
    registers: int
    data_bits: int
    meters: int
    last: bool
    broken: bool
    traffic: bool
    streams: int = 0


@dataclass(frozen=True)
class MeterReading:
    """What a meter has counted; latencies in cycles, None before the first barrier."""

    episodes: int
    last: int | None
    least: int | None
    greatest: int | None
    histogram: tuple[int, ...]


@dataclass(frozen=True)
class TrafficReading:
    """What came of the ordinary traffic: packets, wrong flits, greatest latency in cycles."""

    created: int
    lost: int
    received: int
    wrong: int
    latency: int


@dataclass(frozen=True)
class StreamReading:
    """What a sink of streams has counted; the cycles are those of its last packet."""

    packets: int
    checksum: int
    first: int
    last: int


class Host:
    """A board's registers. Nodes and meters go by their numbers.

    Parameters
    ----------
    link : Link
        To the board.

    Attributes
    ----------
    identity : Identity
        What it said of itself.

    Raises
    ------
    BoardError
        What is at the port is no board of this project, or one of another version.
    """

    def __init__(self, link: Link) -> None:
        self.link = link
        self._target: int | None = None
        self.identity = self._identify()

    def _identify(self) -> Identity:
        seen = self.read(GlobalWord.ID)
        if seen != HOST_ID:
            raise BoardError(
                f"port {self.link.port}: ID is {seen:#010x}, not {HOST_ID:#010x}: "
                "this is no Syncfabric board"
            )
        version = self.read(GlobalWord.VERSION)
        if version != HOST_VERSION:
            raise BoardError(
                f"port {self.link.port}: the board's registers are of version {version}, and this "
                f"program needs {HOST_VERSION}: build its bitstream anew"
            )
        shape = SHAPE.unpack(self.read(GlobalWord.SHAPE))
        return Identity(
            nodes=self.read(GlobalWord.NODES),
            registers=shape["registers"],
            data_bits=shape["data_bits"],
            meters=shape["meters"],
            last=bool(shape["last"]),
            broken=bool(shape["broken"]),
            traffic=bool(shape["traffic"]),
            streams=shape["streams"],
        )

    def read(self, address: int) -> int:
        """Return a word.

        Raises
        ------
        RefusedError
            The board refused.
        """
        try:
            return self.link.read(address)
        except RefusedError:
            raise RefusedError(f"the board refused to read {_words(address)}") from None

    def write(self, address: int, value: int) -> None:
        """Write a word.

        Raises
        ------
        RefusedError
            The board refused.
        """
        try:
            self.link.write(address, value)
        except RefusedError:
            raise RefusedError(
                f"the board refused to write {value:#x} to {_words(address)}"
            ) from None

    def cycle(self) -> int:
        """Return the cycles since reset."""
        low = self.read(GlobalWord.CYCLE_LOW)
        return self.read(GlobalWord.CYCLE_HIGH) << 32 | low

    def configure(self, target: int, address: int, value: int) -> None:
        """Write a config word of a node, or of what comes after them."""
        self._aim(target)
        try:
            self.write(config_word(address), value)
        except RefusedError as error:
            raise RefusedError(f"{error}, of target {target}") from None

    def configured(self, target: int, address: int) -> int:
        """Return a config word."""
        self._aim(target)
        return self.read(config_word(address))

    def config_answer(self) -> int:
        """Return the word of the last answer to a config word, written or read, refused or not."""
        return self.read(GlobalWord.CONFIG_ANSWER)

    def _aim(self, target: int) -> None:
        if target != self._target:
            self.write(GlobalWord.CONFIG_NODE, target)
            self._target = target

    def arrive(self, node: int, register: int, *, last: bool = False) -> None:
        """Let a node arrive; refused if its register is not ready."""
        word = NodeWord.ARRIVE_LAST if last else NodeWord.ARRIVE
        self.write(node_word_address(node, word), 1 << register)

    def arrive_all(self, meter: int) -> None:
        """Let all in a meter's mask arrive in the same cycle."""
        self.write(GlobalWord.ARRIVE_ALL, meter)

    def ready(self, node: int, register: int) -> bool:
        """Return whether a node may arrive."""
        return bool(self.read(node_word_address(node, NodeWord.READY)) >> register & 1)

    def done(self, node: int, register: int) -> bool:
        """Return whether a node was released since it arrived."""
        return bool(self.read(node_word_address(node, NodeWord.DONE)) >> register & 1)

    def put(self, node: int, register: int, data: int) -> None:
        """Set the data that a node brings when it arrives."""
        self.write(node_word_address(node, DATA_BASE + register), data)

    def result(self, node: int, register: int) -> int:
        """Return the result of a node's last barrier."""
        return self.read(node_word_address(node, RESULT_BASE + register))

    def wait(self, node: int, register: int) -> int:
        """Wait for a node's release, and return the result.

        Raises
        ------
        RefusedError
            It did not come within ``WAIT_LIMIT`` cycles, or the barrier broke.
        """
        return self.read(node_word_address(node, WAIT_BASE + register))

    def limit_waits(self, cycles: int) -> None:
        """Set the cycles that a `wait` takes at most."""
        self.write(GlobalWord.WAIT_LIMIT, cycles)

    def watch(self, meter: int, endpoints: Iterable[tuple[int, int]]) -> None:
        """Clear a meter, and let it measure the group with these (node, register) pairs."""
        registers = self.identity.registers
        mask = sum(1 << node * registers + register for node, register in endpoints)
        for k in range(-(-self.identity.nodes * registers // 32)):
            self.write(meter_word(meter, MASK_BASE + k), mask >> 32 * k & 0xFFFFFFFF)
        self.write(meter_word(meter, MeterWord.CLEAR), 0)

    def episodes(self, meter: int) -> int:
        """Return the barriers that a meter has counted."""
        return self.read(meter_word(meter, MeterWord.EPISODES))

    def meter(self, meter: int) -> MeterReading:
        """Return all that a meter has counted."""
        episodes = self.episodes(meter)

        def latency(word: MeterWord) -> int | None:
            return self.read(meter_word(meter, word)) if episodes else None

        bins = (self.read(meter_word(meter, HISTOGRAM_BASE + i)) for i in range(BINS))
        return MeterReading(
            episodes=episodes,
            last=latency(MeterWord.LAST),
            least=latency(MeterWord.LEAST),
            greatest=latency(MeterWord.GREATEST),
            histogram=tuple(bins),
        )

    def enable_interrupts(self, node: int, registers: Iterable[int]) -> None:
        """Let these registers of a node, and no others, interrupt while they are done."""
        mask = sum(1 << register for register in set(registers))
        self.write(node_word_address(node, NodeWord.IRQ_ENABLE), mask)

    def interrupting(self) -> int | None:
        """Return the lowest node that interrupts; None if none does."""
        word = INTERRUPT.unpack(self.read(GlobalWord.IRQ_STATUS))
        return word["node"] if word["pending"] else None

    def traffic(self, rate: float, seed: int = 1) -> None:
        """Let ordinary packets flow, the counts beginning anew; rate 0 ends it.

        Parameters
        ----------
        rate : float, 0 to 1
            Flits a node a cycle.
        seed : int
            Of all sources, above 0.
        """
        self.write(traffic_word(TrafficWord.RATE), rate_word(rate))
        if rate:
            self.write(traffic_word(TrafficWord.SEED), seed)
            self.write(traffic_word(TrafficWord.CONTROL), TRAFFIC_CONTROL.pack({"load": 1}))
        self.write(traffic_word(TrafficWord.CONTROL), TRAFFIC_CONTROL.pack({"enable": rate > 0}))

    def traffic_counts(self) -> TrafficReading:
        """Return what came of the traffic."""
        words = (
            TrafficWord.CREATED,
            TrafficWord.LOST,
            TrafficWord.RECEIVED,
            TrafficWord.WRONG,
            TrafficWord.LATENCY,
        )
        return TrafficReading(*(self.read(traffic_word(word)) for word in words))

    def give(self, node: int, channel: int, seed: int, words: int, user: int) -> None:
        """Let a node send a packet of a stream: an operand that follows from a seed.

        Parameters
        ----------
        node, channel, seed : int
        words : int
            Of the operand; of a member that gives nothing 0.
        user : int
            Data of the head.
        """
        self._place(node, channel)
        self.write(stream_word(StreamWord.SEED), seed)
        packet = STREAM_PACKET.pack({"words": words, "user": user})
        self.write(stream_word(StreamWord.PACKET), packet)

    def taken(self, node: int, channel: int) -> StreamReading:
        """Return what a node's sink has counted of a channel."""
        self._place(node, channel)
        words = (StreamWord.PACKETS, StreamWord.CHECKSUM, StreamWord.FIRST, StreamWord.LAST)
        return StreamReading(*(self.read(stream_word(word)) for word in words))

    def begun(self) -> int:
        """Return the cycle in which a source had its last packet to send, 32 bits of it."""
        return self.read(stream_word(StreamWord.BEGUN))

    def _place(self, node: int, channel: int) -> None:
        place = STREAM_PLACE.pack({"node": node, "channel": channel})
        self.write(stream_word(StreamWord.PLACE), place)


def _words(address: int) -> str:
    return f"word {address:#07x} ({name_of(address)})"
