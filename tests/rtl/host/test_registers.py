"""The host's registers against their model, in every cycle, and what they refuse to be."""

import random
from collections import Counter

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.host import (
    BINS,
    HISTOGRAM_BASE,
    MASK_BASE,
    SKEW_BOUNDS,
    HostShape,
)
from syncfabric.rtl.host.registers import HostRegisters, Meter, Meters
from tests.rtl.host.group import Members
from tests.rtl.host.host_model import COUNTS, STREAM_COUNTS, HostModel, Request
from tests.rtl.host.meter_model import Meter as Model
from tests.rtl.support import SEED, agree, clocked, ports

# amaranth: UnusedElaboratable=no


SHAPES = {
    "few": HostShape(nodes=3, registers=2, data_bits=0, targets=3, meters=1, address_bits=8),
    "many": HostShape(
        nodes=5, registers=7, data_bits=3, targets=9, meters=3, last=True, broken=True, traffic=True
    ),
    "one": HostShape(
        nodes=1, registers=1, data_bits=32, targets=1, meters=0, broken=True, streams=1
    ),
    "streams": HostShape(nodes=5, registers=2, data_bits=1, targets=5, meters=1, streams=2),
}

WIRES = {
    "irq": "irq",
    **{port: f"bus__{port}" for port in ("ready", "rdata", "error", "later")},
    **{port: f"traffic__{port}" for port in ("rate", "seed", "enable", "load")},
    **{port: f"stream__{port}" for port in ("put", "command")},
}
"""Where a port of the model stands, if not among the network's."""


def any_request(rng: random.Random, shape: HostShape) -> Request:
    """Return a request, most of them of words that there are."""
    node = rng.randrange(shape.nodes + (rng.random() < 0.03))
    register = rng.randrange(shape.registers + (rng.random() < 0.05))
    meter = rng.randrange(shape.meters + (rng.random() < 0.05 or not shape.meters))
    address, most = rng.choice(
        [
            (rng.randrange(16), rng.choice([2, 12, 60, 1 << 32])),
            (rng.randrange(16, 26), 1 << 32),
            (18, 4),
            (32 + rng.randrange(9), 1 << 32),
            (rng.choice([32, 34]), 1 << 32),
            (0x1000 + rng.getrandbits(rng.choice((8, 12))), 1 << 32),
            (0x10000 + 0x1000 * meter + rng.randrange(17), 1 << 32),
            (0x10800 + 0x1000 * meter + rng.randrange(3), 1 << 32),
            (0x20000 + 0x80 * node + rng.randrange(8), 1 << shape.registers),
            (0x20000 + 0x80 * node, (1 << shape.registers) + (rng.random() < 0.1)),
            (0x20000 + 0x80 * node + 32 * rng.randrange(1, 4) + register, 1 << 32),
            (0x20060 + 0x80 * node + register, 1),
            (rng.getrandbits(18), 1 << 32),
        ]
    )
    data = rng.randrange(most)
    if address == 32:  # a node, and a channel
        data = rng.randrange(shape.nodes + 1) | rng.randrange(shape.streams + 1) << 16
    return Request(address, rng.random() < 0.5, data)


class Network:
    """What stands in the network's place: ports that change at random, and a config port."""

    def __init__(self, rng: random.Random, shape: HostShape) -> None:
        self._rng, self._shape = rng, shape
        self._done, self._answer = 0, 0

    def step(self, config_valid: bool) -> dict[str, int]:
        """Return the ports of a cycle; ``config_valid`` of the cycle before."""
        rng, width = self._rng, self._shape.width
        few = rng.getrandbits(width) & rng.getrandbits(width) & rng.getrandbits(width)
        if rng.random() < 0.3:
            self._done ^= few
        self._answer = rng.choice([1, 1, 2, 4]) if config_valid else max(0, self._answer - 1)
        answers = self._answer == 1
        return {
            "released": few,
            "result": rng.getrandbits(width * self._shape.data_bits or 1),
            "ready": (1 << width) - 1 & ~(few if rng.random() < 0.2 else 0),
            "done": self._done,
            "broken": few if self._shape.broken and rng.random() < 0.2 else 0,
            "config_ready": int(answers),
            "config_error": int(answers and rng.random() < 0.3),
            "config_rdata": rng.getrandbits(32) if answers else 0,
        }


