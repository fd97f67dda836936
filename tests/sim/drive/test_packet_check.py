"""The rules of packets, the generator's and software's, on flits as they should be and doctored."""

from collections.abc import Sequence

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.packet_check import PacketCheck, delivery_of
from syncfabric.sim.drive.trace import Line, Put
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh
from tests.sim.drive.sends import by_table, route_of

MESH = mesh(3, 2, channels=2)
CLUSTER = irregular(SMALL, channels=2)
BROUGHT = irregular(SMALL, channels=2, routing="source")
"""Its nodes are (0, 1), (0, 3), (2, 0), (2, 1); switches 0 and 1 share two links, 1 leads to 2."""
ASTRAY, INJECTED = "ejected: a packet on its way here", "injected: head first, tail fifth"
NUMBER, SOURCE = "injected: packet's number is new", "injected: word 1 is the source"

Flits = list[int]


class Bench:
    """A check, what is put, and what is on the nodes' links, a flit a cycle."""

    def __init__(self, spec: MessageSpec = MESH, cycle: int = 300) -> None:
        self.spec, self.check, self.cycle = spec, PacketCheck(spec), cycle
        self.broken: list[str] = []
        self.links = links_of(spec)

    @property
    def lost(self) -> list[tuple[int, int]]:
        return list(self.check.lost())

    def flits(self, payloads: Sequence[int]) -> Flits:
        last = len(payloads) - 1
        pack = self.spec.layout.flit.pack
        return [
            pack({"payload": payload, "head": place == 0, "tail": place == last})
            for place, payload in enumerate(payloads)
        ]

    def put(self, node: int, payloads: Sequence[int], channel: int = 0) -> Flits:
        """Put a packet; return its flits."""
        last = len(payloads) - 1
        for place, payload in enumerate(payloads):
            act = Put(self.cycle, node, channel, place == 0, place == last, payload)
            assert self.check.act(act) == ()
        return self.flits(payloads)

    def generated(self, node: int, to: int, number: int = 70, source: int | None = None) -> Flits:
        """Return a packet of the generator, created in this cycle."""
        created = self.cycle & (1 << self.spec.flit_bits) - 1
        words = [by_table(self.spec, to), node if source is None else source, created, number]
        return self.flits([*words, words[1] ^ words[2] ^ words[3]])

    def show(self, **flits: int) -> None:
        """Show flits in a cycle, by the numbers of their lanes."""
        self.cycle += 1
        lanes = {int(lane): flit for lane, flit in flits.items()}
        valid = sum(1 << lane for lane in lanes)
        record = Record(valid, 0, [lanes[lane] for lane in sorted(lanes)], 0, ())
        self.broken += [wrong.signal for wrong in self.check.wires(Line(self.cycle, record))]

    def inject(self, node: int, flits: Sequence[int], channel: int = 0) -> None:
        for flit in flits:
            self.show(**{str(self.links.inject[node] * self.links.width + channel): flit})

    def eject(self, node: int, flits: Sequence[int], channel: int = 0) -> None:
        for flit in flits:
            self.show(**{str(self.links.eject[node] * self.links.width + channel): flit})


@pytest.mark.parametrize("spec", [MESH, CLUSTER], ids=["mesh", "irregular"])
@pytest.mark.parametrize("words", [0, 1, 9])
def test_packets_of_any_length_come_out_as_they_went_in(spec: MessageSpec, words: int) -> None:
    bench = Bench(spec)
    flits = bench.put(0, [by_table(spec, 3), *range(words)], 1)
    other = bench.generated(0, 3)
    bench.inject(0, flits, 1)
    begin = bench.cycle
    bench.inject(0, other)
    bench.eject(3, other)
    assert bench.check.network_latency == [bench.cycle - begin - 1]
    assert bench.check.latency == [bench.cycle - 300]
    bench.eject(3, flits, 1)
    assert (bench.broken, bench.lost) == ([], [])
    counts = bench.check.ejected, bench.check.put, bench.check.injected, bench.check.flits_out
    assert counts == (2, 1, 1, 5 + 1 + words)


