"""One operation at a time on the memory of spilled groups, three cycles each."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import (
    RegisterSpec,
)
from syncfabric.rtl.barrier.ports import SpillArriveSignature
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.gid_queue import GidQueue
from syncfabric.rtl.setup.access import AccessSignature
from syncfabric.rtl.spill.entries import EntryMemory
from syncfabric.rtl.spill.turn import OperationTurn

__all__ = ["SpillOperations", "asking_ports"]

_REQUEST = {"gid": 8, "word": 3, "write": 1, "data": 32}


def asking_ports(network: RegisterSpec, links: int, *, process: bool, sink: bool) -> dict[str, Any]:
    """Return the ports by which an engine is asked, and answers, but for the messages' contents.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Layouts.
    links : int
        Ports that messages come by.
    process, sink : bool
        There are a node's process, and a set-up sink.
    """
    ports: dict[str, Any] = {"here": In(links), "take": Out(links), "config_valid": In(1)}
    ports |= {f"config_{name}": In(width) for name, width in _REQUEST.items()}
    ports |= {"config_ready": Out(1), "config_error": Out(1), "config_rdata": Out(32)}
    if process:
        ports["arrive"] = In(SpillArriveSignature(network))
    if sink:
        ports["access"] = In(AccessSignature())
    return ports


class SpillOperations(wiring.Component):
    """Accepts what asks, in turn; reads the entry in the next cycle; there it is in the third.

    What is written back in the third cycle can be seen by the next operation, which can be
    accepted in the cycle after. Nothing is ever evicted and what is to be sent waits in a queue of
    GIDs that cannot overflow, so accepting a message depends on this engine alone.
    Cycles: docs/microarchitecture.md, sections 5, I6 and S7.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Layouts.
    links : int
        Ports that messages come by.
    entry, heard : StructLayout
        What an entry holds; what comes by a port, ``message`` among it.
    process, sink : bool
        There are a node's process, and a set-up sink.

    Members
    -------
    here : In(links), heard_0 .. : In(heard), take : Out(links)
        Messages for the engine by port, and the one that is accepted.
    config_valid, config_gid, config_word, config_write, config_data : In
        A config request, kept until it is accepted.
    config_ready, config_error, config_rdata : Out
        Its answer, in the cycle after the third.
    arrive : In(SpillArriveSignature)
        Only with a process: its arrival, kept likewise.
    access : In(AccessSignature)
        Only with a sink: its access, answered likewise.
    send_empty : In(1)
        The send register holds nothing.
    report_ready : In(1), takes_report : Out(1), report_gid : In(8)
        Only with a sink: there is a group to be reported; it is accepted; which, in the next cycle.
    gid : Out(8), entry : Out(entry)
        In the third cycle: whose entry, and what it holds.
    fetches, reports, configures, hears, comes : Out(1)
        High in that cycle: what the operation is; the last two are a message and an arrival.
    port : Out(links), heard : Out(heard), last : Out(1)
        The message, and its port; of an arrival the message's ``data`` and ``last`` alone.
    word : Out(3), write : Out(1), value : Out(32), refused : In(1), contents : In(32)
        The request that is served, or the access; the answer.
    after : In(entry), queue : In(1)
        What the entry is to hold, and whether it goes to the end of the queue.
    """

    def __init__(
        self,
        network: RegisterSpec,
        links: int,
        entry: data.StructLayout,
        heard: data.StructLayout,
        *,
        process: bool,
        sink: bool,
    ) -> None:
        self._links, self._entry, self._heard = links, entry, heard
        self._process, self._sink, self._managed = process, sink, network.managed
        kinds = ("fetches", "reports", "configures", "hears", "comes", "last")
        members = asking_ports(network, links, process=process, sink=sink) | {
            "send_empty": In(1),
            "gid": Out(8),
            "entry": Out(entry),
            **{name: Out(1) for name in kinds},
            "port": Out(links),
            "heard": Out(heard),
            "word": Out(3),
            "write": Out(1),
            "value": Out(32),
            "refused": In(1),
            "contents": In(32),
            "after": In(entry),
            "queue": In(1),
        }
        members |= {f"heard_{p}": In(heard) for p in range(links)}
        if sink:
            members |= {"report_ready": In(1), "takes_report": Out(1), "report_gid": In(8)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.turn = turn = OperationTurn(
            self._links, process=self._process, sink=self._sink
        )
        m.submodules.queue = queue = GidQueue()
        m.submodules.entries = entries = EntryMemory(self._entry)
        own = Signal()
        config_gid = self._keep_request(m, turn, own)

        # The first cycle.
        idle, reading, merging = Signal(init=1), Signal(), Signal()
        m.d.sync += [
            idle.eq((idle & ~turn.accepts) | merging),
            reading.eq(turn.accepts),
            merging.eq(reading),
        ]
        m.d.comb += [
            turn.idle.eq(idle),
            turn.fetch.eq(queue.some & self.send_empty),
            turn.here.eq(self.here),
            self.take.eq(turn.take),
            queue.pop.eq(turn.fetches),
            queue.push.eq(self.queue),
            queue.gid.eq(self.gid),
        ]
        words = [getattr(self, f"heard_{p}").as_value() for p in range(self._links)]
        chosen = self._heard(either([Mux(turn.take[p], word, 0) for p, word in enumerate(words)]))
        gid = Mux(turn.configures, config_gid, chosen.message.gid)
        is_fetch, is_report, is_config, is_local = Signal(), Signal(), Signal(), Signal()
        configures: Value = turn.configures
        asked: Value = Mux(is_fetch, queue.oldest, self.gid)
        if self._sink:
            configures = turn.configures | turn.makes_access
            gid = Mux(turn.makes_access, self.access.address[3:11], gid)
            asked = Mux(is_report, self.report_gid, asked)
            m.d.comb += [
                turn.report.eq(self.report_ready),
                turn.access.eq(self.access.request),
                self.takes_report.eq(turn.reports),
                self.access.granted.eq(turn.makes_access),
            ]
        if self._process:
            arrival = self._keep_arrival(m, turn)
            gid = Mux(turn.takes_local, arrival.gid, gid)
        with m.If(turn.accepts):
            m.d.sync += [
                is_fetch.eq(turn.fetches),
                is_report.eq(turn.reports),
                is_config.eq(configures),
                is_local.eq(turn.takes_local),
                own.eq(turn.makes_access),
                self.gid.eq(gid),
                self.port.eq(turn.take),
                self.heard.eq(chosen),
            ]
            if self._process:
                with m.If(turn.takes_local):
                    m.d.sync += self.heard.message.data.eq(arrival.data)

        # The second and the third.
        with m.If(reading & (is_fetch | is_report)):
            m.d.sync += self.gid.eq(asked)
        m.d.comb += [
            entries.read.eq(reading),
            entries.asked.eq(asked),
            entries.gid.eq(self.gid),
            entries.write.eq(merging),
            entries.after.eq(self.after),
            self.entry.eq(entries.entry),
            self.fetches.eq(merging & is_fetch),
            self.reports.eq(merging & is_report),
            self.configures.eq(merging & is_config),
            self.comes.eq(merging & is_local),
            self.hears.eq(merging & ~Cat(is_fetch, is_report, is_config, is_local).any()),
        ]
        return m

    def _keep_request(self, m: Module, turn: OperationTurn, own: Value) -> Value:
        """Keep a config request until it is accepted, and answer; return whose entry it is about.

        ``own`` says in the later cycles that it is an access of the sink.
        """
        held = Signal()
        kept = {name: Signal(width, name=f"config_{name}") for name, width in _REQUEST.items()}
        with m.If(self.config_valid):
            m.d.sync += held.eq(1)
            m.d.sync += [word.eq(getattr(self, f"config_{name}")) for name, word in kept.items()]
        with m.If(turn.configures):
            m.d.sync += held.eq(0)
        word, write, value = kept["word"], kept["write"], kept["data"]
        if self._sink:
            access = self.access
            word = Mux(own, access.address[:3], word)
            write, value = Mux(own, access.write, write), Mux(own, access.data, value)
        m.d.comb += [
            turn.config.eq(held | self.config_valid),
            self.word.eq(word),
            self.write.eq(write),
            self.value.eq(value),
        ]
        ready, error, contents = Signal(), Signal(), Signal(32)
        m.d.sync += [
            ready.eq(self.configures),
            error.eq(self.configures & self.refused),
            contents.eq(Mux(self.configures & ~self.write, self.contents, 0)),
        ]
        outside: Value = Const(1)
        if self._sink:
            # What is accepted in the cycle of the answer changes `own` after it.
            outside = ~own
            m.d.comb += [
                self.access.ready.eq(ready & own),
                self.access.error.eq(error & own),
                self.access.rdata.eq(Mux(own, contents, 0)),
            ]
        m.d.comb += [
            self.config_ready.eq(ready & outside),
            self.config_error.eq(error & outside),
            self.config_rdata.eq(Mux(outside, contents, 0)),
        ]
        return Mux(self.config_valid, self.config_gid, kept["gid"])

    def _keep_arrival(self, m: Module, turn: OperationTurn) -> Any:
        """Keep the process's arrival until it is accepted; return it."""
        arrive, held = self.arrive, Signal()
        fields = {"gid": 8, "data": len(arrive.data), "last": 1}
        kept = Signal(data.StructLayout(fields), name="arrival")
        m.d.comb += [arrive.ready.eq(~held), turn.local.eq(held)]
        with m.If(arrive.valid & arrive.ready):
            m.d.sync += [held.eq(1), kept.gid.eq(arrive.gid), kept.data.eq(arrive.data)]
            if self._managed:
                m.d.sync += kept.last.eq(arrive.last)
        with m.If(turn.takes_local):
            m.d.sync += [held.eq(0), self.last.eq(kept.last)]
        return kept
