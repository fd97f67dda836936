"""A mesh's slots of messages at an input: what comes goes on once, as it came, the way it must."""

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.sync_input import SyncInput
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties

__all__ = ["MeshSlotsProof"]

X, Y = 1, 1
"""The router is in the middle of a mesh of 3x3."""


class MeshSlotsProof(wiring.Component):
    """An input's slots; a neighbour that keeps its credits sends what may come from there.

    Parameters
    ----------
    port : int
        EAST 0 to SOUTH 3.
    unit : str
        What barrier unit there is: ``waits`` may leave messages where they are (serial
        operations), ``takes`` takes all it is shown.

    Members
    -------
    comes : In(2), word : In
        A message on the link, by class.
    room : In(8), takes, leaves : In(1)
        Outputs that have a credit; the unit takes what it is shown; what is presented leaves.
    """

    def __init__(self, port: int, unit: str) -> None:
        self._port, self._unit = port, unit
        self._network = MeshSpec(
            kind="mesh",
            width=3,
            height=3,
            data_bits=2,
            sync_links="own",
            operations="all" if unit == "waits" else "bitwise",
        )
        self._sync = struct(self._network.layout.sync)
        members = {"comes": 2, "word": self._sync.size, "room": 8}
        members |= {"takes": 1, "leaves": 1}
        super().__init__({name: In(width) for name, width in members.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.input = part = SyncInput(self._network, self._port)
        inside, words = Signal(2), [Signal(self._sync, name=f"word_{c}") for c in range(2)]
        have = Signal(2, init=3)
        comes, gone = Signal(2), Signal(2)
        m.d.comb += [
            comes.eq(self.comes & have & Mux(self.comes == 3, 0, 3)),
            part.x.eq(X),
            part.y.eq(Y),
            part.valid.eq(comes),
            part.message.eq(self.word),
            part.has_credit.eq(self.room),
            part.free.eq(self.leaves & part.presents),
        ]
        shows, shown_word = part.show, part.shown.as_value()
        m.d.comb += [
            part.take.eq(shows.any() & (1 if self._unit == "takes" else self.takes)),
            gone.eq(Mux(part.free, part.present, 0) | Mux(part.take, shows, 0)),
        ]
        m.d.sync += [
            have.eq((have & ~comes) | part.credit),
            inside.eq((inside & ~gone) | comes),
        ]
        for c in range(2):
            with m.If(comes[c]):
                m.d.sync += words[c].eq(self.word)
            claims.assume(~comes[c] | self._may_come(self.word, c))
        ways = [self._way(word, c) for c, word in enumerate(words)]
        here = Cat(way[4] for way in ways)
        asks = Cat(inside[c] & (ways[c] & self._lane(self.room, c)).any() for c in range(2))
        which = part.present[1]
        claims.holds("none comes for a slot that is taken", ~part.overflow)
        claims.holds("what comes is stored", part.store == comes.any())
        claims.holds("one message is presented", part.present != 3)
        claims.holds("if there is one that can go", part.present.any() == asks.any())
        claims.holds("and only such a one", (part.present & ~asks) == 0)
        claims.holds(
            "it goes the way that dimension order says",
            part.route == Mux(part.presents, Array(ways)[which], 0),
        )
        claims.holds("that is told", part.presents == part.present.any())
        claims.holds(
            "it is as it came",
            ~part.presents | (part.sync.as_value() == Array(w.as_value() for w in words)[which]),
        )
        claims.holds(
            "a credit comes back for each that has gone",
            part.credit == claims.before("gone", gone),
        )
        claims.holds(
            "a credit is there, on its way, or its slot is taken",
            (have ^ part.credit ^ inside == 3) & ~(have & inside).any(),
        )
        waited = Signal(2)
        m.d.sync += waited.eq(Mux(~asks[0] | part.present[0], 0, waited + part.present[1]))
        claims.holds("one class goes before the other once at most", waited <= 1)
        own = inside & here
        claims.holds("one that is for this node is shown", shows.any() == own.any())
        claims.holds("one at a time", ((shows & ~own) == 0) & (shows != 3))
        claims.holds(
            "it is as it came, too",
            ~shows.any() | (shown_word == Array(w.as_value() for w in words)[shows[1]]),
        )
        turns = Signal(2)
        m.d.sync += turns.eq(Mux(~own[0] | shows[0], 0, turns + 1))
        claims.holds("they are shown in turn", turns <= 1)
        both = (inside & (here if self._unit == "waits" else ~here)).all()
        claims.reached("both slots are taken", both)
        claims.reached("both classes can go", asks.all())
        return m

    def _lane(self, credits: Value, c: int) -> Value:
        """Return the outputs' bits of a class."""
        return Cat(credits[2 * p + c] for p in range(4))

    def _may_come(self, word: Value, c: int) -> Value:
        """Return whether dimension order lets a message come by this port for where it goes.

        It comes from the neighbour at the port, so what it is for is not back there; and where it
        has made its turn already, it is in this row or column.
        """
        message = self._sync(word)
        x, y, port = message.x, message.y, self._port
        away = [x <= X, y <= Y, x >= X, y >= Y][port]
        along = (y == Y) if port % 2 == 0 else (x == X)
        turned = c == 1 - port % 2
        inside = (x <= 2) & (y <= 2) & (message.turn == c)
        return inside & away & (along if turned else 1)

    def _way(self, message: Value, c: int) -> Value:
        """Return the way of a message of this class: EAST to SOUTH, here."""
        x, y = message.x, message.y
        east, north, west, south = x > X, y > Y, x < X, y < Y
        if c:
            row = y == Y
            return Cat(east & row, north, west & row, south, row & (x == X))
        column = x == X
        return Cat(east, north & column, west, south & column, column & (y == Y))