def test_packets_on_all_lanes_at_once() -> None:
    bench = Bench()
    width, nodes = bench.links.width, range(6)
    packets = {(n, c): bench.generated(n, 5 - n, c) for n in nodes for c in range(2)}
    for ends, far in ((bench.links.inject, 0), (bench.links.eject, 5)):
        for i in range(5):
            of = {(abs(far - n), c): flits[i] for (n, c), flits in packets.items()}
            bench.show(**{str(ends[n] * width + c): flit for (n, c), flit in of.items()})
    assert (bench.check.ejected, bench.broken, bench.lost) == (12, [], [])


WHOLE = (0, 1, 2, 3, 4)


@pytest.mark.parametrize("software", [False, True])
@pytest.mark.parametrize(
    ("order", "node", "rules", "lost"),
    [
        ((), 3, [], 1),
        (WHOLE, 4, [ASTRAY], 1),
        *[((*WHOLE[:place], *WHOLE[place + 1 :]), 3, [ASTRAY], 1) for place in range(4)],
        (WHOLE[:4], 3, [], 1),
        ((0, 1, 1, 2, 3, 4), 3, [ASTRAY], 1),
        ((0, 2, 1, 3, 4), 3, [ASTRAY], 1),
        ((0, 1, 3, 2, 4), 3, [ASTRAY], 1),
        ((1, 0, 2, 3, 4), 3, [ASTRAY], 1),
        (WHOLE * 2, 3, [ASTRAY], 0),
    ],
)
def test_flits_lost_twice_in_another_order_or_elsewhere(
    software: bool, order: Sequence[int], node: int, rules: list[str], lost: int
) -> None:
    bench = Bench()
    flits = bench.put(0, [by_table(MESH, 3), 5, 6, 7, 8]) if software else bench.generated(0, 3)
    bench.inject(0, flits)
    bench.eject(node, [flits[place] for place in order])
    assert bench.broken == rules
    assert bench.lost == [(0, 3)] * lost


@pytest.mark.parametrize("software", [False, True])
@pytest.mark.parametrize("place", range(5))
def test_a_changed_flit(software: bool, place: int) -> None:
    bench = Bench()
    flits = bench.put(0, [by_table(MESH, 3), 5, 6, 7, 8]) if software else bench.generated(0, 3)
    bench.inject(0, flits)
    flits[place] ^= 1 << 9
    bench.eject(3, flits)
    assert (bench.broken, bench.lost) == ([ASTRAY], [(0, 3)])


def test_flits_of_two_packets_mixed() -> None:
    bench = Bench()
    one, two = bench.generated(0, 5), bench.generated(1, 5)
    bench.inject(0, one)
    bench.inject(1, two)
    bench.eject(5, [flit for pair in zip(one, two, strict=True) for flit in pair])
    assert bench.broken == [ASTRAY, ASTRAY]


@pytest.mark.parametrize("software", [False, True])
@pytest.mark.parametrize(("channel", "rules"), [(0, ["ejected: in order"]), (1, [])])
def test_packets_of_one_path_stay_in_order(software: bool, channel: int, rules: list[str]) -> None:
    bench, sent = Bench(), []
    for number, lane in enumerate((0, channel)):
        words = [by_table(MESH, 3), number]
        sent.append(bench.put(0, words, lane) if software else bench.generated(0, 3, number))
        bench.inject(0, sent[-1], lane)
    for flits in reversed(sent):
        bench.eject(3, flits)
    assert (bench.broken, bench.lost) == (rules, [])


def test_a_source_that_sends_nonsense() -> None:
    flits = Bench().generated(0, 5)
    head, tail = (1 << MESH.layout.flit.offsets[name] for name in ("head", "tail"))
    for rule, sent in (
        ([INJECTED], [flits[0] ^ head, *flits[1:]]),
        ([INJECTED], [flits[0], flits[1] | head, *flits[2:]]),
        ([INJECTED], [*flits[:2], flits[2] | tail]),
        ([INJECTED], [*flits[:4], flits[3], flits[4]]),
        ([SOURCE], Bench().generated(3, 5)),
        ([NUMBER], flits * 2),
    ):
        bench = Bench()
        bench.inject(0, sent)
        assert bench.broken == rule


