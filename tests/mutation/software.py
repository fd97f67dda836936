"""Ways to break what sends the packets of nodes' software."""

from tests.mutation.mutant import Mutant

__all__ = ["SOFTWARE"]

_SOURCE = "rtl/traffic/source.py"
_TESTS = ("tests/rtl/traffic/test_source.py", "tests/sim/drive/test_software.py")

SOFTWARE = (
    Mutant(
        "a packet of software breaks into one of the generator",
        _SOURCE,
        "own.eq(begun | ((word == 0) & software.waiting))",
        "own.eq(begun | software.waiting)",
        _TESTS,
    ),
    Mutant(
        "a packet of the generator breaks into one of software",
        _SOURCE,
        "begun.eq(~put.tail)",
        "begun.eq(0)",
        _TESTS,
    ),
    Mutant(
        "a flit of software goes on its own channel, not its packet's",
        _SOURCE,
        "channel.eq(Mux(begun, kept, Mux(own, put.channel, turn)))",
        "channel.eq(Mux(own, put.channel, turn))",
        _TESTS,
    ),
    Mutant(
        "a lost flit of software is not counted",
        _SOURCE,
        "self.overflow.eq(self.overflow + packets.lost + software.lost)",
        "self.overflow.eq(self.overflow + packets.lost)",
        _TESTS,
    ),
)
