"""The AXI4-Lite front (H5): any addresses, strobes and protections, in any order, at any pace."""

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from amaranth.sim import Simulator
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.messages.host import HOST_ADDRESS_BITS
from syncfabric.rtl.host.axi_lite import AxiLite
from tests.fuzz.campaign import fuzzed

WORDS = {0: 0, 0x12: 0xCAFE0123, (1 << HOST_ADDRESS_BITS) - 1: 7}
"""What the bus has; it refuses all other addresses."""
OKAY, SLVERR, WHOLE, BYTES = 0, 2, 15, 2
SLOWEST = 200
"""Cycles that a transfer takes at most, whatever stalls it here."""


class Transfer(NamedTuple):
    """A write or a read: the word's address and its low bits, and when it is offered and taken.

    ``waits`` are cycles before address, data and answer; ``again`` is how often a read is put
    off.
    """

    word: int
    low: int = 0
    prot: int = 0
    data: int = 0
    strobes: int = WHOLE
    waits: tuple[int, int, int] = (0, 0, 0)
    again: int = 0

    @property
    def address(self) -> int:
        """What is on the channel."""
        return self.word << BYTES | self.low


_words = st.one_of(st.sampled_from([*WORDS]), st.integers(0, (1 << HOST_ADDRESS_BITS) - 1))
_waits = st.tuples(*[st.integers(0, 5)] * 3)
_transfers = st.builds(
    Transfer,
    _words,
    st.integers(0, 3),
    st.integers(0, 7),
    st.integers(0, (1 << 32) - 1),
    st.sampled_from([WHOLE, WHOLE, WHOLE, *range(15)]),
    _waits,
    st.sampled_from([0, 0, 0, 1, 3]),
)


@dataclass
class _Channel:
    """What a master offers on a channel, and what it has still to offer."""

    name: str
    left: deque[tuple[int, dict[str, int]]]

    async def go(self, context: Any, axi: Any) -> None:
        """Offer one after the other, each until it is taken."""
        valid, ready = (getattr(axi, f"{self.name}{end}") for end in ("valid", "ready"))
        for wait, wires in self.left:
            if wait:
                await context.tick().repeat(wait)
            for wire, value in wires.items():
                context.set(getattr(axi, wire), value)
            context.set(valid, 1)
            await context.tick().until(ready)
            context.set(valid, 0)


class _Master:
    """Writes and reads by a front with a few words behind it."""

    def __init__(self, writes: list[Transfer], reads: list[Transfer], pace: list[int]) -> None:
        self.front, self.words, self.log = AxiLite(), dict(WORDS), list[tuple[bool, int, int]]()
        self._writes, self._reads, self._pace = writes, reads, pace
        self.answers: dict[str, list[tuple[int, int]]] = {"b": [], "r": []}

    def play(self) -> None:
        """Go on until all is answered."""
        axi, writes, reads = self.front.axi, self._writes, self._reads
        channels = [
            _Channel(
                "aw", deque((t.waits[0], {"awaddr": t.address, "awprot": t.prot}) for t in writes)
            ),
            _Channel(
                "w", deque((t.waits[1], {"wdata": t.data, "wstrb": t.strobes}) for t in writes)
            ),
            _Channel(
                "ar", deque((t.waits[0], {"araddr": t.address, "arprot": t.prot}) for t in reads)
            ),
        ]
        simulator = Simulator(self.front)
        simulator.add_clock(1e-6)
        for channel in channels:
            simulator.add_testbench(partial(channel.go, axi=axi))
        for name, transfers in (("b", writes), ("r", reads)):
            simulator.add_testbench(partial(self._take, name=name, transfers=transfers))
        simulator.add_testbench(self._bus, background=True)
        simulator.run()

    async def _take(self, context: Any, name: str, transfers: list[Transfer]) -> None:
        """Take each answer after a while; it stays until then."""
        axi = self.front.axi
        valid, ready = getattr(axi, f"{name}valid"), getattr(axi, f"{name}ready")
        shown = [getattr(axi, f"{name}resp"), *([axi.rdata] if name == "r" else [])]
        for transfer in transfers:
            for _ in range(SLOWEST * (1 + len(self._writes) + len(self._reads))):
                if context.get(valid):
                    break
                await context.tick()
            else:
                raise AssertionError(f"no answer on {name}")
            first = [context.get(wire) for wire in shown]
            for _ in range(transfer.waits[2]):
                await context.tick()
                assert context.get(valid), "an answer goes before it is taken"
                assert [context.get(wire) for wire in shown] == first, "an answer changes"
            context.set(ready, 1)
            await context.tick()
            context.set(ready, 0)
            self.answers[name].append((first[0], first[-1] if name == "r" else 0))

    async def _bus(self, context: Any) -> None:
        bus, pace, again = self.front.bus, 0, deque(t.again for t in self._reads)
        while True:
            while not context.get(bus.valid):
                await context.tick()
            for _ in range(self._pace[pace % len(self._pace)]):
                await context.tick()
                assert context.get(bus.valid), "a request goes before it is answered"
            pace += 1
            write, address = bool(context.get(bus.write)), context.get(bus.address)
            later, known = not write and again[0] > 0, address in self.words
            if later:
                again[0] -= 1
            else:
                value = context.get(bus.data) if write else self.words.get(address, 0)
                self.log.append((write, address, value))
                if write and known:
                    self.words[address] = value
                elif not write:
                    again.popleft()
            refused, shows = not known and not later, not write and not later
            answer = {"error": refused, "later": later, "rdata": self.words.get(address, 0) * shows}
            for wire, level in {**answer, "ready": 1}.items():
                context.set(getattr(bus, wire), level)
            await context.tick()
            for wire in (*answer, "ready"):
                context.set(getattr(bus, wire), 0)


@fuzzed(0.3)
@given(
    st.lists(_transfers, max_size=8),
    st.lists(_transfers, max_size=8),
    st.lists(st.integers(0, 4), min_size=1, max_size=4),
)
def test_a_master(writes: list[Transfer], reads: list[Transfer], pace: list[int]) -> None:
    """Every transfer is answered once, in order, and what the answers say was done."""
    writes = [*writes, Transfer(0x12, data=0x5A5A)]
    reads = [*reads, Transfer(0x12)]
    master = _Master(writes, reads, pace)
    master.play()
    whole = [write for write in writes if write.strobes == WHOLE]
    done = {kind: [(word, value) for write, word, value in master.log if write is kind]
            for kind in (True, False)}  # fmt: skip
    assert done[True] == [(write.word, write.data) for write in whole]
    assert [word for word, _ in done[False]] == [read.word for read in reads]
    right = [write.strobes == WHOLE and write.word in WORDS for write in writes]
    assert master.answers["b"] == [(OKAY if ok else SLVERR, 0) for ok in right]
    assert master.answers["r"] == [
        (OKAY if word in WORDS else SLVERR, value) for word, value in done[False]
    ]
