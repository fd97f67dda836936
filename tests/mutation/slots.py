"""Mutants of barrier wires beside engines, which lock-step and whole networks must notice."""

from tests.mutation.mutant import Mutant

LOCKSTEP = ("tests/rtl/slots/test_plane.py",)


def _broken(name: str, part: str, old: str, new: str) -> Mutant:
    return Mutant(f"engine wires: {name}", f"{part}.py", old, new, LOCKSTEP)


SLOTS = (
    _broken(
        "LAST of one is enough", "rtl/slots/slot", "last & ~mild & ~started", "last & ~started"
    ),
    _broken(
        "a BROKEN is taken from any link",
        "rtl/slots/slot",
        "lasts & goes & parent).any()",
        "lasts & goes).any()",
    ),
    _broken(
        "what is not alive takes messages",
        "rtl/slots/slot",
        "complete.eq(alive & hit",
        "complete.eq(hit",
    ),
    _broken(
        "data of the episode before count", "rtl/slots/slot", "(~fresh, self.acc)", "(1, self.acc)"
    ),
    _broken(
        "a hit does not put the watchdog off", "rtl/slots/slot", "waits & old & ~hit", "waits & old"
    ),
    _broken(
        "KILL keeps the epoch", "rtl/slots/slot", "with m.If(setup | named)", "with m.If(setup)"
    ),
    _broken(
        "wrong parity goes through",
        "rtl/slots/slot",
        "return link.valid[slot] & right,",
        "return link.valid[slot],",
    ),
    _broken(
        "a slot that there is not is no error",
        "rtl/slots/plane",
        "error.eq(asked & ~accepted)",
        "error.eq(0)",
    ),
    _broken("an end is reported twice", "rtl/slots/plane", "(reported & ~done)", "reported"),
    _broken(
        "the model takes the data of the episode before",
        "models/golden/slots",
        "[] if slot.fresh else [slot.acc]",
        "[slot.acc]",
    ),
    _broken(
        "the model fires before all have come",
        "models/golden/slots",
        "slot.missing == hits.keys()",
        "slot.missing >= hits.keys()",
    ),
    Mutant(
        "wires: the watchdog ticks a cycle late",
        "rtl/slots/plane.py",
        "age == most - 1 if most else 1",
        "age == most if most else 1",
        LOCKSTEP,
    ),
    Mutant(
        "engine wires: managers have every slot",
        "rtl/lifecycle/shape.py",
        "(entry - self.entries)[:share]",
        "Const(0, 1)",
        ("tests/sim/test_matrix.py::test_so_they_do_under_icarus",),
    ),
)
