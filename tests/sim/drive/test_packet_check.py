"""The rules of packets, on flits as they should be and on doctored ones."""

from collections.abc import Iterable, Sequence

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.packet_check import PacketCheck
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, mesh

SPEC = mesh(3, 2, channels=2)
NODES = 6
LANES = SPEC.channels + 1
HEAD, TAIL = (1 << SPEC.layout.flit.offsets[name] for name in ("head", "tail"))

Flits = dict[int, int]
"""What is on the lanes in a cycle."""


def packet(source: int, destination: int, created: int = 300, number: int = 70) -> list[int]:
    x, y = SPEC.mesh.node(destination)
    words = [x | y << 2, source, created, number, source ^ created ^ number]
    words[0] |= HEAD
    words[-1] |= TAIL
    return words


def into(node: int, channel: int = 0) -> int:
    return (5 * NODES + node) * LANES + channel


def out_of(node: int, channel: int = 0) -> int:
    return (5 * node + 4) * LANES + channel


def line(cycle: int, flits: Flits) -> Line:
    """Return what the probe writes of these flits."""
    order = sorted(flits)
    valid = sum(1 << lane for lane in order)
    return Line(cycle, Record(valid, 0, [flits[lane] for lane in order], 0, ()))


def signals(check: PacketCheck, lane: int, flits: Iterable[int], first: int = 1) -> list[str]:
    """Put flits on a lane, a cycle each; return the rules they break."""
    return [
        wrong.signal
        for cycle, flit in enumerate(flits, first)
        for wrong in check.note(line(cycle, {lane: flit}))
    ]


@pytest.fixture
def check() -> PacketCheck:
    """Give a check that has seen one packet go in at node 0, for node 5."""
    check = PacketCheck(SPEC)
    assert signals(check, into(0), packet(0, 5), first=301) == []
    return check


def test_a_packet_comes_out_as_it_went_in(check: PacketCheck) -> None:
    assert signals(check, out_of(5), packet(0, 5), first=309) == []
    assert (check.injected, check.ejected, check.flits_out) == (1, 1, 5)
    assert (check.latency, check.network_latency) == ([13], [12])
    assert list(check.lost()) == []


def test_packets_on_all_lanes_at_once() -> None:
    check = PacketCheck(SPEC)
    packets = {(n, c): packet(n, 5 - n, number=c) for n in range(NODES) for c in range(2)}
    for i in range(5):
        sent = {into(n, c): flits[i] for (n, c), flits in packets.items()}
        assert list(check.note(line(i + 301, sent))) == []
    for i in range(5):
        got = {out_of(5 - n, c): flits[i] for (n, c), flits in packets.items()}
        assert list(check.note(line(i + 320, got))) == []
    assert check.ejected == 12
    assert list(check.lost()) == []


def test_a_lost_packet(check: PacketCheck) -> None:
    assert list(check.lost()) == [(0, 5)]


@pytest.mark.parametrize("place", range(5))
def test_a_lost_flit(check: PacketCheck, place: int) -> None:
    flits = packet(0, 5)
    del flits[place]
    assert signals(check, out_of(5), [*flits, *packet(0, 5, number=71)], first=309)
    assert check.ejected == 0 or place == 4


def test_a_flit_that_comes_twice(check: PacketCheck) -> None:
    flits = packet(0, 5)
    assert signals(check, out_of(5), [*flits[:2], *flits[1:]], first=309)
    assert list(check.lost()) == [(0, 5)]


def test_a_packet_that_comes_twice(check: PacketCheck) -> None:
    flits = packet(0, 5)
    assert signals(check, out_of(5), flits * 2, first=309) == ["ejected: a packet on its way"]


@pytest.mark.parametrize("order", [(0, 2, 1, 3, 4), (0, 1, 3, 2, 4), (1, 0, 2, 3, 4)])
def test_flits_in_another_order(check: PacketCheck, order: Sequence[int]) -> None:
    flits = [packet(0, 5)[i] for i in order]
    (broken,) = signals(check, out_of(5), flits, first=309)
    assert broken in ("ejected: flits of the packet", "ejected: a packet on its way")


def test_flits_of_two_packets_mixed(check: PacketCheck) -> None:
    assert signals(check, into(1), packet(1, 5), first=301) == []
    one, two = packet(0, 5), packet(1, 5)
    mixed = [flit for pair in zip(one, two, strict=True) for flit in pair]
    assert signals(check, out_of(5), mixed, first=320)


@pytest.mark.parametrize("place", range(5))
def test_a_changed_flit(check: PacketCheck, place: int) -> None:
    flits = packet(0, 5)
    flits[place] ^= 1 << 9
    assert len(signals(check, out_of(5), flits, first=309)) == 1


def test_a_packet_gone_astray(check: PacketCheck) -> None:
    assert signals(check, out_of(4), packet(0, 5), first=309) == ["ejected: destination is here"]


def test_a_source_that_sends_nonsense() -> None:
    flits = packet(0, 5)
    cases = {
        "injected: first flit is a head": [flits[0] & ~HEAD, *flits[1:]],
        "injected: head first, tail fifth": [*flits[:2], flits[2] | TAIL],
        "injected: word 1 is the source": packet(3, 5),
    }
    for rule, sent in cases.items():
        assert signals(PacketCheck(SPEC), into(0), sent) == [rule]
    check = PacketCheck(SPEC)
    assert signals(check, into(0), flits * 2) == ["injected: packet's number is new"]


def test_half_a_packet_is_lost_too() -> None:
    check = PacketCheck(SPEC)
    assert signals(check, into(2), packet(2, 5)[:3]) == []
    assert list(check.lost()) == [(2, -1)]


def test_times_wrap_in_narrow_flits() -> None:
    spec = mesh(2, 1, flit_bits=20)
    check = PacketCheck(spec)
    head, tail = (1 << spec.layout.flit.offsets[name] for name in ("head", "tail"))
    flits = [1 | head, 0, (1 << 20) - 3, 0, tail | 0]
    lane = (5 * 2 + 0) * 2
    for cycle, flit in enumerate(flits, 1 << 20):
        assert list(check.note(line(cycle, {lane: flit}))) == []
    for cycle, flit in enumerate(flits, (1 << 20) + 2):
        assert list(check.note(line(cycle, {(5 * 1 + 4) * 2: flit}))) == []
    assert check.latency == [9]


@pytest.mark.parametrize(("port", "broken"), [(0, []), (1, ["ejected: destination is here"])])
def test_destinations_of_an_irregular_network(port: int, broken: list[str]) -> None:
    spec = irregular(SMALL)
    check = PacketCheck(spec)
    head, tail = (1 << spec.layout.flit.offsets[name] for name in ("head", "tail"))
    header = spec.layout.header.pack({"router": 2, "port": port})
    flits = [header | head, 1, 300, 4, 1 ^ 300 ^ 4 | tail]
    assert signals(check, 2 * (3 * 4 + 1), flits, first=301) == []
    assert list(check.lost()) == [(1, 2 + port)]
    assert signals(check, 2 * (2 * 4 + 0), flits, first=309) == broken


def test_a_header_that_names_no_node() -> None:
    spec = irregular(SMALL)
    check = PacketCheck(spec)
    head, tail = (1 << spec.layout.flit.offsets[name] for name in ("head", "tail"))
    header = spec.layout.header.pack({"router": 1, "port": 2})
    flits = [header | head, 0, 300, 4, 300 ^ 4 | tail]
    assert signals(check, 2 * 3 * 4, flits, first=301) == []
    assert list(check.lost()) == [(0, -1)]