@pytest.mark.parametrize("name", SHAPES)
def test_every_request_is_answered_as_the_page_says(name: str) -> None:
    """Requests of all kinds, back to back or not; WAITs are asked again until they are over."""
    shape, rng, part = SHAPES[name], random.Random(f"{SEED}/{name}"), HostRegisters(SHAPES[name])
    model, network, request = HostModel(shape), Network(rng, shape), None
    inputs = {pin for pin, (flow, width) in ports(part).items() if flow == "in" and width}
    counted, kinds = COUNTS if shape.traffic else (), Counter[str]()
    streamed = dict.fromkeys(STREAM_COUNTS, 32 * shape.nodes * shape.streams)
    streamed = {"cycle": 32, **streamed} if shape.streams else {}
    cases, expected = [], []
    config_valid = False
    for _ in range(4000):
        if request is None and rng.random() < 0.8:
            request = any_request(rng, shape)
            if rng.random() < 0.05:
                request = Request(8, True, rng.randrange(40))
        net = network.step(config_valid) | {count: rng.getrandbits(32) for count in counted}
        net |= {name: rng.getrandbits(width) for name, width in streamed.items()}
        asked = request or Request(rng.getrandbits(18), rng.random() < 0.5, rng.getrandbits(32))
        pins = {f"net__{port}": word for port, word in net.items()}
        pins |= {f"traffic__{count}": net[count] for count in counted}
        pins |= {f"stream__{name}": net[name] for name in streamed}
        pins |= {
            "bus__valid": request is not None,
            "bus__write": asked.write,
            "bus__address": asked.address,
            "bus__data": asked.data,
        }
        cases.append({pin: word for pin, word in pins.items() if pin in inputs})
        out = dict(model.out)
        expected.append({WIRES.get(port, f"net__{port}"): word for port, word in out.items()})
        config_valid = bool(out["config_valid"])
        for kind in ("error", "later", "rdata", "arrive", "irq"):
            kinds[kind] += bool(out[kind])
        kinds["load"] += bool(out.get("load", 1))
        kinds["put"] += bool(out.get("put", 1))
        model.step(request, net)
        if out["ready"] and not (out["later"] and rng.random() < 0.95):
            request = None
    agree(part, cases, expected)
    assert min(kinds.values()) > 3


@pytest.mark.parametrize(
    ("nodes", "registers", "meters", "words"),
    [
        (1025, 4, 1, "nodes = 1025: a host front has room for at most 1024"),
        (4, 33, 1, "registers of a node = 33: a host front has room for at most 32"),
        (4, 4, 17, "meters = 17: a host front has room for at most 16"),
        (1024, 16, 1, "a host front would look at 180224 wires"),
    ],
)
def test_what_there_is_no_room_for(nodes: int, registers: int, meters: int, words: str) -> None:
    shape = HostShape(nodes=nodes, registers=registers, data_bits=8, targets=nodes, meters=meters)
    with pytest.raises(SpecError, match=words):
        shape.check()


WIDTHS = (1, 5, 16)
WORDS = (0, 1, 2, 3, *range(HISTOGRAM_BASE, HISTOGRAM_BASE + BINS))
STILL = {"arrive": 0, "ready": 0, "released": 0, "broken": 0}


class Play:
    """What a meter is given, and what its model shows, cycle by cycle."""

    def __init__(self, width: int, name: str) -> None:
        self.rng, self.width, self.full = random.Random(f"{SEED}/{name}"), width, (1 << width) - 1
        self.model = Model()
        self.cases, self.expected = list[dict[str, int]](), list[dict[str, int]]()

    def step(
        self, mask: int, *, clear: int = 0, forget: int = 0, word: int | None = None, **seen: int
    ) -> None:
        """Take one cycle, and look at a word."""
        word, model = self.rng.choice(WORDS) if word is None else word, self.model
        counts = (model.episodes, model.last, model.least, model.greatest, *[0] * 4)
        value = [*counts, *model.histogram][word]
        self.cases.append({"mask": mask, "clear": clear, "forget": forget, "word": word, **seen})
        self.expected.append({"value": value})
        model.step(mask, **seen)
        if clear:
            model.clear()
        if forget:
            model.forget()

    def look(self) -> None:
        """Look at every word, while nothing comes."""
        for word in WORDS:
            self.step(0, word=word, **STILL)

    def check(self) -> None:
        """Compare the meter with the model."""
        self.look()
        agree(Meter(self.width), self.cases, self.expected)


