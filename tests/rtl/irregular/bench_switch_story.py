"""One switch amid a golden network: packets and barriers by chance, and groups that come and go.

The golden network runs first; what it has on the links of the switch in its middle is what the
hardware gets, and what it must answer, in every cycle.
"""

import random
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import cocotb

from syncfabric.models.golden.irregular import ConfigRequest, IrregularModel
from syncfabric.models.golden.record import Record
from syncfabric.models.messages import (
    CONTROL,
    COUNTER_BASE,
    TREE,
    Counter,
    Op,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from tests.models.golden.irregular_bench import network_of, tree
from tests.rtl.support import SEED, Bench

PORTS, SWITCHES, NUMBER = 4, 6, 4
LINKS = (((4, 0), (3, 0)), ((4, 1), (5, 0)), ((4, 3), (0, 0)), ((0, 1), (1, 0)), ((3, 1), (2, 0)))
NODES = tuple((switch, 2) for switch in range(SWITCHES))
TARGET = len(NODES) + NUMBER
PHASES = 5
Pins = dict[str, int]
Images = dict[int, dict[int, tuple[int, list[int], bool]]]


def amid(**options: Any) -> IrregularSpec:
    """Return a network with the switch in its middle, of all whose ports one leads to a node."""
    options = {"channels": 2, "buffer_flits": 2, "flit_bits": 24, **options}
    return network_of(PORTS, SWITCHES, LINKS, NODES, barrier_registers=2, **options)


CASES = {f"switch_{c}": amid(cycles_per_hop=c) for c in (1, 2)}


class Story:
    """A network and what happens in it."""

    def __init__(self, network: IrregularSpec, seed: str) -> None:
        self.network, self.rng = network, random.Random(seed)
        self.model = IrregularModel(network)
        self._asked: ConfigRequest | None = None

    def tell(self) -> Iterator[tuple[Pins, Pins]]:
        """Yield inputs and outputs of the switch, cycle by cycle."""
        rng = self.rng
        yield self._cycle(start=True)
        yield self._cycle(load=rng.getrandbits(32))
        for phase in range(PHASES):
            groups = {slot: self._group() for slot in range(2)}
            gids = rng.sample(range(256), 2)
            for slot, images in groups.items():
                # In the end members of one group are in another epoch: their messages are strays.
                deaf = phase == PHASES - 1 and slot == 1
                yield from self._write(slot, gids[slot], images, deaf=deaf)
            rate = (1 << 18, 1 << 20, 0, 1 << 21)[phase % 4]
            yield from self._barriers(groups, rate)
            yield from self._rest()
            for slot, images in groups.items():
                for target in images:
                    yield from self._ask(target, register_address(slot, SwitchWord.CONTROL), 0)
        for counter in Counter:
            yield from self._ask(TARGET, COUNTER_BASE + counter)

    def _barriers(self, groups: Images, rate: int) -> Iterator[tuple[Pins, Pins]]:
        """Let members arrive by chance, and at the end who has done so less often than others."""
        rng, most = self.rng, (1 << self.network.data_bits) - 1
        members = [(n, slot) for slot, images in groups.items() for n in images if n < len(NODES)]
        count, inside = dict.fromkeys(members, 0), set[tuple[int, int]]()
        for cycle in range(300):
            inside -= {(node, slot) for node, slot, _ in self.model.release}
            free = [place for place in members if place not in inside]
            if cycle < 140:
                arrives = rng.sample(free, min(len(free), rng.choice([0, 0, 1, 3])))
            else:
                last = {slot: max(count[m] for m in members if m[1] == slot) for slot in groups}
                arrives = [place for place in free if count[place] < last[place[1]]]
            if cycle < 140:
                self._put_packets()
            inside |= set(arrives)
            count |= {place: count[place] + 1 for place in arrives}
            yield self._cycle(
                arrive={place: rng.getrandbits(32) & most for place in arrives},
                enable=cycle < 140,
                rate=rate,
                config=self._read() if rng.random() < 0.2 else None,
            )

    def _put_packets(self) -> None:
        """Let software send packets now and then: by the table, by a route, or to nowhere."""
        rng, layout = self.rng, self.network.layout
        for node, (switch, _) in enumerate(NODES):
            if rng.random() > 0.03:
                continue
            body = [rng.getrandbits(self.network.flit_bits) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.5:
                to = {"switch": rng.randrange(SWITCHES + 2), "port": rng.choice([2, 2, PORTS])}
                head = [layout.header.pack(to) | rng.getrandbits(12) << 12]
            else:
                head = self._route(switch)
            self.model.put(node, head + body, rng.randrange(self.network.channels))

    def _route(self, switch: int) -> list[int]:
        """Return the flits of a way that never turns back, to a node or to a switch's sink."""
        rng, topology, came, ports = self.rng, self.network.topology, 2, list[int]()
        while True:
            ends = {port: topology.across(switch, port) for port in range(PORTS) if port != came}
            port = rng.choice([2, PORTS, *(port for port, end in ends.items() if end)])
            ports.append(port)
            end = ends.get(port)
            if not end:
                break
            switch, came = end
        route, flits = self.network.layout.route, []
        size = sum(field.name.startswith("port_") for field in route.fields)
        for begin in range(0, len(ports), size):
            some = ports[begin : begin + size]
            fields = {f"port_{i}": port for i, port in enumerate(some)}
            flits.append(route.pack({"by_route": 1, "count": len(some), **fields}))
        return flits

    def _group(self) -> dict[int, tuple[int, list[int], bool]]:
        """Return a group whose tree goes through the switch."""
        rng = self.rng
        while True:
            members = rng.sample(range(len(NODES)), rng.randint(2, len(NODES)))
            images = tree(self.network, members, NODES[members[0]][0], rng).images
            if TARGET in images:
                return images

    def _write(
        self,
        slot: int,
        gid: int,
        images: dict[int, tuple[int, list[int], bool]],
        *,
        deaf: bool,
    ) -> Iterator[tuple[Pins, Pins]]:
        rng = self.rng
        control = {"valid": 1, "gid": gid, "epoch": rng.randrange(4)}
        control["op"] = rng.choice([Op.AND, Op.OR, Op.XOR])
        for target, (parent, children, root) in images.items():
            word = TREE.pack({"parent": parent, "children": sum(1 << p for p in children)})
            yield from self._ask(target, register_address(slot, SwitchWord.TREE), word)
            epoch = control["epoch"] ^ (deaf and target < len(NODES))
            word = CONTROL.pack({**control, "root": root, "epoch": epoch})
            yield from self._ask(target, register_address(slot, SwitchWord.CONTROL), word)

    def _read(self) -> ConfigRequest | None:
        """Return a request that changes nothing, but may be refused; none before an answer."""
        if self._asked:
            return None
        rng = self.rng
        address = rng.choice([rng.randrange(16), COUNTER_BASE + rng.randrange(5)])
        # Words of a group that is there; a control word would be written between two barriers.
        write = rng.random() < 0.3 and address % 8 != SwitchWord.CONTROL
        return ConfigRequest(rng.choice([TARGET, TARGET, 3]), address, write, rng.getrandbits(32))

    def _ask(
        self, target: int, address: int, data: int | None = None
    ) -> Iterator[tuple[Pins, Pins]]:
        while self._asked:
            yield self._cycle()
        yield self._cycle(config=ConfigRequest(target, address, data is not None, data or 0))

    def _rest(self) -> Iterator[tuple[Pins, Pins]]:
        for _ in range(2000):
            yield self._cycle()
            if self.model.idle_until() is None:
                return
        raise AssertionError("the network does not come to rest")

    def _cycle(self, **inputs: Any) -> tuple[Pins, Pins]:
        """Step the model; return what the switch gets and says in this cycle."""
        model, ports, config = self.model, PORTS, inputs.get("config")
        outputs = {"observe": model.observe(TARGET)}
        ready, error, data = model.config_answer
        ours = self._asked is not None and self._asked.node == TARGET and ready
        if ready:
            self._asked = None
        outputs |= {"config__ready": int(ours), "config__error": int(ours and error)}
        outputs["config__rdata"] = data if ours else 0
        given = dict.fromkeys(
            ("config__valid", "config__node", "config__address", "config__write", "config__data"), 0
        )
        if config:
            self._asked = config
            given = {
                "config__valid": 1,
                "config__node": config.node,
                "config__address": config.address,
                "config__write": int(config.write),
                "config__data": config.data,
            }
        record = model.step(**inputs)
        wiring = model.wiring
        for p in range(ports):
            self._link(f"in_{p}", wiring.feeding[NUMBER][p], record, given, outputs)
            self._link(f"out_{p}", NUMBER * ports + p, record, outputs, given)
        return given, outputs

    def _link(
        self, name: str, link: int | None, record: Record | None, forth: Pins, back: Pins
    ) -> None:
        """Say what is on a link, and which credits come back over it."""
        lanes, channels = self.model.wiring.lanes, self.network.channels
        valid = credit = word = 0
        if record is not None and link is not None:
            mask = (1 << lanes) - 1
            valid = record.valid >> link * lanes & mask
            credit = record.credit >> link * lanes & mask
            if valid:
                below = record.valid & ((1 << link * lanes) - 1)
                word = record.payloads[below.bit_count()]
        forth[f"{name}__valid"] = valid & ((1 << channels) - 1)
        forth[f"{name}__sync_valid"] = valid >> channels
        if valid or name.startswith("in_"):
            forth[f"{name}__flit"] = word
        back[f"{name}__credit"] = credit & ((1 << channels) - 1)


@lru_cache(maxsize=4)
def story(network: IrregularSpec, seed: str) -> list[tuple[Pins, Pins]]:
    """Return what happens, once for all who play it."""
    return list(Story(network, seed).tell())


@cocotb.test()
@cocotb.parametrize(case=list(CASES))
async def it_does_what_the_network_has_it_do(dut: Any, case: str) -> None:
    """Every cycle of a story."""
    bench, network = Bench(dut), CASES[case]
    pins = bench.pins[case]
    await bench.reset(shaken=20)
    bits = network.layout.port_bits
    row = IrregularModel(network).wiring.tables[NUMBER]
    routes = sum((PORTS if port < 0 else port) << bits * d for d, port in enumerate(row))
    pins.drive({"number": NUMBER, "target": TARGET, "routes": routes, "dateline": 0})
    for cycle, (given, expected) in enumerate(story(network, f"{SEED}/{case}")):
        pins.drive(given)
        await bench.settle()
        seen = pins.read(expected)
        assert seen == expected, (
            cycle,
            {n: (seen[n], w) for n, w in expected.items() if seen[n] != w},
        )
        await bench.edge()
