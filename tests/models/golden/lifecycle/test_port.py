"""A set-up port alone, rule by rule with its cycles (N3.4 to N3.8)."""

from syncfabric.models.golden.lifecycle.manager import Manager
from syncfabric.models.golden.lifecycle.port import PortEvents, SetUpParameters, SetUpPort
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.setup import REPLY, REQUEST, Answer, Operation

LAYOUT = EngineLayout(4, True, 4, 0, "none")
V, B = 2, 2
REPLY_BIT = 1 << 6


class Bench:
    """A port of a mesh, of two channels, with a manager or without."""

    def __init__(self, *, managed: bool = False) -> None:
        manager = Manager(0, LAYOUT.image_words, 4, V, counters=True) if managed else None
        has = SetUpParameters([REPLY_BIT | 9], 6, 7, 4)
        self.port = SetUpPort(has, LAYOUT, V, B, B * V, manager)
        self.events: list[PortEvents] = []

    def step(
        self, came: Flit | None = None, inject: Flit | None = None, credit: bool = False
    ) -> tuple[Flit | None, int]:
        """Go through a cycle; return what goes into the router, and credits out of it."""
        freed = self.port.freed
        self.port.asks(None)
        driven = self.port.drive(inject)
        self.events.append(self.port.step(came, driven, inject, None, None, None))
        self.port.tokens += credit
        return driven, freed


def packet(*payloads: int) -> list[Flit]:
    last = len(payloads) - 1
    return [Flit(V, word, k == 0, k == last) for k, word in enumerate(payloads)]


def request(**fields: int) -> int:
    return REQUEST.pack({"operation": Operation.KILL, **fields})


def test_n3_4_and_5_a_flit_of_t_leaves_in_t_1_and_its_credit_is_high_in_t_2() -> None:
    bench = Bench()
    head, tail = packet(0, request(entry=200, tag=3, sequence=5))
    credits = [bench.step(came)[1] for came in (head, tail, None, None, None)]
    assert credits == [0, 0, 1 << V, 1 << V, 0]


def test_n3_6_and_n4_10_a_reply_of_bad_has_its_cycles() -> None:
    bench = Bench()
    head, tail = packet(0, request(entry=200, epoch=1, tag=3, sequence=5))
    sent = [bench.step(came)[0] for came in (head, tail, *[None] * 6)]
    # Tail taken in 2, JUDGE in 3, ANSWER in 4, the slot is taken in 5, the header on offer in 6.
    fields = {"code": Answer.DENIED, "tag": 3, "epoch": 1, "entry": 200, "number": 5}
    word = Flit(V, REPLY.pack(fields), False, True)
    assert sent == [None] * 6 + [Flit(V, REPLY_BIT | 9, True, False), word]


def test_n3_6_without_a_credit_nothing_goes() -> None:
    bench = Bench()
    for _ in range(3):
        for flit in packet(0, request(entry=200)):
            bench.step(flit)
        sent = [bench.step()[0] for _ in range(8)]
        if sum(flit is not None for flit in sent) == 0:
            break
    assert bench.port.tokens == 0
    bench.step(credit=True)
    assert bench.step()[0] == Flit(V, REPLY_BIT | 9, True, False)
    assert bench.step()[0] is None


def test_n3_4_a_full_buffer_drops() -> None:
    bench = Bench()
    for flit in packet(0, request(), 1, 2):  # after flit 2 it writes, and is not answered
        bench.step(flit)
    for word in (3, 4):
        bench.step(Flit(V, word, False, False))
    bench.step(Flit(V, 5, False, False))
    assert [events.overflows for events in bench.events[-3:]] == [0, 1, 1]


def test_n3_5_replies_are_the_managers() -> None:
    for managed in (False, True):
        bench = Bench(managed=managed)
        word = REPLY.pack({"code": Answer.FREED, "number": 9, "entry": 1})
        for flit in packet(REPLY_BIT, word):
            bench.step(flit)
        bench.step()
        assert bench.step()[1] == 1 << V
        manager = bench.port.manager
        assert not manager or len(manager.freed) == 1
        assert bench.port.sink.listens


def test_n3_7_the_process_waits_behind_set_up_flits() -> None:
    bench = Bench()
    for flit in packet(0, request(entry=200)):
        bench.step(flit)
    for _ in range(4):
        bench.step()
    own = [Flit(0, word, word == 1, word == 4) for word in range(1, 5)]
    sent = [bench.step(inject=flit)[0] for flit in [*own, None, None, None]]
    assert [flit and flit.channel for flit in sent] == [V, V, 0, 0, 0, 0, None]
    assert sent[2:6] == own


def test_n3_8_ordinary_flits_of_a_sink_port_are_dropped() -> None:
    bench = Bench()
    credits = [bench.step(flit)[1] for flit in (Flit(1, 5, True, True), None, None)]
    assert credits == [0, 0b10, 0]
    assert [events.unexpected for events in bench.events] == [1, 0, 0]
