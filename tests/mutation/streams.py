"""Mutants of streams, which lock-step and whole networks must notice."""

from tests.mutation.mutant import Mutant

PLANE = ("tests/rtl/streams/test_plane.py", "tests/sim/drive/test_streams.py")
PORT = ("tests/rtl/streams/test_process.py", "tests/sim/drive/test_streams.py")
GUARD = ("tests/rtl/streams/test_guard.py",)
TRAFFIC = ("tests/rtl/streams/test_source.py", "tests/rtl/streams/test_sink.py")
CHECKS = ("tests/sim/drive/test_streams.py",)
PARTS = ("tests/rtl/planes/test_bench.py",)


def _broken(name: str, part: str, old: str, new: str, tests: tuple[str, ...] = PLANE) -> Mutant:
    return Mutant(f"stream: {name}", f"{part}.py", old, new, tests)


STREAMS = (
    _broken(
        "a word of before the reset stands where the zeros are",
        "rtl/streams/buffer",
        "enable |= self.clear",
        "enable |= 0",
    ),
    _broken(
        "a credit is dropped",
        "rtl/streams/buffer",
        "self.credit.eq(self.pop)",
        "self.credit.eq(self.pop & ~self.valid)",
    ),
    _broken(
        "a copy too many",
        "rtl/streams/plane",
        "copied.eq(Mux(self.source_leaves, 0, copied | self.copies))",
        "copied.eq(Mux(self.source_leaves, 0, self.copies))",
    ),
    _broken(
        "the tail to who does not take is late",
        "rtl/streams/plane",
        "with m.If(copied.any() & null & word.head):",
        "with m.If(copied.any() & null & ~word.head):",
    ),
    _broken(
        "the set of takers is that of givers",
        "rtl/streams/plane",
        "write.data.eq(self.takes)",
        "write.data.eq(self.heads)",
    ),
    _broken(
        "what is drained gives no credit",
        "rtl/streams/buffer",
        "self.credit.eq(self.pop)",
        "self.credit.eq(self.pop & self.show)",
    ),
    _broken(
        "a fork that is owed does not go first",
        "rtl/streams/plane",
        "channel.held_back.eq(~join.idle | Cat(other.deferred for _, other in others).any())",
        "channel.held_back.eq(~join.idle)",
    ),
    _broken(
        "ports of another set are copied to",
        "rtl/streams/plane",
        "left.eq(Mux(down, first, self.children) & ~copied)",
        "left.eq(Mux(down, self.children, first) & ~copied)",
    ),
    _broken(
        "the pointer does not go on",
        "rtl/streams/plane",
        "choice.advance.eq(1)]",
        "choice.advance.eq(0)]",
    ),
    _broken(
        "SETUP does not wait",
        "rtl/slots/plane",
        "& idle & self.waits",
        "& idle & 0",
        ("tests/rtl/slots/test_plane.py",),
    ),
    _broken(
        "a fault is not passed on",
        "rtl/streams/plane",
        "(self.faults & (self.children | self.parent)).any()",
        "(self.faults & 0).any()",
    ),
    _broken(
        "a channel is open before GO",
        "rtl/streams/plane",
        "(opened | self.starts)",
        "1",
    ),
    _broken(
        "all children are waited for, whether they give or not",
        "rtl/streams/plane",
        "self.inputs.eq(Mux(self.up, gives, self.children))",
        "self.inputs.eq(self.children)",
    ),
    _broken(
        "a packet is not ended with its group",
        "rtl/streams/process",
        "cut.eq(kept | (within & ~opens))",
        "cut.eq(kept & within & ~opens)",
        PORT,
    ),
    _broken(
        "a packet of the last group goes on in the next one",
        "rtl/streams/process",
        "m.d.sync += drops[c].eq(1)",
        "m.d.sync += drops[c].eq(0)",
        PORT,
    ),
    _broken(
        "bytes that do not count are sent",
        "rtl/streams/process",
        "Mux(whole | kept[byte], data, 0)",
        "data",
        PORT,
    ),
    _broken(
        "a fault from above is not one",
        "rtl/streams/plane",
        "(self.faults & (self.children | self.parent)).any()",
        "(self.faults & self.children).any()",
    ),
    _broken(
        "a loss that a process sees stays there",
        "rtl/streams/process",
        "link.fault.eq(self.receive.fault)",
        "link.fault.eq(0)",
        PORT,
    ),
    _broken(
        "what a failed join was to be is in the head that it sends",
        "rtl/streams/join",
        "last.clear.eq(line[-2].head | line[-2].void),",
        "last.clear.eq(line[-2].head),",
    ),
    _broken(
        "a word on guarded links of packets is counted a cycle early",
        "rtl/transport/streamed",
        "sender.inside.valid.eq(leaves.stream_valid),",
        "sender.inside.valid.eq(words_out.valid),",
        CHECKS,
    ),
    _broken(
        "faults of channels among packets have no check bits",
        "rtl/streams/guard",
        "return self._check(Cat(link.fault, counts))",
        "return self._check(counts)",
        GUARD,
    ),
    _broken(
        "a guard hands on what is wrong",
        "rtl/streams/guard",
        "right.eq(self._forward_check(link, counts) == link.sent[self._all :])",
        "right.eq(1)",
        GUARD,
    ),
    _broken(
        "a guard hands on words behind a loss",
        "rtl/streams/guard",
        "passes[c].eq(right & follows & valid[c] & ~failed[c])",
        "passes[c].eq(right & follows & valid[c])",
        GUARD,
    ),
    _broken(
        "a guard hands on the word of the cycle in which a loss shows",
        "rtl/streams/guard",
        "passes[c].eq(right & follows & valid[c] & ~failed[c])",
        "passes[c].eq(right & valid[c] & ~failed[c])",
        GUARD,
    ),
    _broken(
        "places of lost words do not come back",
        "rtl/streams/guard",
        "now + count - got - passes[c]",
        "now",
        GUARD,
    ),
    _broken(
        "a guard believes a wrong count of places",
        "rtl/streams/guard",
        "inside.credit[c].eq(right & ",
        "inside.credit[c].eq(1 & ",
        GUARD,
    ),
    _broken(
        "wires that are all 0 are right",
        "rtl/streams/guard",
        "return ~check_of(",
        "return check_of(",
        GUARD,
    ),
    _broken(
        "a silent link fails nothing",
        "rtl/streams/guard",
        "failed | lost | silent.replicate(len(channels))",
        "failed | lost",
        GUARD,
    ),
    _broken(
        "a failure outlasts its group",
        "rtl/streams/guard",
        "failed.eq(self.opens & (",
        "failed.eq(1 & (",
        GUARD,
    ),
    _broken(
        "each part of a wide word is checked as the first",
        "rtl/streams/guard",
        "word[at : at + CHECKED_BITS] for",
        "word[:CHECKED_BITS] for",
        GUARD,
    ),
    _broken(
        "a wrong word is counted in each cycle",
        "rtl/streams/guard",
        "self.corrupt.eq(~right & (wrong == 0))",
        "self.corrupt.eq(~right)",
        GUARD,
    ),
    _broken(
        "a source's beat changes while it waits",
        "rtl/streams/traffic",
        "kept.eq(beat.tvalid & ~beat.tready)",
        "kept.eq(0)",
        TRAFFIC,
    ),
    _broken(
        "a sink's checksum is that of the last beat",
        "rtl/streams/traffic",
        "checksum.eq(checksum.rotate_left(1) ^ check)",
        "checksum.eq(check)",
        TRAFFIC,
    ),
    _broken(
        "a designer's unit has its operands the other way round",
        "rtl/streams/join",
        "i_a=part.offload_a,",
        "i_a=part.offload_b,",
    ),
    _broken(
        "a designer's unit does not know the function",
        "rtl/streams/join",
        "i_op=part.offload_function,",
        "i_op=0,",
    ),
    _broken(
        "a designer's unit is waited for a cycle too few",
        "models/layout/streams",
        'LATENCY["offload"] + self.offload_latency}',
        "self.offload_latency}",
    ),
    _broken(
        "a model may return more than a word",
        "models/layout/offload",
        "if not word >> bits:",
        "if word >= 0:",
        ("tests/models/layout/test_offload.py",),
    ),
    _broken(
        "a model is run when it is read",
        "models/layout/offload",
        "found.verilog, found.source  #",
        "found.verilog, found.function  #",
        ("tests/models/layout/test_offload.py",),
    ),
    _broken(
        "data of results are not looked at",
        "sim/drive/stream_check",
        '("last", "keep", "data")',
        '("last", "keep")',
        CHECKS,
    ),
    _broken(
        "a group that lives may end packets",
        "sim/drive/stream_check",
        "if not member.dying or not member.coming:",
        "if not member.coming:",
        CHECKS,
    ),
    _broken(
        "pauses have no gap between them",
        "rtl/streams/pauses",
        "begins = late & ~past[:_BETWEEN].any()",
        "begins = late",
    ),
    _broken(
        "copies take the place of a flit in a pause",
        "rtl/streams/pauses",
        "Mux(self.joins, target, 0) | Mux(self.forks, ~target, 0)",
        "Mux(self.joins, target, 0)",
    ),
    _broken(
        "a process makes no pauses",
        "rtl/streams/process",
        "available &= ~pauses.joins",
        "available &= 1",
        PORT,
    ),
    _broken(
        "a flit without a credit is late",
        "rtl/router/router",
        "message & ~without & arbiter.request.any()",
        "message & arbiter.request.any()",
        PARTS,
    ),
    _broken(
        "a word that is not valid is on the wires of flits",
        "rtl/transport/streamed",
        "Mux(valid.any(), words_out.word, 0)",
        "words_out.word",
        CHECKS,
    ),
    _broken(
        "flits that an interface holds are not late",
        "rtl/planes/interface",
        "wants.append(hold.waits)",
        "wants.append(Const(0, 1))",
        CHECKS,
    ),
)
