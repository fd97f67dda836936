"""What a spill engine accepts next."""

from typing import Any

from amaranth import Cat, Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.arbiter import RoundRobinArbiter

__all__ = ["OperationTurn"]


class OperationTurn(wiring.Component):
    """FETCH first, then REPORT, a config request, the sink's access, the others in turn.

    Combinational, but for the pointer of the round robin. Cycles: docs/microarchitecture.md,
    sections 5, I6 and S7.

    Parameters
    ----------
    links : int
        Ports that messages come by.
    process : bool
        The node's process is a candidate, after the last port.
    sink : bool
        There is a set-up sink.

    Members
    -------
    idle : In(1)
        An operation can be accepted.
    fetch, config : In(1), here : In(links)
        What asks for one.
    local : In(1)
        Only with ``process``: its arrival does.
    report, access : In(1)
        Only with ``sink``.
    fetches, configures, takes_local, reports, makes_access : Out(1), take : Out(links)
        What is accepted: at most one of them; without process or sink theirs are 0.
    accepts : Out(1)
        Something is.
    """

    def __init__(self, links: int, *, process: bool, sink: bool) -> None:
        self._links, self._process, self._sink = links, process, sink
        members: dict[str, Any] = {
            "idle": In(1),
            "fetch": In(1),
            "config": In(1),
            "here": In(links),
            "take": Out(links),
        }
        if process:
            members["local"] = In(1)
        if sink:
            members |= {"report": In(1), "access": In(1)}
        outputs = ("fetches", "reports", "configures", "makes_access", "takes_local", "accepts")
        super().__init__(members | {name: Out(1) for name in outputs})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        waiting = [*self.here, self.local] if self._process else [*self.here]
        m.submodules.choice = choice = RoundRobinArbiter(len(waiting))
        free = self.idle
        stages = [(self.fetch, self.fetches)]
        if self._sink:
            stages.append((self.report, self.reports))
        stages.append((self.config, self.configures))
        if self._sink:
            stages.append((self.access, self.makes_access))
        for asks, accepted in stages:
            m.d.comb += accepted.eq(free & asks)
            free = free & ~asks
        m.d.comb += [
            choice.request.eq(Cat(waiting)),
            choice.advance.eq(free),
            self.take.eq(Mux(free, choice.grant[: self._links], 0)),
            self.accepts.eq(
                Cat(*(accepted for _, accepted in stages), free & choice.request.any()).any()
            ),
        ]
        if self._process:
            m.d.comb += self.takes_local.eq(free & choice.grant[-1])
        return m
