"""Links that words of streams share with packets."""

from typing import Any

from amaranth import Cat, Module, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.layout.words import RouterWord
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.streams.guard import place_guards, stream_link
from syncfabric.rtl.streams.link import StreamSignature
from syncfabric.rtl.transport.link import Joined, word_on


def members_of(layout: StreamLayout, links: int) -> dict[str, Any]:
    """Return the members of a part with links that streams share.

    They are ``words_in_0`` .. and ``words_out_0`` .., from and to the plane of streams or a
    process's port, ``faults_in_0`` .. and ``faults_out_0`` .., wires of the links that are not
    packets', and those that :class:`StreamedLinks` has besides.
    """
    words, faults = StreamSignature(layout), stream_link(layout)
    members: dict[str, Any] = {"late": Out(1)}
    if layout.check_bits:
        members |= {"opens": In(layout.channels)}
        members |= {"words_corrupt": Out(2 * links), "words_lost": Out(links)}
    for p in range(links):
        members |= {f"words_in_{p}": Out(words), f"words_out_{p}": In(words)}
        members |= {f"faults_in_{p}": In(faults), f"faults_out_{p}": Out(faults)}
    return members


def streams_of(node: Any, inside: Any, link: int) -> tuple[Any, Any]:
    """Return the ends of a link of streams as a node has it: what comes in, and what goes out.

    They are its own ``streams``; on links of packets those of the part that is inside.
    """
    ends = f"in_{link}", f"out_{link}"
    if hasattr(inside, "late"):
        comes, leaves = (wiring.flipped(getattr(inside, f"words_{end}")) for end in ends)
    else:
        comes, leaves = (getattr(node, end).streams for end in ends)
    return comes, leaves


def join_words(m: Module, part: Any, layout: StreamLayout, links: int) -> None:
    """Hand on the words that come by links, and faults and credits in both directions."""
    guards = [_join(m, part, layout, link) for link in range(links)]
    if layout.check_bits:
        corrupt = [event for pair in guards for event in (guard.corrupt for guard in pair)]
        m.d.comb += part.words_corrupt.eq(Cat(corrupt))
        m.d.comb += part.words_lost.eq(Cat(receiver.lost for receiver, _ in guards))


def _join(m: Module, part: Any, layout: StreamLayout, link: int) -> Any:
    """Join a link to words; with check bits by their guards, which are returned."""
    ends = ("words_in", "words_out", "faults_in", "faults_out", "in", "out")
    words_in, words_out, faults_in, faults_out, comes, leaves = (
        getattr(part, f"{end}_{link}") for end in ends
    )
    if not layout.check_bits:
        m.d.comb += [
            words_in.valid.eq(comes.stream_valid),
            words_in.word.as_value().eq(word_on(comes)),
            words_in.fault.eq(faults_in.fault),
            faults_out.fault.eq(words_out.fault),
            words_out.credit.eq(leaves.stream_credit),
        ]
        return None
    receiver, sender = place_guards(m, layout, link, part.opens)
    wiring.connect(m, receiver.inside, wiring.flipped(words_in))
    m.d.comb += [
        receiver.link.valid.eq(comes.stream_valid),
        receiver.link.word.as_value().eq(word_on(comes)),
        receiver.link.fault.eq(faults_in.fault),
        receiver.link.sent.eq(faults_in.sent),
        faults_in.freed.eq(receiver.link.freed),
        sender.inside.valid.eq(leaves.stream_valid),
        sender.inside.fault.eq(words_out.fault),
        words_out.credit.eq(sender.inside.credit),
        faults_out.fault.eq(sender.link.fault),
        faults_out.sent.eq(sender.link.sent),
        sender.link.freed.eq(faults_out.freed),
    ]
    return receiver, sender


def join_events(m: Module, part: Any, opens: Value, events: dict[RouterWord, list[Any]]) -> None:
    """Join what guards of words must know, and their events, if there are any guards."""
    if hasattr(part, "opens"):
        m.d.comb += part.opens.eq(opens)
        events[RouterWord.CORRUPT].append(total(list(part.words_corrupt)))
        events[RouterWord.LOST].append(total(list(part.words_lost)))


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
    faults_in_0 .. : In, faults_out_0 .. : Out
        Links, beside ``in_0`` and ``out_0`` ..
    late : Out(1)
        A word leaves in place of a flit.
    opens : In(channels), words_corrupt : Out, words_lost : Out
        Only with check bits: channels that are open; events of words' guards, by link.
    """

    def __init__(self, router: Router, engine: Engine, layout: StreamLayout) -> None:
        self._layout = layout
        super().__init__(router, engine, ("none",), **members_of(layout, layout.links))

    def elaborate(self, platform: object) -> Module:
        m = super().elaborate(platform)
        router: Any = self._router
        layout = self._layout
        join_words(m, self, layout, layout.links)
        for p in range(layout.links):
            words_in, words_out = getattr(self, f"words_in_{p}"), getattr(self, f"words_out_{p}")
            valid = words_out.valid
            m.d.comb += [
                getattr(router, f"message_{p}_valid").eq(valid),
                getattr(router, f"message_{p}").eq(Mux(valid.any(), words_out.word, 0)),
            ]
            if not layout.check_bits:
                m.d.comb += getattr(router, f"message_{p}_credit").eq(words_in.credit)
        return m
