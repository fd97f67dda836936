"""Ways to break the barrier unit that works on one register a cycle."""

from tests.mutation.mutant import NETWORK, Mutant

__all__ = ["SERIAL_UNIT"]

_FOLDER = "rtl/barrier/serial_unit"
_TESTS = ("tests/rtl/barrier/test_serial_unit.py", NETWORK)
_SLOTS = ("tests/rtl/mesh/test_ready_slots.py", NETWORK)

SERIAL_UNIT = (
    Mutant(
        "serial unit: a round never ends",
        f"{_FOLDER}/rounds.py",
        "ends.eq(~self.stops & ~asks.any())",
        "ends.eq(0)",
        _TESTS,
    ),
    Mutant(
        "serial unit: a round ends while the config port has its turn",
        f"{_FOLDER}/rounds.py",
        "~self.stops & ~asks.any()",
        "~asks.any()",
        _TESTS,
    ),
    Mutant(
        "serial unit: letters are filled in another's turn",
        f"{_FOLDER}/unit.py",
        "acts & (~turn.holds | ours_turn)",
        "acts",
        _TESTS,
    ),
    Mutant(
        "serial unit: a turn never goes on from who waits",
        f"{_FOLDER}/turn.py",
        "(~self.holds | (stays == _LAST_STAY))",
        "~self.holds",
        _TESTS,
    ),
    Mutant(
        "serial unit: a letter that waits is written over",
        f"{_FOLDER}/hand.py",
        "self.may_send & ~(wanted & self.occupied).any()",
        "self.may_send",
        _TESTS,
    ),
    Mutant(
        "serial unit: who comes twice is combined twice",
        f"{_FOLDER}/hand.py",
        "(self.port & missing).any()",
        "(self.port & self.present).any()",
        _TESTS,
    ),
    Mutant(
        "serial unit: a register fires without its own arrival",
        f"{_FOLDER}/hand.py",
        "(self.reduces & (self.local | self.relay))",
        "self.reduces",
        _TESTS,
    ),
    Mutant(
        "serial unit: an answer by another port than the parent's counts",
        f"{_FOLDER}/unit.py",
        "& (port & seen.up_port).any()",
        "& port.any()",
        _TESTS,
    ),
    Mutant(
        "serial unit: an arrive is accepted while word 0 is written",
        f"{_FOLDER}/register.py",
        "self.arrive & self.ready & ~self.arrived & ~rewritten",
        "self.arrive & self.ready & ~self.arrived",
        _TESTS,
    ),
    Mutant(
        "serial unit: a message and a config request meet",
        f"{_FOLDER}/requests.py",
        "stops.eq(asks | asked[0])",
        "stops.eq(asks)",
        _TESTS,
    ),
    Mutant(
        "serial unit: the parent's message takes a child's place",
        f"{_FOLDER}/hand.py",
        "self.ups.eq(~down)",
        "self.ups.eq(0)",
        _TESTS,
    ),
    Mutant(
        "serial unit: a message asks for an output without a credit",
        "rtl/mesh/ready_slots.py",
        "kept[i] & self.has_credit[2 * o + turn]",
        "kept[i]",
        _SLOTS,
    ),
    Mutant(
        "serial unit: a message is presented a cycle after the one in which it could be sent",
        "rtl/mesh/ready_slots.py",
        "soon = self.has_credit | self.credit",
        "soon = self.has_credit",
        _SLOTS,
    ),
    Mutant(
        "serial unit: a message waits for its credit before it is presented",
        "rtl/mesh/ready_slots.py",
        "self.push[turn] | (stays[turn] & Cat(may).any())",
        "(self.push[turn] | stays[turn]) & Cat(may).any()",
        _SLOTS,
    ),
    Mutant(
        "serial unit: a message for here is presented again and again in vain",
        "rtl/mesh/ready_slots.py",
        "may.append(here & ~self.hold)",
        "may.append(here)",
        _SLOTS,
    ),
    Mutant(
        "serial unit: an input never presents its second class while the first waits",
        "rtl/mesh/ready_slots.py",
        "last.eq(taken)",
        "last.eq(1)",
        _SLOTS,
    ),
)
