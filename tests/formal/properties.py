"""What a proof says of a block: claims that hold always, and states that can be come to."""

from amaranth import Cat, Module, Mux, Signal, Value, ValueLike
from amaranth.hdl import Assert, Assume
from amaranth.lib import wiring
from amaranth.lib.wiring import In


class _Claim(wiring.Component):
    """An assertion in a module of its own, whose name is still there when all is flat."""

    def __init__(self) -> None:
        super().__init__({"holds": In(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += Assert(self.holds)
        return m


class Properties:
    """Claims about a block, by name.

    Parameters
    ----------
    m : Module
        Of the wrapper around the block.
    """

    def __init__(self, m: Module) -> None:
        self._m = m
        self._past = Signal()
        m.d.sync += self._past.eq(1)

    def holds(self, name: str, value: ValueLike) -> None:
        """Claim that ``value`` is true in every cycle of every run."""
        self._place(f"holds {name}", value)

    def lemma(self, name: str, *values: ValueLike) -> None:
        """Claim that these are true in every cycle of every run; the other claims may use it."""
        self._place(f"lemma {name}", Cat(Value.cast(value).any() for value in values).all())

    def reached(self, name: str, value: ValueLike) -> None:
        """Claim that there is a run in which ``value`` is true once.

        So what is assumed does not forbid what the proof is about, and a bound that holds is
        the least that does.
        """
        self._place(f"reached {name}", ~Value.cast(value).any())

    def assume(self, *values: ValueLike) -> None:
        """Look only at runs in which these are true in every cycle."""
        self._m.d.comb += [Assume(value) for value in values]

    def constant(self, name: str, given: Signal) -> Value:
        """Return what ``given`` is in the first cycle: a number that is any, and stays."""
        kept = Signal.like(given, name=name)
        chosen = Signal.like(given, name=f"{name}_chosen")
        self._m.d.comb += chosen.eq(Mux(self._past, kept, given))
        self._m.d.sync += kept.eq(chosen)
        return chosen

    def before(self, name: str, value: ValueLike) -> Signal:
        """Return what ``value`` was a cycle ago; 0 in the first."""
        word = Value.cast(value)
        kept = Signal(word.shape(), name=f"before_{name}")
        self._m.d.sync += kept.eq(word)
        return kept

    def _place(self, name: str, value: ValueLike) -> None:
        claim = _Claim()
        self._m.submodules[name.replace(" ", "_")] = claim
        self._m.d.comb += claim.holds.eq(value)
