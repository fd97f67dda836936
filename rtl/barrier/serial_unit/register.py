"""What the serial unit keeps of a register in flip-flops: what is looked at all at once."""

from typing import Any

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.messages import struct

__all__ = ["SerialRegister"]


class SerialRegister(wiring.Component):
    """The node port of one register, its GID, and its flags.

    Source: paper BTM, section 2.2; cycles as in docs/microarchitecture.md, section 4.7.

    Parameters
    ----------
    network : MeshSpec
        Layouts and options.

    Members
    -------
    started : In(1)
        Barriers may begin.
    arrive, data, released, result, ready, done
        The node port.
    refused : Out(1)
        An arrive was ignored.
    gid : In(8), match : Out(1)
        A message's, and whether it is this register's.
    hand : In(1)
        The register is at hand.
    takes_own : In(1)
        If so, its own arrival is combined.
    release, told : In(1)
        If so, its barrier is over, and its process is told.
    next_pending : In(1)
        If so, whether it has messages to send after that.
    next_result : In(data_bits)
    rewrite : In(1), control : In(word 0), relay : In(1)
        If it is at hand: its word 0 is being written; the new image.
    valid, member, arrived, waiting, pending : Out(1)
        ``member``: it is valid, and no relay's; ``arrived``: an arrive was accepted, and its
        barrier is not over; ``waiting``: it is not yet combined; ``pending``: there are messages
        to send.
    kept : Out(data_bits)
        The arrival's data.
    """

    def __init__(self, network: MeshSpec) -> None:
        bits = network.data_bits
        members: dict[str, Any] = {
            name: In(1)
            for name in (
                *("started", "arrive", "hand", "takes_own", "release", "told", "rewrite", "relay"),
                "next_pending",
            )
        }
        members |= {
            name: Out(1)
            for name in (
                *("released", "ready", "done", "refused", "match"),
                *("valid", "member", "arrived", "waiting", "pending"),
            )
        }
        members |= {
            "data": In(bits),
            "result": Out(bits),
            "gid": In(8),
            "next_result": In(bits),
            "control": In(struct(CONTROL)),
            "kept": Out(bits),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        gid = Signal(8)
        accepts, rewritten, told = Signal(), Signal(), Signal()
        m.d.comb += [
            self.match.eq(self.valid & (self.gid == gid)),
            self.ready.eq(self.member & self.started),
            rewritten.eq(self.hand & self.rewrite),
            accepts.eq(self.arrive & self.ready & ~self.arrived & ~rewritten),
            self.refused.eq(self.arrive & ~accepts),
            told.eq(self.hand & self.told),
        ]
        m.d.sync += [
            # A relay's process is not told, but never arrives either.
            self.arrived.eq(accepts | (self.arrived & ~told)),
            self.waiting.eq(accepts | (self.waiting & ~(self.hand & self.takes_own))),
            self.done.eq(told | (self.done & ~accepts & ~rewritten)),
            self.released.eq(told),
        ]
        with m.If(accepts):
            m.d.sync += self.kept.eq(self.data)
        with m.If(self.hand):
            m.d.sync += self.pending.eq(self.next_pending)
        with m.If(self.hand & self.release):
            m.d.sync += self.result.eq(self.next_result)
        with m.If(rewritten):
            m.d.sync += [
                self.valid.eq(self.control.valid),
                self.member.eq(self.control.valid & ~self.relay),
                gid.eq(self.control.gid),
            ]
        return m
