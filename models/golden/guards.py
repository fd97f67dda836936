"""All guarded links of a network, and the faults between their guards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.channel import HEAD, TAIL, Flit
from syncfabric.models.golden.fences import Fences
from syncfabric.models.golden.guarded_link import GuardedLink, Load, Passed, Surroundings
from syncfabric.models.golden.link_faults import LinkFaults
from syncfabric.models.golden.link_form import LinkForm, Wires
from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.golden.receiver_guard import Given, Seen
from syncfabric.models.golden.record import GuardWires, Message
from syncfabric.models.messages import Counter, LinkCounter, MeshLayout
from syncfabric.models.networks.spec import RegisterSpec

__all__ = ["Guards"]

STILL = Wires()


class Guards:
    """The guards of all links between routers (docs/microarchitecture-faults.md).

    Only links on which something happens are looked at.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        With ``check_bits``.
    wiring : Numbering
        Numbering of the lanes.
    around : Surroundings
        The network.
    """

    def __init__(self, network: RegisterSpec, wiring: Numbering, around: Surroundings) -> None:
        self.form = form = LinkForm(network)
        self._around, self._lanes = around, wiring.lanes
        self._code_mask = wiring.code_mask
        self._sync = network.layout.sync
        self._x_bits = network.layout.x_bits if isinstance(network.layout, MeshLayout) else 0
        at = network.layout.flit.offsets
        self._head, self._tail = 1 << at["head"], 1 << at["tail"]
        self._cut = self._tail | 1 << at["cut"]
        self.links: list[GuardedLink | None] = [None] * wiring.links
        for link in range(wiring.outer):
            ends = around.ends(link)
            if ends is not None:
                self.links[link] = GuardedLink(link, ends, form)
        self._awake: set[int] = set()
        self._faults = LinkFaults()
        self.fences = Fences(self._guarded_ports, self._awake)

    def _guarded_ports(self, place: int) -> Sequence[tuple[int | None, int | None]]:
        """Return the guarded links away from a place and towards it, by port."""
        ports = self._around.port_links(place)
        return [(self._if_guarded(away), self._if_guarded(towards)) for away, towards in ports]

    def _if_guarded(self, link: int | None) -> int | None:
        return None if link is None or self.links[link] is None else link

    def has(self, lane: int) -> bool:
        """Return whether a lane's link is guarded."""
        return self.links[lane // self._lanes] is not None

    def inject(self, faults: Iterable[Fault]) -> None:
        """Plan faults of cycles to come."""
        for fault in faults:
            link = self.links[fault.link]
            if link is None or link.target < 0:
                raise ValueError(f"link {fault.link} has no guards")
            self._faults.plan([fault])

    def is_due(self, now: int) -> bool:
        """Return whether anything happens on a link in this cycle by itself."""
        return bool(self._awake) or self._faults.is_due(now)

    def idle_until(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it does, None if it never does."""
        return now if self._awake else self._faults.following()

    def pass_on(
        self,
        now: int,
        flits: Sequence[tuple[int, Flit]],
        messages: Sequence[tuple[int, Message]],
        credit: Sequence[int],
    ) -> Passed:
        """Take a cycle's flits, messages and credits over their links.

        Parameters
        ----------
        now : int
            This cycle.
        flits, messages : sequence of (lane, flit or message)
            What the routers send.
        credit : sequence of int
            Lanes whose credit the routers return.
        """
        shut = self.fences.away
        passed = Passed(
            [],
            [],
            [],
            [],
            [sent for sent in flits if sent[0] // self._lanes not in shut] if shut else flits,
            [sent for sent in messages if sent[0] // self._lanes not in shut] if shut else messages,
            [],
        )
        loads: dict[int, Load] = {}
        gone: set[int] = set()
        lanes, links = self._lanes, self.links
        for lane, flit in flits:
            link, channel = divmod(lane, lanes)
            if links[link] is None:
                passed.flits.append((lane, flit))
            else:
                load = loads.setdefault(link, Load())
                load.flit, load.channel = flit, channel
        for lane, message in messages:
            link, channel = divmod(lane, lanes)
            if links[link] is None:
                passed.messages.append((lane, message))
            else:
                load = loads.setdefault(link, Load())
                load.message, load.sync_class = message, channel - self.form.ordinary
        for lane in credit:
            link, channel = divmod(lane, lanes)
            if links[link] is None:
                passed.credit.append(lane)
                passed.shown_credit.append(lane)
            else:
                loads.setdefault(link, Load()).credit |= 1 << channel
        faults = self._faults.happen(now)
        for link in sorted(self._awake | loads.keys() | faults.keys()):
            guarded = links[link]
            assert guarded is not None
            load = loads.get(link) or Load()
            if guarded.target < 0:
                self._tell_sender(guarded, _sent(guarded, load, self.form), 0, -1, passed)
                gone.add(link)
            else:
                self._cross(now, guarded, load, faults.get(link, ()), passed)
            if guarded.is_awake() or (link in self.fences.towards and guarded.receiver.open):
                self._awake.add(link)
            else:
                self._awake.discard(link)
        return _unseen(passed, gone, lanes) if gone else passed

    def _cross(
        self, now: int, guarded: GuardedLink, load: Load, faults: Sequence[Fault], passed: Passed
    ) -> None:
        """Take one link through a cycle."""
        form, sender, receiver = self.form, guarded.sender, guarded.receiver
        link = guarded.link
        closed, ignored = link in self.fences.away, link in self.fences.towards
        first = link * self._lanes
        wires = STILL if closed else self._drive(load, sender.probe)
        shown_credit, empty = receiver.credit(load.credit), receiver.empty
        if ignored:
            shown_credit = empty = 0
        if wires is not STILL or empty:
            shown = GuardWires(wires.check, wires.sync_check, wires.probe, empty)
            if any(shown):
                passed.wires.append((link, shown))
        sent = _sent(guarded, load, form)
        heard_credit, there, right = shown_credit, wires, (True, True)
        spoilt = bool(faults) or link in self._faults.dead
        if spoilt:
            word = form.pack(wires)
            silent, flips, lost, dead = self._faults.spoil(link, faults, still=not word)
            there = form.unpack((0 if silent else word) ^ flips % (1 << form.width))
            heard_credit, empty = shown_credit & ~lost, 0 if dead else empty
            right = form.is_right(there)
        head, tail = bool(there.flit & self._head), bool(there.flit & self._tail)
        self._tell_sender(guarded, sent, heard_credit, empty, passed)
        _add_lanes(passed.shown_credit, first, shown_credit)
        quick = not (spoilt or closed or ignored or wires.probe or self._faults.ever)
        if quick and receiver.passes(
            wires.valid, sent ^ wires.valid, load.credit, head=head, tail=tail
        ):
            if load.flit is not None:
                passed.flits.append((first + load.channel, load.flit))
            if load.message is not None:
                lane = first + form.ordinary + load.sync_class
                passed.messages.append((lane, load.message))
            return
        seen = Seen(there.valid, there.sync_valid, head, tail, there.probe, *right)
        given = receiver.shut(load.credit) if ignored else receiver.advance(seen, load.credit)
        for _ in range(given.events):
            self._around.happened(guarded.target, LinkCounter.CORRUPT)
        self._hand_on(now, guarded, load, there, given, passed)

    def _tell_sender(
        self, guarded: GuardedLink, sent: int, credit: int, empty: int, passed: Passed
    ) -> None:
        """Tell a link's sender what it has sent, and what comes back."""
        if guarded.link in self.fences.away:
            given, lost = guarded.sender.shut(sent), False
        else:
            given, lost = guarded.sender.advance(sent, credit, empty)
        if lost:
            self._around.happened(guarded.source, LinkCounter.LOST)
        _add_lanes(passed.credit, guarded.link * self._lanes, given)

    def _drive(self, load: Load, probe: int) -> Wires:
        """Return what the sender's guard puts on the link."""
        if load.flit is None and load.message is None and not probe:
            return STILL
        flit = valid = sync = sync_valid = 0
        if load.flit is not None:
            flit, valid = load.flit[0], 1 << load.channel
        if load.message is not None:
            sync, sync_valid = load.message.raw, 1 << load.sync_class
            if not self.form.own:
                flit = sync
        return self.form.checked(Wires(flit, valid, sync, sync_valid, probe))

    def _hand_on(
        self,
        now: int,
        guarded: GuardedLink,
        load: Load,
        there: Wires,
        given: Given,
        passed: Passed,
    ) -> None:
        """Hand to the router what its guard lets it have, if there is room."""
        first = guarded.link * self._lanes
        channel = given.flit if given.flit >= 0 else given.cut
        if channel >= 0 and self._has_room(guarded, first + channel):
            sent, raw = load.flit, there.flit
            if given.cut >= 0:
                flit = (self._cut, TAIL, 0, guarded.packets[channel])
            elif sent is not None and sent[0] == raw:
                flit = sent
            else:
                mark = HEAD * bool(raw & self._head) | TAIL * bool(raw & self._tail)
                flit = (raw, mark, raw & self._code_mask, guarded.packets[channel])
            passed.flits.append((first + channel, flit))
        if given.sync >= 0:
            lane = first + self.form.ordinary + given.sync
            if self._has_room(guarded, lane):
                message = self._message(now, load, there.sync, given.sync)
                passed.messages.append((lane, message))

    def _has_room(self, guarded: GuardedLink, lane: int) -> bool:
        """Return whether there is room, and count what has none; without faults there always is."""
        if not self._faults.ever or self._around.has_room(lane):
            return True
        self._around.happened(guarded.target, Counter.OVERFLOW)
        return False

    def _message(self, now: int, load: Load, raw: int, turn: int) -> Message:
        """Return the message that has come, which need not be the one that was sent."""
        sent = load.message
        if sent is not None and sent.raw == raw and load.sync_class == turn:
            return sent
        fields = self._sync.unpack(raw)
        code = fields["x"] | fields["y"] << self._x_bits if self._x_bits else 0
        return Message(
            raw,
            fields["kind"],
            fields["gid"],
            fields["epoch"],
            code,
            turn,
            fields["data"],
            -1 if sent is None else sent.source,
            now if sent is None else sent.sent,
        )


def _sent(guarded: GuardedLink, load: Load, form: LinkForm) -> int:
    """Return the channels of which something is sent, a bit each."""
    sent = 0
    if load.flit is not None:
        sent = 1 << load.channel
        guarded.packets[load.channel] = load.flit[3]
    if load.message is not None:
        sent |= 1 << form.ordinary + load.sync_class
    return sent


def _unseen(passed: Passed, gone: Collection[int], lanes: int) -> Passed:
    """Leave out of what is on the wires what goes over the rim."""
    return passed._replace(
        shown_flits=[sent for sent in passed.shown_flits if sent[0] // lanes not in gone],
        shown_messages=[sent for sent in passed.shown_messages if sent[0] // lanes not in gone],
    )


def _add_lanes(lanes: list[int], first: int, bits: int) -> None:
    """Add the lanes of a link's channels."""
    while bits:
        low = bits & -bits
        lanes.append(first + low.bit_length() - 1)
        bits ^= low
