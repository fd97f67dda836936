"""A node whose clock stands while it idles does what the same node does with every edge."""

from typing import Any

from amaranth import Cat, EnableInserter, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.shape import NodeShape
from syncfabric.rtl.planes.node import Node
from tests.formal.properties import Properties

WORDS = {"flit": "valid", "message": "valid", "message_rest": "message_valid"}
WORDS |= {"freed_entry": "freed_valid", "freed_epoch": "freed_valid"}
"""Outputs that have a meaning only while another is not 0."""


class ClockProof(wiring.Component):
    """Two nodes with the same inputs, any in any cycle; one has the edges alone that it asks for.

    Parameters
    ----------
    shape : NodeShape
    """

    def __init__(self, shape: NodeShape) -> None:
        self._nodes = Node(shape), Node(shape)
        ports = self._nodes[0].signature.flatten(self._nodes[0])
        self._inputs = {path: len(Value.cast(p)) for path, m, p in ports if m.flow == wiring.In}
        super().__init__({"_".join(map(str, path)): In(n) for path, n in self._inputs.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        nodes: Any = self._nodes
        free, gated = nodes
        m.submodules.free = free
        m.submodules.gated = EnableInserter(gated.clk_en)(gated)
        ends: list[dict[tuple[str | int, ...], Value]] = []
        for node in self._nodes:
            ends.append({path: Value.cast(p) for path, _, p in node.signature.flatten(node)})
            for path in self._inputs:
                m.d.comb += ends[-1][path].eq(getattr(self, "_".join(map(str, path))))
        answer = gated.next
        # Rules of the config chain: no answer is 0.
        claims.assume(answer.answer_valid | (Cat(answer.answer_error, answer.answer_rdata) == 0))
        for path, value in ends[0].items():
            if path in self._inputs:
                continue
            other: Value = ends[1][path]
            shown: Any = 1
            if (valid := WORDS.get(str(path[-1]))) and (*path[:-1], valid) in ends[0]:
                shown = ends[0][*path[:-1], valid].any()
            claims.holds("_".join(map(str, path)), Mux(shown, value == other, 1))
        claims.reached("the clock stands", ~gated.clk_en)
        return m
