"""No barrier releases early, twice or with wrong data, on random networks and with every option."""

import random
from dataclasses import dataclass, field
from itertools import product

import pytest

from syncfabric.models.traffic import rate_word
from tests.models.golden.irregular_bench import Bench, random_network, tree

OPTIONS = list(product((1, 2), ("bitwise", "all"), ("switch", "node")))


@dataclass
class Meeting:
    """One group: each member's data by episode, and how often each has been told.

    A member that is told may come again at once, before others are told.
    """

    op: str
    data: dict[int, list[int]]
    told: dict[int, int]

    def is_inside(self, node: int) -> bool:
        return len(self.data[node]) > self.told[node]

    def result(self, episode: int, mask: int) -> int:
        found, *words = (words[episode] for words in self.data.values())
        for word in words:
            found = {
                "or": found | word,
                "and": found & word,
                "xor": found ^ word,
                "max": max(found, word),
                "min": min(found, word),
                "sum": found + word & mask,
            }[self.op]
        return found

    def tell(self, node: int, result: int, mask: int) -> None:
        """Note a release, which must come after all arrivals, once, and with the right data."""
        assert self.is_inside(node), "released twice, or no member"
        episode = self.told[node]
        assert min(map(len, self.data.values())) > episode, "released early"
        assert result == self.result(episode, mask)
        self.told[node] += 1


@dataclass
class Play:
    """Random groups on a random network; processes arrive when they like."""

    rng: random.Random
    bench: Bench
    meetings: dict[int, Meeting] = field(default_factory=dict)
    registers: dict[tuple[int, int], int] = field(default_factory=dict)

    def set_up(self) -> None:
        rng, network = self.rng, self.bench.network
        ops = ["or", "and", "xor"] + ["max", "min", "sum"] * (network.operations == "all")
        nodes = range(len(network.nodes))
        for gid in rng.sample(range(256), network.barrier_registers):
            members = rng.sample(nodes, rng.randint(1, len(nodes)))
            group = tree(network, members, network.nodes[members[0]][0], rng)
            self.meetings[gid] = Meeting(
                rng.choice(ops), {node: [] for node in members}, dict.fromkeys(members, 0)
            )
            self.bench.add(gid, group, self.meetings[gid].op, rng.randrange(4))
            for node in members:
                self.registers[node, self.bench.places[gid, node]] = gid

    def step(self, share: float, rate: float) -> None:
        """Let those who like arrive, and judge the releases."""
        model, mask = self.bench.model, (1 << self.bench.network.data_bits) - 1
        for node, register, result in model.release:
            self.meetings[self.registers[node, register]].tell(node, result, mask)
        arrive = {}
        for (node, register), gid in self.registers.items():
            if self.enters(gid, node, share):
                arrive[node, register] = self.meetings[gid].data[node][-1]
        model.step(arrive=arrive, enable=rate > 0, rate=rate_word(rate))

    def enters(self, gid: int, node: int, share: float) -> bool:
        """Let a member in by chance if it is outside."""
        meeting = self.meetings[gid]
        if meeting.is_inside(node) or self.rng.random() >= share:
            return False
        meeting.data[node].append(self.rng.getrandbits(self.bench.network.data_bits))
        return True


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: "-".join(map(str, option)))
def test_barriers_are_safe_and_go_on(option: tuple[int, str, str]) -> None:
    rng = random.Random(str(option))
    names = ("cycles_per_hop", "operations", "turnaround")
    options = dict(zip(names, option, strict=True))
    for _ in range(5):
        network = random_network(
            rng,
            data_bits=rng.choice((1, 6)),
            barrier_registers=rng.randint(1, 3),
            channels=rng.choice((1, 2)),
            **options,
        )
        play = Play(rng, Bench(network))
        play.set_up()
        share, rate = rng.choice((0.05, 0.5, 1.0)), rng.choice((0.0, 0.1, 1.0))
        play.bench.model.step(load=1)
        for _ in range(700):
            play.step(share, rate)
        assert min(min(meeting.told.values()) for meeting in play.meetings.values()) >= 3
        assert not any(map(any, play.bench.all_counters()))
