"""A mesh's output for messages: credits, and who sends."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.mesh.sync_output import SyncOutput
from tests.formal.properties import Properties
from tests.formal.senders import mesh_of

__all__ = ["SyncOutputProof"]


class SyncOutputProof(wiring.Component):
    """A mesh's output for messages: four that offer, a link that gives its credits back.

    Parameters
    ----------
    port : int
    """

    def __init__(self, port: int) -> None:
        self._network, self._port = mesh_of(), port
        self._width = self._network.layout.sync.width
        members = {"offer": 5, "classes": 5, "words": 5 * self._width, "credit": 2, "which": 3}
        super().__init__({name: In(width) for name, width in members.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, port = Properties(m), self._port
        m.submodules.output = output = SyncOutput(self._network, port)
        # A class that turns into this dimension comes from the other one; the other comes straight.
        into, straight = 1 - port % 2, (port + 2) % 4
        legal = [(self.classes[i] == into) | (i == straight) for i in range(4)]
        out = Signal(2)
        m.d.comb += [output.offer.eq(self.offer), output.credit.eq(self.credit & out)]
        for i in range(5):
            late = self.classes[i]
            m.d.comb += [
                getattr(output, f"class_{i}").eq(Cat(~late, late)),
                getattr(output, f"sync_{i}").eq(self.words.word_select(i, self._width)),
            ]
            claims.assume(~self.offer[i] | output.has_credit.bit_select(late, 1))
            if i < 4:
                claims.assume(~self.offer[i] | legal[i])
        claims.assume(~self.offer[port])
        m.d.sync += out.eq((out & ~self.credit) | output.valid)
        who = claims.constant("who", self.which)
        claims.assume(who < 5, who != port)
        asks, taken = self.offer.bit_select(who, 1), output.take.bit_select(who, 1)
        late = self.classes.bit_select(who, 1)
        claims.holds("one message at most is taken", (output.take & (output.take - 1)) == 0)
        claims.holds("only one that is offered", (output.take & ~self.offer) == 0)
        claims.holds("one is whenever one is offered", output.take.any() == self.offer.any())
        claims.holds("that is told", output.sends == output.take.any())
        claims.holds(
            "what is taken is on the link, in its class",
            ~taken
            | (
                (output.valid == Cat(~late, late))
                & (output.sync.as_value() == self.words.word_select(who, self._width))
            ),
        )
        claims.holds("nothing else is", output.sends | ~output.valid.any())
        claims.holds("a class is sent only while its place is free", (output.valid & out) == 0)
        claims.holds("a credit is there, or a message is out", output.has_credit == ~out)
        waited = Signal(range(5))
        others = 3
        m.d.sync += waited.eq(
            Mux(~asks | taken, 0, waited + (output.sends & (waited != others + 1)))
        )
        claims.holds(f"who keeps offering waits for {others} others at most", waited <= others)
        claims.reached("a message of each class is out", out.all())
        return m
