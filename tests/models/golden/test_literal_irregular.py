"""In every cycle the irregular model agrees with a literal reading of the contract, I1 to I5."""

import random
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest

from syncfabric.models.golden.irregular import ConfigRequest, IrregularModel
from syncfabric.models.messages import CONTROL, TREE, Counter, Op
from syncfabric.models.networks.spec import IrregularSpec
from tests.models.golden.irregular_bench import random_network, tree
from tests.models.golden.literal_irregular import LiteralIrregular
from tests.models.golden.packet_log import SoftwarePackets

OPTIONS = list(product((1, 2), ("bitwise", "all"), ("switch", "node")))


@dataclass
class Race:
    """Model and reference side by side, with the same inputs."""

    network: IrregularSpec
    rng: random.Random
    released: int = 0
    moved: int = 0
    images: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model, self.literal = IrregularModel(self.network), LiteralIrregular(self.network)
        self.software = SoftwarePackets(self.rng, self.model.put, self.literal.put)

    def step(
        self,
        arrive: dict[tuple[int, int], int],
        *,
        start: bool = False,
        config: ConfigRequest | None = None,
    ) -> None:
        model, literal, now = self.model, self.literal, self.model.cycle
        assert model.release == literal.release, f"cycle {now}"
        assert model.config_answer == literal.answer, f"cycle {now}"
        for target, unit in enumerate(literal.trees):
            assert model.observe(target) == unit.observe(), f"cycle {now}, target {target}"
        for node in range(len(self.network.nodes)):
            for r, register in enumerate(literal.trees[node].now):
                assert model.done(node, r) == register["done"]
        self.released += len(model.release)
        seen = model.step(arrive=arrive, start=start, config=config)
        wires, credits = literal.step(arrive, start, config)
        self.software.step()
        if seen is None:
            assert not wires, f"cycle {now}"
            assert not credits, f"cycle {now}"
            return
        assert seen.valid == sum(1 << lane for lane in wires), f"cycle {now}"
        assert seen.credit == sum(1 << lane for lane in credits), f"cycle {now}"
        assert seen.payloads == [wires[lane] for lane in sorted(wires)], f"cycle {now}"
        self.moved += len(wires)

    def set_up(self) -> None:
        """Write the trees of random groups, one in each register of a place."""
        rng, network = self.rng, self.network
        ops = ["or", "and", "xor"] + ["max", "min", "sum"] * (network.operations == "all")
        nodes = range(len(network.nodes))
        for slot, gid in enumerate(rng.sample(range(256), network.barrier_registers)):
            members = rng.sample(nodes, rng.randint(1, len(nodes)))
            group = tree(network, members, network.nodes[members[0]][0], rng)
            op, epoch = Op[rng.choice(ops).upper()], rng.randrange(4)
            for target, (parent, children, root) in group.images.items():
                bits = sum(1 << child for child in children)
                control = {"valid": 1, "root": root, "op": op, "gid": gid, "epoch": epoch}
                # Bits that are not kept: ports that are not there, and the turn.
                extra = {"children": bits | 1 << 15, "parent": parent | 8 * (parent < 4)}
                if network.ports > 4:
                    extra["parent"] = parent
                self.write(target, 8 * slot + 1, TREE.pack(extra))
                self.write(target, 8 * slot, CONTROL.pack(control | {"turn": 1}))

    def write(self, target: int, address: int, data: int) -> None:
        self.images[target, address] = data
        self.step(self.arrivals(0.02), config=ConfigRequest(target, address, True, data))

    def arrivals(self, share: float) -> dict[tuple[int, int], int]:
        """Let each register's process arrive by chance, also where it is refused."""
        width, registers = self.network.data_bits, self.network.barrier_registers
        return {
            (node, r): self.rng.getrandbits(width) if width else 0
            for node in range(len(self.network.nodes))
            for r in range(registers)
            if self.rng.random() < share
        }

    def disturbance(self) -> ConfigRequest:
        """Write a control word again, or ask anything."""
        rng = self.rng
        controls = [place for place in self.images if place[1] % 8 == 0]
        target, address = rng.choice(controls)
        if rng.random() < 0.7:
            fields = CONTROL.unpack(self.images[target, address])
            fields |= rng.choice(({}, {}, {"epoch": rng.randrange(4)}, {"valid": 0}))
            return ConfigRequest(target, address, True, CONTROL.pack(fields))
        address = rng.choice((rng.randrange(40), 1024 + rng.randrange(5), 2048))
        target = rng.randrange(len(self.network.nodes) + self.network.switches + 1)
        writes = rng.random() < 0.5 and address % 8 > 0
        return ConfigRequest(target, address, writes, rng.getrandbits(32))

    def packet(self) -> None:
        """Let a node send a packet of the generator, or one of its own with a route."""
        rng, network, layout = self.rng, self.network, self.network.layout
        node = rng.randrange(len(network.nodes))
        if rng.random() < 0.5 and len(network.nodes) > 1:
            other = rng.choice([i for i in range(len(network.nodes)) if i != node])
            now = self.model.cycle - 1
            self.model.sources.create(node, other, now)
            self.literal.create(node, other, now)
            return
        payloads = []
        for _ in range(rng.randint(1, 3)):
            count = rng.choice((0, 1, 1, 2, 3, 15))
            route = {f"port_{i}": rng.randint(0, network.ports) for i in range(layout.route_ports)}
            fields = {"by_route": 1, "count": count, **route}
            above = rng.getrandbits(layout.flit_bits) >> layout.route.width << layout.route.width
            payloads.append(layout.route.pack(fields) | above)
        payloads += [rng.getrandbits(layout.flit_bits) for _ in range(rng.randint(0, 3))]
        channel = rng.randrange(network.channels)
        self.software.send(node, payloads, channel)


def play(rng: random.Random, **options: Any) -> Race:
    """Set a network up, let its groups meet, then disturb them."""
    channels = rng.choice((1, 2, 2, 4))
    network = random_network(
        rng,
        data_bits=rng.choice((0, 1, 6)),
        barrier_registers=rng.randint(1, 3),
        channels=channels,
        buffer_flits=rng.choice((1, 1, 2, 3)),
        **options,
    )
    ends = [end for link in network.links for end in link]
    if channels % 2 == 0 and rng.random() < 0.6:
        datelines = tuple(end for end in ends if rng.random() < 0.4)
        network = network.model_copy(update={"datelines": datelines})
    both = Race(network, rng)
    both.set_up()
    both.step({}, start=True)
    share, load = rng.choice((0.1, 0.4, 0.9)), rng.choice((0.0, 0.1, 0.6))
    for cycle in range(260):
        disturbed = cycle >= 140 and rng.random() < 0.5
        if rng.random() < load:
            both.packet()
        both.step(both.arrivals(share), config=both.disturbance() if disturbed else None)
    return both


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: "-".join(map(str, option)))
def test_model_agrees_with_the_literal_reading(option: tuple[int, str, str]) -> None:
    rng = random.Random(str(option))
    options = dict(zip(("cycles_per_hop", "operations", "turnaround"), option, strict=True))
    races = [play(rng, **options) for _ in range(14)]
    assert sum(race.released for race in races) > 200
    assert sum(race.moved for race in races) > 2000
    strays = [tree.counters[Counter.STRAY] for race in races for tree in race.literal.trees]
    assert sum(strays) > 40
