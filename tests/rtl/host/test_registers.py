# amaranth: UnusedElaboratable=no
"""The host's registers against their model, in every cycle, and what they refuse to be."""

import random
from collections import Counter

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.host import HostShape
from syncfabric.rtl.host.registers import HostRegisters
from tests.rtl.host.host_model import COUNTS, STREAM_COUNTS, HostModel, Request
from tests.rtl.support import SEED, agree, ports

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
    inputs = {pin for pin, (way, width) in ports(part).items() if way == "in" and width}
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
