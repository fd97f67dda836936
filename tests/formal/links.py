"""Around a router: senders that keep their credits, receivers, and one flit that is watched."""

from collections.abc import Sequence
from typing import Any

from amaranth import Array, Cat, Module, Signal
from amaranth.lib.wiring import In

from tests.formal.properties import Properties


class Sender:
    """What ends in an input: whole packets, never more flits in flight than places.

    Parameters
    ----------
    m, properties
        Of the wrapper.
    name : str
        Of the link.
    link : FlitSignature
        As the router has it.
    places : int
        Of the router's buffer.

    Attributes
    ----------
    under_way : list of Signal
        Flits of each channel whose credit has not come back.
    """

    def __init__(
        self, m: Module, properties: Properties, name: str, link: Any, places: int
    ) -> None:
        channels = range(len(link.valid))
        self.under_way = [Signal(range(places + 1), name=f"{name}_{c}_way") for c in channels]
        self.inside = [Signal(name=f"{name}_{c}_inside") for c in channels]
        properties.assume((link.valid & (link.valid - 1)) == 0)
        for c in channels:
            count, inside = self.under_way[c], self.inside[c]
            properties.assume(~link.valid[c] | (count != places))
            properties.assume(~link.valid[c] | (link.flit.head == ~inside))
            m.d.sync += count.eq(count + link.valid[c] - link.credit[c])
            with m.If(link.valid[c]):
                m.d.sync += inside.eq(~link.flit.tail)


class Receiver:
    """What an output leads to: it frees its places as it likes.

    Attributes
    ----------
    under_way : list of Signal
        Flits of each channel whose credit has not been given back, with this cycle's.
    inside : list of Signal
        The last flit was no tail.
    """

    def __init__(
        self, m: Module, properties: Properties, name: str, link: Any, places: int
    ) -> None:
        channels = range(len(link.valid))
        # One more than there should be, for a claim to see.
        self.under_way = [Signal(range(places + 2), name=f"{name}_{c}_way") for c in channels]
        self.inside = [Signal(name=f"{name}_{c}_inside") for c in channels]
        for c in channels:
            kept = Signal(range(places + 2), name=f"{name}_{c}_kept")
            m.d.comb += self.under_way[c].eq(kept + link.valid[c])
            m.d.sync += kept.eq(self.under_way[c] - link.credit[c])
            properties.assume(~link.credit[c] | (kept != 0))
            with m.If(link.valid[c]):
                m.d.sync += self.inside[c].eq(~link.flit.tail)


def watch_ports(inputs: int, channels: int) -> dict[str, Any]:
    """Return the ports that a watch needs, all free."""
    return {"mark": In(1), "which_input": In(range(inputs)), "which_channel": In(range(channels))}


class Watch:
    """One flit of one input, any, that bears a mark in its payload which no other flit has.

    Parameters
    ----------
    m, properties, wrapper
        The wrapper has `watch_ports`.
    links : sequence of FlitSignature
        The inputs.
    senders : sequence of Sender
    bit : int
        Of the payload: the mark.

    Attributes
    ----------
    comes : Signal
        The flit is on its link.
    leaves : Signal
        The credit of its place is on the link: it has left a cycle ago.
    """

    def __init__(
        self,
        m: Module,
        properties: Properties,
        wrapper: Any,
        links: Sequence[Any],
        senders: Sequence[Sender],
        bit: int,
    ) -> None:
        channels = len(links[0].valid)
        self.where = where = properties.constant("where", wrapper.which_input)
        self.channel = channel = properties.constant("channel", wrapper.which_channel)
        properties.assume(where < len(links), channel < channels)
        ours = [
            link.valid[c] & (where == i) & (channel == c)
            for i, link in enumerate(links)
            for c in range(channels)
        ]
        freed = [
            link.credit[c] & (where == i) & (channel == c)
            for i, link in enumerate(links)
            for c in range(channels)
        ]
        counts = Array(count for sender in senders for count in sender.under_way)
        ahead = counts[where * channels + channel]
        self.comes, self.leaves, been = Signal(), Signal(), Signal()
        self.position = position = Signal.like(senders[0].under_way[0])
        credit = Cat(freed).any()
        m.d.comb += [
            self.comes.eq(wrapper.mark & ~been & Cat(ours).any()),
            self.leaves.eq(credit & (position == 1)),
        ]
        for link in links:
            for c in range(channels):
                mine = self.comes & (where == links.index(link)) & (channel == c)
                properties.assume(~link.valid[c] | (link.flit.payload[bit] == mine))
        with m.If(self.comes):
            m.d.sync += [been.eq(1), position.eq(ahead + 1 - credit)]
        with m.Elif(credit & (position != 0)):
            m.d.sync += position.eq(position - 1)
