"""Links that words of streams share with packets."""

from typing import Any

from amaranth import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.streams.link import FaultSignature, StreamSignature
from syncfabric.rtl.transport.link import Joined, word_on

__all__ = ["StreamedLinks", "members_of", "receive", "streams_of"]


def members_of(layout: StreamLayout, links: int) -> dict[str, Any]:
    """Return the members of a part with links that streams share.

    They are ``words_in_0`` .. and ``words_out_0`` .., from and to the plane of streams or a
    process's port, ``faults_in_0`` .. and ``faults_out_0`` .., wires of the links that are not
    packets', and ``late``: a word leaves in place of a flit.
    """
    words, faults = StreamSignature(layout), FaultSignature(layout)
    members: dict[str, Any] = {"late": Out(1)}
    for p in range(links):
        members |= {f"words_in_{p}": Out(words), f"words_out_{p}": In(words)}
        members |= {f"faults_in_{p}": In(faults), f"faults_out_{p}": Out(faults)}
    return members


def streams_of(node: Any, inside: Any, link: int) -> tuple[Any, Any]:
    """Return the ends of a link of streams as a node has it: what comes in, and what goes out.

    They are its own ``streams``; on links of packets those of the part that is inside.
    """
    ways = f"in_{link}", f"out_{link}"
    if hasattr(inside, "late"):
        comes, leaves = (wiring.flipped(getattr(inside, f"words_{way}")) for way in ways)
    else:
        comes, leaves = (getattr(node, way).streams for way in ways)
    return comes, leaves


def receive(m: Module, part: Any, link: int) -> None:
    """Hand on the words that come by a link, and faults and credits both ways."""
    ends = ("words_in", "words_out", "faults_in", "faults_out", "in", "out")
    words_in, words_out, faults_in, faults_out, comes, leaves = (
        getattr(part, f"{end}_{link}") for end in ends
    )
    m.d.comb += [
        words_in.valid.eq(comes.stream_valid),
        words_in.word.as_value().eq(word_on(comes)),
        words_in.fault.eq(faults_in.fault),
        faults_out.fault.eq(words_out.fault),
        words_out.credit.eq(leaves.stream_credit),
    ]


class StreamedLinks(Joined):
    """Words of streams leave by the outputs of the router, before flits.

    Messages have links of their own. Rules: docs/microarchitecture-streams.md, V13.

    Parameters
    ----------
    router : Router
        With words of streams as messages on the ports that are the engine's links.
    engine : Engine
    layout : StreamLayout

    Members
    -------
    words_in_0 .. : Out(StreamSignature), words_out_0 .. : In(StreamSignature)
        From and to the plane of streams.
    faults_in_0 .. : In(FaultSignature), faults_out_0 .. : Out(FaultSignature)
        Links, beside ``in_0`` and ``out_0`` ..
    late : Out(1)
        A word leaves in place of a flit.
    """

    def __init__(self, router: Router, engine: Engine, layout: StreamLayout) -> None:
        self._links = layout.links
        super().__init__(router, engine, ("none",), **members_of(layout, layout.links))

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        router: Any = self._router
        for p in range(self._links):
            receive(m, self, p)
            words_in, words_out = getattr(self, f"words_in_{p}"), getattr(self, f"words_out_{p}")
            valid = words_out.valid
            m.d.comb += [
                getattr(router, f"message_{p}_valid").eq(valid),
                getattr(router, f"message_{p}").eq(Mux(valid.any(), words_out.word, 0)),
                getattr(router, f"message_{p}_credit").eq(words_in.credit),
            ]
        return m
