"""A node interface alone, rule by rule with its cycles (N2)."""

import pytest

from syncfabric.models.golden.engine.memory import Answer, Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.interface import NodeInterface
from syncfabric.models.golden.link import Back, LinkEnd, Sent
from syncfabric.models.golden.place import PlaceInputs, PlaceOutputs
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import Flit
from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.setup import COMMAND, Operation
from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.layout.words import ManagerWord

SHAPE = {
    "links": 3,
    "own": False,
    "groups": 4,
    "data_bits": 4,
    "operations": "bitwise",
    "channels": 2,
    "buffer_flits": 2,
}
MANAGED = {"managers": 2, "routing": "table", "routers": 4}


class Bench:
    """An interface; what it drives is kept."""

    def __init__(
        self, transport: str = "shared", manager: int | None = None, check_bits: int = 0
    ) -> None:
        keys = {**SHAPE, "message_links": transport, "check_bits": check_bits}
        keys |= MANAGED if manager is not None else {}
        here = -1 if manager is None else manager
        self.interface = NodeInterface(NodeShape.model_validate(keys), 5, 4, here, 4)
        self.end: LinkEnd = self.interface.end
        self.form = self.end.form
        self.log: list[PlaceOutputs] = []

    def step(
        self, flit: Flit | None = None, message: Message | None = None, **inputs: object
    ) -> PlaceOutputs:
        sent = Sent(message) if message else None
        wires = self.form.pack(flit, sent)
        fields = PlaceInputs({0: wires}, **inputs)  # type: ignore[arg-type]
        self.log.append(self.interface.step(fields))
        return self.log[-1]

    def go(self, *registers: int) -> None:
        for r in registers:
            self.step(message=Message(r, 1, Kind.GO))
        self.step()

    def on_link(self, out: PlaceOutputs) -> tuple[Flit | None, Message | None]:
        flit, sent = self.form.unpack(out.forward[0])
        return flit, sent.message if sent else None

    def ask(self, write: bool, address: int, data: int = 0) -> Answer:
        self.step(request=ConfigRequest(5, address, write, data))
        answers = [self.step().answer for _ in range(4)]
        assert [bool(answer) for answer in answers] == [False, False, True, False]
        assert answers[2]
        return answers[2]


@pytest.mark.parametrize("transport", ["own", "shared"])
def test_n2_1_and_2_messages(transport: str) -> None:
    bench = Bench(transport)
    bench.go(1, 2)
    assert bench.step(arrivals={2: Arrival(5), 1: Arrival(3, True)}).process.ready == {1, 2}
    assert bench.on_link(bench.step())[1] == Message(1, 1, Kind.LAST, 3)
    assert bench.on_link(bench.step())[1] == Message(2, 1, Kind.PLAIN, 5)
    assert bench.on_link(bench.step())[1] is None
    assert not bench.step(message=Message(2, 1, Kind.PLAIN, 7)).process.released
    process = bench.step().process
    assert (process.released, process.result[2]) == ({2}, 7)


def test_n2_3_and_6_packets_and_credits_pass_in_the_same_cycle() -> None:
    bench = Bench()
    flit = Flit(1, 0xABC, True, True)
    out = bench.step(flit, eject_credit=0b10, back={0: Back(0b01)})
    assert (out.eject, out.back[0].credit, out.inject_credit) == (flit, 0b10, 0b01)
    assert bench.on_link(bench.step(inject=flit))[0] == flit


def flits(count: int) -> list[Flit]:
    return [Flit(k % 2, k, k < 2, k >= count - 2) for k in range(count)]


def test_n2_5_flits_wait_behind_messages_in_their_order() -> None:
    bench = Bench()
    bench.go(0, 1, 2)
    bench.step(arrivals={0: Arrival(), 1: Arrival(), 2: Arrival()})
    sent = []
    for flit in [*flits(4), None, None, None, None]:
        sent.append(bench.on_link(bench.step(inject=flit)))
    assert [message.entry for _, message in sent[:3] if message] == [0, 1, 2]
    assert [flit for flit, _ in sent] == [None] * 3 + flits(4) + [None]


def test_n2_5_a_full_hold_drops_and_counts() -> None:
    bench = Bench(check_bits=4)
    bench.go(0, 1, 2, 3)
    bench.step(arrivals={r: Arrival() for r in range(4)})
    for flit in flits(4):
        bench.step(inject=flit)  # all four places are taken after four messages
    late = Flit(0, 99, False, False)
    # In this cycle a place becomes free, but the hold was full at its start.
    assert bench.on_link(bench.step(inject=late))[0] == flits(4)[0]
    assert [bench.on_link(bench.step())[0] for _ in range(4)] == [*flits(4)[1:], None]
    assert bench.ask(False, 32 + 16).rdata == 1


def test_n2_4_own_links_hold_nothing() -> None:
    bench = Bench("own")
    bench.go(0)
    bench.step(arrivals={0: Arrival()})
    flit = flits(1)[0]
    assert bench.on_link(bench.step(inject=flit)) == (flit, Message(0, 1, Kind.PLAIN))


def test_words() -> None:
    plain = {(False, 64 + 16)}
    for checks in (0, 4):
        bench = Bench(check_bits=checks)
        good = plain | ({(w, 33) for w in (False, True)} if checks else set())
        good |= {(False, 32 + 16 + i) for i in range(3)} if checks else set()
        for write in (False, True):
            for address in (*range(32, 100), 0, 1, 16, 112):
                assert bench.ask(write, address).error == ((write, address) not in good)
    bench.ask(True, 33, 0xFF)
    assert bench.ask(False, 33).rdata == 1
    assert bench.interface.end.fenced
    bench.step(reset=True)
    bench.step()
    assert not bench.interface.end.fenced


@pytest.mark.parametrize("transport", ["own", "shared"])
def test_n2_5_a_managers_flits_go_before_the_process(transport: str) -> None:
    bench = Bench(transport, 1)
    word = COMMAND.pack({"operation": Operation.KILL, "count": 2})
    bench.step(request=ConfigRequest(5, 96 + ManagerWord.COMMAND, True, word))
    seen = [bench.on_link(bench.step(inject=flit))[0] for flit in [None, None, *flits(4)]]
    seen += [bench.on_link(bench.step())[0] for _ in range(6)]
    channels = [flit.channel for flit in seen if flit]
    assert seen[:2] == [None] * 2
    # Two credits of channel 2: header and tail, and then the process's flits; more at a credit.
    assert channels == [2, 2, 0, 1, 0, 1]
    bench.step(back={0: Back(0b100)})
    out = bench.step()
    flit = bench.on_link(out)[0]
    assert flit
    assert (flit.channel, flit.head) == (2, True)


def test_n2_3_flits_of_channel_v_are_the_managers() -> None:
    for manager in (-1, 0):
        bench = Bench(manager=manager)
        out = bench.step(Flit(2, 0, True, False))
        assert (out.eject, out.back[0].credit) == (None, 0)
        assert bench.step().back[0].credit == 0b100
        assert bench.step().back[0].credit == 0
