"""What a barrier register of an irregular network is told: its control and tree words."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    COMMAND_WORD,
    CONTROL,
    MOST_PORTS,
    TREE,
    Command,
    SwitchWord,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.messages import struct

__all__ = ["RegisterImage", "read_word", "tree_word", "writable"]


def writable(network: IrregularSpec) -> list[int]:
    """Return the words of a register that can be written."""
    words = [int(SwitchWord.CONTROL), int(SwitchWord.TREE)]
    return [*words, COMMAND_WORD] if network.managed else words


def read_word(word: Value, image: tuple[Value, Value, Value], state: dict[int, Value]) -> Value:
    """Return the contents of a register's word; what does not exist reads 0.

    Parameters
    ----------
    word : Value
        Its number.
    image : tuple of Value
        Control word, parent and children.
    state : dict of int to Value
        The words ARRIVED, PENDING and RESULT.
    """
    control, parent, children = image
    contents = {SwitchWord.CONTROL: control, SwitchWord.TREE: tree_word(parent, children), **state}
    return Array(contents.get(number, 0) for number in range(8))[word]


def tree_word(parent: Value, children: Value) -> Value:
    """Return the config word that shows where parent and children are."""
    return Cat(parent, Const(0, 4 - len(parent)), children, Const(0, MOST_PORTS - len(children)))


class RegisterImage(wiring.Component):
    """Takes the writes of a register's config words, or refuses them.

    Source: paper BTIN, Fig. 4 (GID, parent port, children bits).

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.
    ports : int
        Ports of the switch or node interface.

    Members
    -------
    write : In, data : In(32), refused : Out(1)
        Writes of the words that `writable` lists.
    busy : In(1)
        An episode is under way.
    tripped : In(1)
        The watchdog has ended it: it is no obstacle to the control word.
    disturbed : In(1)
        A message or an arrive is here: the control word must stay as it is in this cycle.
    control, parent, children : Out
        The image.
    towards_parent : Out(ports)
        The parent's port as a bit, a cycle after it was written: the valid bit comes later.
    written, rewritten : Out(1)
        The control word is being written; was written in the cycle before.
    clear : In(1)
        The register is to be invalid from the next cycle on.
    command_go, command_kill : Out(1)
        Only with set-up by managers: a command that is not refused.
    """

    def __init__(self, network: IrregularSpec, ports: int) -> None:
        self._managed = network.managed
        members: dict[str, Any] = {
            "write": In(len(writable(network))),
            "data": In(32),
            "refused": Out(1),
            "busy": In(1),
            "tripped": In(1),
            "disturbed": In(1),
            "control": Out(struct(CONTROL)),
            "parent": Out(range(ports)),
            "children": Out(ports),
            "towards_parent": Out(ports),
            "written": Out(1),
            "rewritten": Out(1),
        }
        if self._managed:
            members |= {
                "clear": In(1),
                "command_go": Out(1),
                "command_kill": Out(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        control = self.control
        refuses = (self.busy & ~self.tripped) | self.disturbed
        m.d.comb += self.written.eq(self.write[0] & ~refuses)
        m.d.sync += [self.rewritten.eq(self.written), self.towards_parent.eq(1 << self.parent)]
        refused = Mux(self.write[0], refuses, self.write[1] & control.valid)
        with m.If(self.written):
            m.d.sync += [control.eq(self.data[: CONTROL.width]), control.turn.eq(0)]
        with m.If(self.write[1] & ~control.valid):
            tree = struct(TREE)(self.data[: TREE.width])
            m.d.sync += [self.parent.eq(tree.parent), self.children.eq(tree.children)]
        if self._managed:
            command, given = self.write[2], self.data[:2]
            higher = self.data[2:].any()
            m.d.comb += [
                self.command_go.eq(
                    command & ~higher & (given == Command.GO) & control.valid & ~self.busy
                ),
                self.command_kill.eq(command & ~higher & (given == Command.KILL) & control.valid),
            ]
            refused = refused | (command & ~self.command_go & ~self.command_kill)
            with m.If(self.clear):
                m.d.sync += control.valid.eq(0)
        m.d.comb += self.refused.eq(refused)
        return m
