"""What shows that a part is at rest, and that something comes in at its ports."""

from amaranth import Module
from amaranth.hdl import Fragment
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.activity import activity, arrives, running, transient
from tests.rtl.support import clocked, evaluate


class Pulse(wiring.Component):
    """A register that has been given something in the last cycle, and rests at 2."""

    def __init__(self) -> None:
        super().__init__({"given": In(2), "kept": Out(2, init=2)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.sync += transient(self.kept, 2).eq(self.given)
        return m


class Watched(wiring.Component):
    """A part within a part, and whether any register of both is active."""

    def __init__(self, *, counts: bool = False) -> None:
        self._counts = counts
        super().__init__({"given": In(2), "plain": Out(2), "awake": Out(1), "count": Out(2)})

    def elaborate(self, platform: object) -> Fragment:
        m = Module()
        m.submodules.pulse = pulse = Pulse()
        m.d.comb += pulse.given.eq(self.given)
        m.d.sync += self.plain.eq(self.given)
        if self._counts:
            m.d.sync += running(self.count).eq(self.count + 1)
        fragment = Fragment.get(m, platform)
        fragment.add_statements("comb", self.awake.eq(activity(fragment)))
        return fragment


def test_a_part_is_active_while_a_marked_register_is_not_at_rest() -> None:
    given = [2, 2, 0, 1, 3, 2, 2]
    seen = [row["awake"] for row in clocked(Watched(), [{"given": word} for word in given])]
    assert seen == [0, *(int(word != 2) for word in given[:-1])]


def test_a_register_that_changes_by_itself_never_rests() -> None:
    cases = [{"given": 2}] * 4
    assert [row["awake"] for row in clocked(Watched(counts=True), cases)] == [1] * 4


class Ports(wiring.Component):
    """Ports of packets and others, and what comes in at them."""

    def __init__(self) -> None:
        super().__init__(
            {
                "packets": In(wiring.Signature({"valid": Out(2), "flit": Out(8)})),
                "inject": Out(wiring.Signature({"credit": In(1)})),
                "arrive": In(1),
                "index": In(4),
                **{name: Out(1) for name in ("any", "of_packets", "others")},
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [
            self.any.eq(arrives(self)),
            self.of_packets.eq(arrives(self, packets=True)),
            self.others.eq(arrives(self, packets=False)),
        ]
        return m


def test_what_comes_in_differs_from_words_and_constants() -> None:
    none = dict.fromkeys(
        ("packets__valid", "packets__flit", "inject__credit", "arrive", "index"), 0
    )
    cases = [
        none | {"packets__flit": 9, "index": 3},
        none | {"packets__valid": 2},
        none | {"inject__credit": 1},
        none | {"arrive": 1},
    ]
    seen = [(row["any"], row["of_packets"], row["others"]) for row in evaluate(Ports(), cases)]
    assert seen == [(0, 0, 0), (1, 1, 0), (1, 1, 0), (1, 0, 1)]
