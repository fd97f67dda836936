"""Links that are dead, and closed at the ends that live: docs/microarchitecture-faults.md, F7."""

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.words import RouterWord, config_address
from syncfabric.models.networks.grid import Grid
from syncfabric.models.traffic import rate_word
from tests.models.golden.planes.nets import draw_group, mesh
from tests.models.golden.planes.network_bench import Bench

EAST, WEST, PORTS = 0, 2, 5
NORMAL: dict[str, Any] = {"check_bits": 8, "buffer_flits": 2}


class Seen:
    """Packets that have come, by source and destination."""

    def __init__(self) -> None:
        self.packets = Counter[tuple[int, int]]()

    def packet(self, source: int, to: int, created: int, injected: int, ejected: int) -> None:
        self.packets[source, to] += 1


class Fenced(Bench):
    """A mesh between two of whose routers the link dies."""

    def __init__(self, width: int, height: int, **keys: Any) -> None:
        super().__init__(mesh(width, height, **NORMAL, **keys))
        self.seen = Seen()
        self.net = CollectiveNetwork(self.shape, observer=self.seen)
        self.width, self.height = width, height

    def fence(self, router: int, ports: int) -> None:
        """Close ports of a router, and open the others."""
        address = config_address(RouterWord.FENCE)
        request = ConfigRequest(self.shape.target_of(router), address, True, ports)
        assert self.ask(request) == (False, 0)

    def close(self, router: int) -> None:
        """Close both ends of the link from a router to the east."""
        self.fence(router, 1 << EAST)
        self.fence(router + 1, 1 << WEST)

    def die(self, router: int, cycle: int) -> None:
        """Let the link from a router to the east be dead from a cycle on."""
        ends = (router * PORTS + EAST, (router + 1) * PORTS + WEST)
        self.net.inject(Fault(cycle, link, FaultKind.DEAD) for link in ends)

    def word(self, to: int) -> int:
        return self.shape.header_of(self.shape.nodes[to])

    def all_come(self, router: int) -> bool:
        """Send packets between all nodes, but those over a link; return whether they come."""
        grid, count = Grid((self.width, self.height), pairs=True), len(self.shape.nodes)
        dead = {router, router + 1}
        self.seen.packets.clear()
        sent = Counter[tuple[int, int]]()
        for source in range(count):
            for to in range(count):
                path = [router for router, _ in grid.path(source, to, (0, 1))] + [to]
                if source != to and all({*step} != dead for step in pairwise(path)):
                    for channel in range(self.shape.router.channels):
                        self.net.put(source, [self.word(to), 1, 2], channel)
                        sent[source, to] += 1
        self.run(3000)
        return all(self.seen.packets[pair] >= many for pair, many in sent.items())


@pytest.mark.parametrize(
    "keys",
    [
        {"channels": 2},
        {"message_links": "shared"},
        {"transport": "routed"},
        {"link_registers": 1},
    ],
    ids=str,
)
def test_a_dead_link_that_is_closed_blocks_no_member(keys: dict[str, Any]) -> None:
    """With packets and barriers on it when it dies: no channel and no buffer is held for ever."""
    rng = random.Random(str(keys))
    bench = Fenced(3, 3, watchdog=50, groups=2, **keys)
    group = draw_group(bench.shape, rng, 0, range(9))
    bench.by_host(group)
    bench.die(3, bench.now + 40 + rng.randrange(30))
    bench.step(load=5)
    bench.run(64)
    for _ in range(200):
        ready = [i for i in group.members if bench.net.ready(i, 0) and rng.random() < 0.3]
        bench.step(arrive={(i, 0): 0 for i in ready}, enable=True, rate=rate_word(0.5))
    assert not bench.all_come(3)
    bench.close(3)
    bench.run(2000)
    assert bench.all_come(3)
    # What goes there now vanishes, and holds nobody up either.
    for _ in range(200):
        bench.step(enable=True, rate=rate_word(0.5))
    bench.run(2000)
    assert bench.all_come(3)


def test_a_closed_link_is_silent_and_counts_nothing() -> None:
    rng = random.Random(5)
    bench = Fenced(3, 3)
    bench.close(3)
    link, back = 3 * PORTS + EAST, 4 * PORTS + WEST
    width = bench.shape.router.link_channels + bench.shape.classes
    flips = (1 << rng.randrange(40) for _ in range(195))
    first = bench.now + 5
    bench.net.inject(Fault(first + i, link, FaultKind.FLIP, flip) for i, flip in enumerate(flips))
    bench.step(load=2)
    bench.records.clear()
    for _ in range(300):
        bench.step(enable=True, rate=rate_word(0.3))
    assert bench.records
    for record in bench.records.values():
        for at in (link, back):
            assert record.valid >> at * width & (1 << width) - 1 == 0
            assert record.credit >> at * width & (1 << width) - 1 == 0
        assert back not in {at for at, _ in record.guards}
    for router in (3, 4):
        for word in (RouterWord.CORRUPT, RouterWord.LOST):
            address = config_address(word)
            assert bench.counted(bench.shape.target_of(router), address) == 0


def test_a_packet_whose_rest_is_behind_a_fence_is_cut() -> None:
    """Closed in any cycle of its path: its channel is free again for packets of others."""
    for after in range(12):
        bench = Fenced(3, 1)
        bench.net.put(0, [bench.word(2), 1, 2], tail=False)
        bench.run(after)
        bench.fence(1, 1 << WEST)
        bench.run(20)
        bench.seen.packets.clear()
        bench.net.put(1, [bench.word(2), 7, 8])
        bench.run(20)
        assert bench.seen.packets[1, 2] == 1


def test_what_was_inside_goes_on_and_is_cut_then() -> None:
    """Both ends closed while a packet's first flits wait behind another's: it ends with a cut."""
    bench = Fenced(3, 1)
    bench.net.put(1, [bench.word(2), 1], tail=False)
    bench.run(6)
    bench.net.put(0, [bench.word(2), 2, 3], tail=False)
    bench.run(12)
    bench.close(0)
    bench.run(200)
    out, width = 1 * PORTS + EAST, bench.shape.router.link_channels + bench.shape.classes
    bench.records.clear()
    bench.net.put(1, [4], head=False)
    bench.run(20)
    # The rest of the first packet, the two flits inside, and the cut.
    flits = [record for record in bench.records.values() if record.valid >> out * width & 1]
    assert len(flits) == 1 + 2 + 1
    bench.net.put(1, [bench.word(2), 7])
    bench.run(20)
    assert bench.seen.packets[1, 2] == 2
