"""The rules of packets that software puts, on flits as they should be and on doctored ones."""

from collections.abc import Sequence

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.put_check import way_of
from syncfabric.sim.drive.put_port import Put
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh
from tests.sim.drive.sendings import by_table, route_of

MESH = mesh(3, 2, channels=2)
CLUSTER = irregular(SMALL, channels=2)
BROUGHT = irregular(SMALL, channels=2, routing="source")
"""Its nodes are (0, 1), (0, 3), (2, 0), (2, 1); switches 0 and 1 share two links, 1 leads to 2."""

Flits = list[int]


class Bench:
    """A check, what is put, and what is on the nodes' links, a flit a cycle."""

    def __init__(self, spec: MessageSpec) -> None:
        self.spec, self.check, self.cycle = spec, PacketCheck(spec), 300
        self.broken: list[str] = []
        self._links = links_of(spec)

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
            self.check.software.put(
                Put(self.cycle, node, channel, place == 0, place == last, payload)
            )
        return self.flits(payloads)

    def show(self, link: int, flits: Sequence[int], channel: int = 0) -> None:
        for flit in flits:
            self.cycle += 1
            record = Record(1 << link * self._links.width + channel, 0, [flit], 0, ())
            self.broken += [wrong.signal for wrong in self.check.note(Line(self.cycle, record))]

    def inject(self, node: int, flits: Sequence[int], channel: int = 0) -> None:
        self.show(self._links.inject[node], flits, channel)

    def eject(self, node: int, flits: Sequence[int], channel: int = 0) -> None:
        self.show(self._links.eject[node], flits, channel)

    def generated(self, node: int, to: int, number: int) -> Flits:
        words = [by_table(self.spec, to), node, self.cycle, number]
        return self.flits([*words, words[1] ^ words[2] ^ words[3]])


@pytest.mark.parametrize("spec", [MESH, CLUSTER], ids=["mesh", "irregular"])
@pytest.mark.parametrize("words", [0, 1, 9])
def test_packets_of_any_length_come_out_as_they_went_in(spec: MessageSpec, words: int) -> None:
    bench = Bench(spec)
    flits = bench.put(0, [by_table(spec, 3), *range(words)], 1)
    other = bench.generated(0, 3, 0)
    bench.inject(0, flits, 1)
    bench.inject(0, other)
    bench.eject(3, other)
    bench.eject(3, flits, 1)
    assert bench.broken == []
    assert list(bench.check.lost()) == []
    assert (bench.check.ejected, bench.check.software.injected) == (2, 1)
    assert len(bench.check.latency) == 1


def test_a_packet_that_begins_as_one_that_was_put_is_the_generators_all_the_same() -> None:
    bench = Bench(MESH)
    flits = bench.put(0, [by_table(MESH, 3), 0, 8])
    other = bench.generated(0, 3, 0)
    assert other[:2] == flits[:2]
    bench.inject(0, other)
    bench.inject(0, flits)
    bench.eject(3, other)
    bench.eject(3, flits)
    assert bench.broken == []
    assert list(bench.check.lost()) == []


@pytest.mark.parametrize(
    ("order", "node", "lost"),
    [
        ((0, 1, 2), 4, 1),
        ((0, 2), 3, 1),
        ((0, 1, 1, 2), 3, 1),
        ((1, 0, 2), 3, 1),
        ((0, 1, 2, 0, 1, 2), 3, 0),
    ],
    ids=["astray", "a flit lost", "a flit twice", "order", "twice"],
)
def test_what_is_wrong_shows(order: Sequence[int], node: int, lost: int) -> None:
    bench = Bench(MESH)
    flits = bench.put(0, [by_table(MESH, 3), 5, 6])
    bench.inject(0, flits)
    bench.eject(node, [flits[place] for place in order])
    assert bench.broken == ["ejected: a packet on its way"]
    assert len(list(bench.check.lost())) == lost


def test_a_changed_flit_and_half_a_packet_show() -> None:
    bench = Bench(MESH)
    flits = bench.put(0, [by_table(MESH, 3), 5, 6])
    bench.inject(0, flits)
    bench.eject(3, flits[:2])
    assert (bench.broken, list(bench.check.lost())) == ([], [(0, 3)])
    bench.eject(3, [flits[2] ^ 1])
    assert bench.broken == ["ejected: a packet on its way"]
    assert list(bench.check.lost()) == [(0, 3)]


def test_what_is_not_put_must_not_go_in() -> None:
    for payloads, channel in (([by_table(MESH, 3), 5], 0), ([by_table(MESH, 3), 9], 1)):
        bench = Bench(MESH)
        bench.put(0, [by_table(MESH, 3), 9])
        bench.inject(0, bench.flits(payloads), channel)
        assert bench.broken
        assert list(bench.check.lost())
    bench = Bench(MESH)
    flits = bench.flits([by_table(MESH, 3), 9])
    bench.inject(0, flits)
    bench.put(0, [by_table(MESH, 3), 9])
    assert bench.broken == ["injected: head first, tail fifth"]


def test_packets_of_one_way_stay_in_order() -> None:
    for channels, rules in (((0, 0), ["ejected: in order"]), ((0, 1), [])):
        bench = Bench(MESH)
        first, second = (
            bench.put(0, [by_table(MESH, 3), word], channel)
            for word, channel in zip((5, 6), channels, strict=True)
        )
        bench.inject(0, first, channels[0])
        bench.inject(0, second, channels[1])
        bench.eject(3, second)
        bench.eject(3, first)
        assert bench.broken == rules
        assert list(bench.check.lost()) == []


def test_the_way_of_a_packet_that_brings_its_route() -> None:
    """Each router takes two bits of it; the header comes out without them."""
    bench = Bench(BROUGHT)
    flits = bench.flits([route_of(BROUGHT, [2, 1, 0]), 7, 8])
    way = way_of(BROUGHT, 0, flits)
    assert (way.node, way.steps) == (2, ((0, 2), (1, 1), (2, 0)))
    assert way.flits == tuple(bench.flits([0, 7, 8]))
    by_other = way_of(BROUGHT, 0, bench.flits([route_of(BROUGHT, [0, 1, 1]), 7]))
    assert (by_other.node, by_other.flits) == (3, tuple(bench.flits([0, 7])))


@pytest.mark.parametrize(
    ("spec", "payloads"),
    [
        (CLUSTER, [CLUSTER.layout.header.pack({"router": 2, "port": 3}), 1]),
        (CLUSTER, [CLUSTER.layout.header.pack({"router": 3, "port": 0}), 1]),
        (CLUSTER, [CLUSTER.layout.header.pack({"router": 2, "port": 2}), 1]),
        (CLUSTER, [CLUSTER.layout.header.pack({"router": 1, "port": 1}), 1]),
        (MESH, [MESH.layout.header.pack({"x": 3, "y": 0}), 1]),
    ],
    ids=["to a router", "no router", "no link", "to another router", "no node"],
)
def test_packets_that_come_out_nowhere(spec: MessageSpec, payloads: list[int]) -> None:
    bench = Bench(spec)
    bench.inject(0, bench.put(0, payloads))
    assert bench.broken == []
    assert list(bench.check.lost()) == []
