"""The packet sink against a plain reader of packets, faulty ones among them."""

import random

import pytest

from syncfabric.models.golden.processes import packet_words
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.traffic.sink import PacketSink
from tests.rtl.support import SEED, agree
from tests.rtl.traffic.headers import header_of
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

HERE = (2, 1)
CASES: dict[str, MessageSpec] = {
    f"channels_{channels}": mesh(4, 3, channels=channels, flit_bits=bits)
    for channels, bits in ((1, 32), (3, 22))
}
CASES["irregular"] = irregular(SMALL, channels=2)
"""All with a node at HERE."""
FIELDS = ("packets", "flits", "errors", "latency_sum", "latency_max")


def packet(rng: random.Random, spec: MessageSpec, created: int) -> list[dict[str, int]]:
    """Return a packet of five flits, one in four with a fault in it."""
    node = HERE if rng.random() < 0.9 else rng.choice(spec.topology.nodes)
    header = header_of(spec, node)
    words = packet_words(header, rng.randrange(12), created, rng.getrandbits(32))
    flits = [
        {"payload": word % (1 << spec.flit_bits), "head": int(i == 0), "tail": int(i == 4)}
        for i, word in enumerate(words)
    ]
    if rng.random() < 0.15:
        at, field = rng.randrange(5), rng.choice(["payload", "head", "tail"])
        flits[at][field] ^= 1
    if rng.random() < 0.05:
        del flits[rng.randrange(5)]
    return flits


class Reader:
    """What a channel's packets look like so far."""

    def __init__(self, spec: MessageSpec) -> None:
        self.spec, self.words = spec, list[int]()

    def read(self, flit: dict[str, int], now: int) -> tuple[bool, int | None]:
        """Return whether a flit is wrong, and the latency of a packet that ends with it."""
        layout, place = self.spec.layout, len(self.words)
        wrong = flit["head"] != (place == 0) or flit["tail"] != (place == 4)
        if flit["head"]:
            header = flit["payload"] % (1 << layout.header.width)
            wrong |= header != header_of(self.spec, HERE)
        if flit["tail"]:
            check = 0
            for word in self.words:
                check ^= word
            wrong |= flit["payload"] != check
        latency = None
        if flit["tail"] and not wrong:
            latency = (now - self.words[2]) % (1 << min(32, self.spec.flit_bits))
        if flit["head"]:
            self.words = [0]  # the header is not checked
        elif flit["tail"] or place == 4:
            self.words = []
        else:
            self.words.append(flit["payload"])
        return wrong, latency


def _spoilt(flits: list[dict[str, int]], spec: MessageSpec) -> bool:
    """Return whether a packet would be found wrong."""
    reader = Reader(spec)
    return len(flits) != 5 or any(reader.read(flit, 0)[0] for flit in flits)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("faults", [False, True])
def test_statistics_agree_with_reader(case: str, faults: bool) -> None:
    """Credits in the next cycle; packets, flits, errors and latencies counted."""
    spec, rng = CASES[case], random.Random(f"{SEED}/{case}")
    left: list[list[dict[str, int]]] = [[] for _ in range(spec.channels)]
    readers = [Reader(spec) for _ in range(spec.channels)]
    counts, credit = dict.fromkeys(FIELDS, 0), 0
    cases, expected = [], []
    for cycle in range(1000):
        channel = rng.randrange(spec.channels)
        flit = None
        if rng.random() < 0.8:
            while not left[channel]:
                left[channel] = packet(rng, spec, max(0, cycle - rng.randrange(60)))
                if not faults:
                    left[channel] = [f for f in left[channel] if not _spoilt(left[channel], spec)]
            flit = left[channel].pop(0)
        clear, valid = cycle % 97 == 96, 0 if flit is None else 1 << channel
        stimulus = {"cycle": cycle, "clear": clear, "header": header_of(spec, HERE)}
        word = 0 if flit is None else spec.layout.flit.pack(flit)
        cases.append({**stimulus, "link__valid": valid, "link__flit": word})
        # After an error the latencies are anybody's guess.
        names = FIELDS if not faults else ("flits", "errors")
        expected.append({**{name: counts[name] for name in names}, "link__credit": credit})
        credit = valid
        if flit is not None:
            wrong, latency = readers[channel].read(flit, cycle)
            counts["flits"] += 1
            counts["errors"] += wrong
            if latency is not None:
                counts["packets"] += 1
                counts["latency_sum"] += latency
                counts["latency_max"] = max(counts["latency_max"], latency)
        if clear:
            counts["latency_max"] = 0
    agree(PacketSink(spec), cases, expected)
    assert (counts["errors"] > 10) == faults
    assert counts["packets"] > 50
