"""Registers as a set-up sink meets them: what they keep, and what they refuse."""

from amaranth import Array, Module, Mux, Signal, Value
from amaranth.lib import data

from syncfabric.models.messages import COMMAND_WORD, CONTROL, Command, SwitchWord
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.access import AccessSignature
from syncfabric.rtl.setup.format import SetupFormat, setup_format
from tests.formal.properties import Properties
from tests.formal.tree_register import network_of

__all__ = ["MANAGERS", "REGISTERS", "SinkRegisters", "sink_form"]

REGISTERS, MANAGERS = 2, 2


def sink_form() -> SetupFormat:
    """Return the format of a switch of three ports, two registers and two managers."""
    network = network_of(ports=3, setup="manager", barrier_registers=REGISTERS, flit_bits=32)
    return setup_format(network, ((0, 1), (1, 1)))


class SinkRegisters:
    """Registers behind an access, as I4 and S1 have them: what they keep, and what they refuse.

    Attributes
    ----------
    all : list of View
        Their images.
    target : View
        That which the access is to.
    sets, grows, ends, goes, changes : Signal
        In this cycle a register is set up; its tree is written; it is cleared or killed; told GO;
        any of these: and it is not refused.
    """

    def __init__(
        self, m: Module, claims: Properties, access: AccessSignature, granted: Value, free: Value
    ) -> None:
        dies, busy = free[:REGISTERS], free[REGISTERS:]
        image = data.StructLayout({"control": struct(CONTROL), "tree": sink_form().image_bits})
        # One is another manager's from the beginning, so that runs are short.
        begins = {"control": {"valid": 1, "gid": 5, "manager": 1}}
        self.all = [
            Signal(image, name=f"register_{r}", init=begins if r == 0 else None)
            for r in range(REGISTERS)
        ]
        self.target = target = Signal(image)
        word, number = access.address[:3], access.address[3:]
        makes, refused, is_busy = Signal(), Signal(), Signal()
        self.sets, self.grows, self.ends, self.goes, self.changes = (
            Signal(name=name) for name in ("sets", "grows", "ends", "goes", "changes")
        )
        is_control, is_tree, is_command = (
            word == name for name in (SwitchWord.CONTROL, SwitchWord.TREE, COMMAND_WORD)
        )
        told_go = is_command & (access.data == Command.GO)
        m.d.comb += [
            target.eq(Array(self.all)[number[0]]),
            makes.eq(access.request & granted),
            is_busy.eq(busy.bit_select(number[0], 1) & target.control.valid),
            refused.eq(
                (is_control & is_busy)
                | (is_tree & target.control.valid)
                | (is_command & (~target.control.valid | (told_go & is_busy)))
            ),
            self.changes.eq(makes & access.write & ~refused),
            self.sets.eq(self.changes & is_control & access.data[0]),
            self.grows.eq(self.changes & is_tree),
            self.goes.eq(self.changes & told_go),
            self.ends.eq(self.changes & ((is_control & ~access.data[0]) | (is_command & ~told_go))),
            access.granted.eq(makes),
        ]
        for r, register in enumerate(self.all):
            mine = self.changes & (number == r)
            with m.If(mine & is_tree):
                m.d.sync += register.tree.eq(access.data)
            with m.If(mine & is_control):
                m.d.sync += register.control.eq(access.data)
            with m.Elif(dies[r]):
                m.d.sync += register.control.valid.eq(0)
        contents = Mux(is_control, target.control.as_value(), Mux(is_tree, target.tree, is_busy))
        made = claims.before("makes", makes)
        m.d.comb += [
            access.ready.eq(made),
            access.error.eq(made & claims.before("refused", access.write & refused)),
            access.rdata.eq(Mux(made, claims.before("contents", contents), 0)),
        ]