@pytest.mark.parametrize("width", WIDTHS)
def test_anything_may_come(width: int) -> None:
    """Arrivals, releases, breaks and clears without sense; new masks at any time."""
    play = Play(width, "anything")
    rng, mask = play.rng, play.full
    for cycle in range(600):
        forget = rng.random() < 0.01
        few = rng.getrandbits(width) & rng.getrandbits(width)
        play.step(
            mask,
            arrive=rng.getrandbits(width),
            ready=play.full if cycle % 200 < 100 else rng.getrandbits(width) | few,
            released=few,
            broken=few & -(rng.random() < 0.02),
            clear=rng.random() < 0.01,
            forget=forget,
        )
        if forget:
            mask = rng.choice([0, play.full, rng.getrandbits(width), 1 << rng.randrange(width)])
    play.check()


@pytest.mark.parametrize("width", WIDTHS)
def test_episodes_follow_each_other(width: int) -> None:
    """Back to back, also while others wait; with other masks in turn, and idle when they change."""
    play = Play(width, "episodes")
    for skew, late in ((0, 1), (2, 12), (7, 4), (30, 2)):
        members = sorted(play.rng.sample(range(width), play.rng.randint(1, width)))
        mask = sum(1 << m for m in members)
        group, model = Members(members, play.rng, skew=skew, late=late), play.model
        play.step(mask, clear=1, forget=1, **STILL)
        for cycle in range(2000):
            if cycle > 150 and group.idle:
                break
            arrive, released = group.step(stop=cycle > 150)
            garbage = play.rng.getrandbits(width) & ~mask
            seen = {"arrive": arrive | garbage, "released": released, "broken": garbage}
            play.step(mask, ready=play.full, **seen)
        assert group.idle
        kept = group.latencies
        assert len(kept) > 4
        assert (model.episodes, model.last) == (len(kept), kept[-1])
        assert (model.least, model.greatest) == (min(kept), max(kept))
        assert model.histogram == group.histogram
        play.look()
    play.check()


def test_skews_fall_into_their_bins() -> None:
    """Right below and right at every bound."""
    play, expected = Play(5, "skews"), [0] * BINS
    cases = [(i + late, bound - 1 + late) for i, bound in enumerate(SKEW_BOUNDS) for late in (0, 1)]
    for place, skew in [*cases, (BINS - 1, 2 * SKEW_BOUNDS[-1] + 9)]:  # more than the age can count
        if skew:
            play.step(3, **STILL | {"arrive": 1, "ready": 3})
        for _ in range(skew - 1):
            play.step(3, **STILL | {"ready": 3})
        play.step(3, **STILL | {"arrive": 2 if skew else 3, "ready": 3})
        play.step(3, **STILL | {"released": 3, "ready": 3})
        expected[place] += 1
    assert play.model.histogram == expected
    play.check()


def test_a_broken_barrier_is_not_counted() -> None:
    """Broken while members wait, or before all have come; the next one counts."""
    play = Play(5, "broken")
    steps = [(1, 0, 0), (2, 0, 0), (0, 1, 1), (0, 2, 0)]  # one of two releases is broken
    steps += [(1, 0, 0), (0, 1, 1), (1, 0, 0), (2, 0, 0), (0, 0, 0), (0, 3, 0)]
    for arrive, released, broken in steps:
        play.step(3, arrive=arrive, ready=31, released=released, broken=broken)
    assert (play.model.episodes, play.model.last, play.model.histogram[1]) == (1, 2, 1)
    play.check()


def test_counts_stay_at_their_greatest_value() -> None:
    """Of the model; the meter's own counters are too wide to be filled."""
    model, most = Model(), (1 << 32) - 1
    model.episodes = most
    model.histogram[0] = most
    for arrive, released in ((1, 0), (0, 1)):
        model.step(1, arrive, 1, released)
    assert (model.episodes, model.histogram[0], model.last) == (most, most, 1)


def test_an_empty_mask_counts_nothing() -> None:
    word = {"arrive": 3, "ready": 3, "released": 3, "mask": 0, "word": 0}
    assert {seen["value"] for seen in clocked(Meter(2), [word] * 5)} == {0}


def test_a_new_mask_forgets_who_has_arrived() -> None:
    """One member arrives before the mask is written again, the other after."""
    shape = HostShape(nodes=2, registers=1, data_bits=0, targets=2, meters=1)
    still = {"write": 0, "read": 0, "arrive": 0, "released": 0, "ready": 3, "word": MASK_BASE}
    mask, last = still | {"write": 1, "data": 3}, still | {"word": 0}
    one, other, over = still | {"arrive": 1}, still | {"arrive": 2}, still | {"released": 3}
    for again, episodes in ((still, 1), (mask, 0)):
        cases = [still, mask, still, one, still, again, still, other, still, over, *[last] * 4]
        assert clocked(Meters(shape), cases)[-1]["value"] == episodes