def test_half_a_packet_is_lost_too() -> None:
    bench = Bench()
    bench.inject(2, bench.generated(2, 5)[:3])
    assert (bench.broken, bench.lost) == ([], [(2, -1)])


def test_what_is_not_put_must_not_go_in() -> None:
    for payloads, channel in (([by_table(MESH, 3), 5], 0), ([by_table(MESH, 3), 9], 1)):
        bench = Bench()
        bench.put(0, [by_table(MESH, 3), 9])
        bench.inject(0, bench.flits(payloads), channel)
        assert (bench.broken, bench.lost) == ([INJECTED], [(0, -1)])
    bench = Bench()
    bench.inject(0, bench.flits([by_table(MESH, 3), 9]))
    bench.put(0, [by_table(MESH, 3), 9])
    assert bench.broken == [INJECTED]


def test_a_packet_that_begins_as_one_that_was_put_is_the_generators_all_the_same() -> None:
    bench = Bench()
    flits, other = bench.put(0, [by_table(MESH, 3), 0, 8]), bench.generated(0, 3)
    assert other[:2] == flits[:2]
    for show in (bench.inject, bench.eject):
        show(3 * (show == bench.eject), other)
        show(3 * (show == bench.eject), flits)
    assert (bench.broken, bench.lost) == ([], [])


def test_times_wrap_in_narrow_flits() -> None:
    bench = Bench(mesh(2, 1, flit_bits=20), (1 << 20) - 3)
    flits = bench.generated(0, 1)
    bench.inject(0, flits)
    bench.eject(1, flits)
    assert (bench.broken, bench.check.latency) == ([], [10])


@pytest.mark.parametrize(("port", "broken"), [(0, []), (1, [ASTRAY])])
def test_destinations_of_an_irregular_network(port: int, broken: list[str]) -> None:
    bench = Bench(CLUSTER)
    flits = bench.generated(1, 2 + port)
    bench.inject(1, flits)
    assert bench.lost == [(1, 2 + port)]
    bench.eject(2, flits)
    assert bench.broken == broken


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        (CLUSTER, {"router": 2, "port": 3}),
        (CLUSTER, {"router": 3, "port": 0}),
        (CLUSTER, {"router": 2, "port": 2}),
        (CLUSTER, {"router": 1, "port": 1}),
        (MESH, {"x": 3, "y": 0}),
    ],
    ids=["to a router", "no router", "no link", "to another router", "no node"],
)
def test_packets_that_come_out_nowhere(spec: MessageSpec, fields: dict[str, int]) -> None:
    """Software may send them; the generator's are lost."""
    bench, header = Bench(spec), spec.layout.header.pack(fields)
    bench.inject(0, bench.put(0, [header, 1]))
    assert (bench.broken, bench.lost) == ([], [])
    bench.inject(0, bench.flits([header, 0, 300, 4, 300 ^ 4]))
    assert (bench.broken, bench.lost) == ([], [(0, -1)])


def test_the_delivery_of_a_packet_that_brings_its_route() -> None:
    """Each router takes two bits of it; the header comes out without them."""
    bench = Bench(BROUGHT)
    flits = bench.flits([route_of(BROUGHT, [2, 1, 0]), 7, 8])
    end = delivery_of(BROUGHT, 0, flits)
    assert (end.node, end.steps) == (2, ((0, 2), (1, 1), (2, 0)))
    assert end.flits == tuple(bench.flits([0, 7, 8]))
    by_other = delivery_of(BROUGHT, 0, bench.flits([route_of(BROUGHT, [0, 1, 1]), 7]))
    assert (by_other.node, by_other.flits) == (3, tuple(bench.flits([0, 7])))
