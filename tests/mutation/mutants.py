"""Mutants of the hardware and the searches, by one change each, and who must notice."""

from tests.mutation.broadcast import BROADCAST
from tests.mutation.chunks import CHUNKS
from tests.mutation.cores import CORES
from tests.mutation.emission import EMISSION
from tests.mutation.engine import ENGINE
from tests.mutation.fabric import FABRIC
from tests.mutation.guards import GUARDS
from tests.mutation.host import HOST
from tests.mutation.long_links import LONG_LINKS
from tests.mutation.mutant import NETWORK, Mutant
from tests.mutation.operators import OPERATORS
from tests.mutation.routing import ADAPTIVE, ROUTING
from tests.mutation.schedules import SCHEDULES
from tests.mutation.slots import SLOTS
from tests.mutation.software import SOFTWARE
from tests.mutation.static import STATIC
from tests.mutation.streams import STREAMS
from tests.mutation.survivors import SURVIVORS

__all__ = ["MUTANTS", "Mutant"]


def _unit(path: str) -> tuple[str, ...]:
    """Return a component's own tests, then whole networks."""
    return (f"tests/rtl/{path}", NETWORK)


MUTANTS = (
    Mutant(
        "a credit is lost when one is spent in the same cycle",
        "rtl/parts/credit.py",
        "with m.If(self.credit ^ self.spend):",
        "with m.If(self.credit | self.spend):",
        _unit("parts/test_credit.py"),
    ),
    Mutant(
        "one credit too many after reset",
        "rtl/parts/credit.py",
        "init=self._places - 1)",
        "init=self._places)",
        _unit("parts/test_credit.py"),
    ),
    Mutant(
        "a full buffer still accepts",
        "rtl/router/input_port.py",
        "write.eq(self.push & ~full)",
        "write.eq(self.push)",
        ("tests/rtl/router/test_input_port.py",),
    ),
    Mutant(
        "the credit of a freed place comes a cycle early",
        "rtl/router/input_port.py",
        "            self.credit.eq(self.pop),\n        ]\n",
        "        ]\n        m.d.comb += self.credit.eq(self.pop)\n",
        _unit("router/test_input_port.py"),
    ),
    Mutant(
        "the next packet takes the route of the last",
        "rtl/router/input_port.py",
        "kept.eq(Mux(passes, arriving, Cat(others, *last)))",
        "kept.eq(Mux(passes, arriving, kept))",
        _unit("router/test_input_port.py"),
    ),
    Mutant(
        "two inputs are mixed up in the crossbar",
        "rtl/parts/selector.py",
        "(inner & d) | (~inner & c)",
        "(inner & c) | (~inner & d)",
        ("tests/rtl/parts/test_selector.py",),
    ),
    Mutant(
        "an arbiter that starves: the lowest number always wins",
        "rtl/parts/arbiter.py",
        "first[i, j].eq(~self.sent[i] & (self.sent[j] | first[i, j]))",
        "first[i, j].eq(1)",
        _unit("parts/test_arbiter.py"),
    ),
    Mutant(
        "a router's clock stands while something is under way",
        "rtl/parts/activity.py",
        "Const(1, 1) if rest is None else signal != rest",
        "Const(1, 1) if rest is None else Const(0, 1)",
        ("tests/sim/test_clock_enables.py",),
    ),
    Mutant(
        "a router's clock stands though an arrival comes",
        "rtl/parts/activity.py",
        '("valid", "credit", "arrive", "reset")',
        '("valid", "credit", "reset")',
        ("tests/sim/test_clock_enables.py",),
    ),
    Mutant(
        "round robin does not move on",
        "rtl/parts/arbiter.py",
        "m.d.sync += first[i, j].eq(~self.grant[i:j].any())",
        "m.d.sync += first[i, j].eq(1)",
        _unit("parts/test_arbiter.py"),
    ),
    Mutant(
        "a third word is left out",
        "rtl/parts/gates.py",
        "_join(leaves[i : i + 3], odd)",
        "_join(leaves[i : i + 2], odd)",
        ("tests/rtl/parts/test_combine.py",),
    ),
    *BROADCAST,
    *CORES,
    *ENGINE,
    *FABRIC,
    *OPERATORS,
    *ROUTING,
    *SCHEDULES,
    *SLOTS,
    *SOFTWARE,
    *STATIC,
    *STREAMS,
    *CHUNKS,
    *EMISSION,
    *LONG_LINKS,
    *GUARDS,
    *HOST,
    *ADAPTIVE,
    *SURVIVORS,
)
