"""What moves in a network whose links have check bits: wires, between the guards of their ends."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from syncfabric.models.golden.engine import Message
from syncfabric.models.golden.engine.node_port import Arrival
from syncfabric.models.golden.planes.movement import NO_ARRIVALS, RESET, Movement
from syncfabric.models.golden.planes.pins import NodeInputs
from syncfabric.models.golden.planes.wiring import Coming, Out, Shown
from syncfabric.models.golden.record import GuardWires
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.transport.config_chain import ChainRequest
from syncfabric.models.golden.transport.wires import Back, Forward, Sent

__all__ = ["GuardedMovement"]

STILL, QUIET = Forward(), Back()
NOTHING: tuple[Forward, object] = (STILL, None)
RIM = Back(empty=-1)
NO_GUARDS = GuardWires(0, 0, 0, 0)


class GuardedMovement(Movement):
    """All places of a network with check bits; a place moves, or rests, as a whole."""

    def wake(self, router: int) -> None:
        """Look at a router in the coming cycle."""
        self._rest.add(router)

    def releases(self) -> Iterator[tuple[int, Message]]:
        """Yield the nodes that get a message of an engine in the coming cycle."""
        routers = len(self._nodes)
        for place in self._rest:
            if not self._interfaces:
                i, message = place, self._nodes[place].engine.release
            elif place >= routers:
                i = place - routers
                message = self._interfaces[i].message
            else:
                continue
            if message:
                yield i, message

    def step(
        self,
        now: int,
        arrivals: Mapping[int, Mapping[int, Arrival]],
        request: tuple[int, ChainRequest] | None,
        visited: Collection[int],
    ) -> Shown:
        """Go through a cycle; see ``Movement``."""
        shown, here = Shown(), self.due.pop(now, None) or Coming()
        far = self.due.setdefault(now + self._registers, Coming()) if self._registers else here
        routers = len(self._nodes)
        self.answers = []
        freed: dict[int, int] = {}
        for i, c in self._processes.freed():
            if self._interfaces:
                freed[i] = freed.get(i, 0) | 1 << c
            else:
                self._free(i, c, shown, here)
        injected = self._processes.send(now)
        driven: dict[int, tuple[Flit | None, Sent | None]] = {}
        for place in self._rest:
            if place < routers:
                self._drive(now, place, shown, here, far)
        for i in {place - routers for place in self._rest if place >= routers} | injected.keys():
            driven[i] = None, None
        for i in [*driven, *(i for i in freed if i not in driven)] if self._interfaces else ():
            driven[i] = self._drive_interface(now, i, injected.get(i), freed.get(i, 0), shown, here)
        if not self._interfaces:
            for i, flit in injected.items():
                self._show(now, self._wiring.injection(i), flit, shown)
        self.faults.strike(now, here, far)
        if self._registers and far.is_empty:
            del self.due[now + self._registers]
        moving = {*self._rest, *here.forward, *here.back, *visited, *arrivals}
        if self._interfaces:
            moving.update(routers + i for i in driven)
        else:
            moving.update(injected)
        moving.update([request[0]] if request else ())
        self._rest = set()
        for place in moving:
            mine = request[1] if request and request[0] == place else None
            arrive = arrivals.get(place, NO_ARRIVALS)
            if place < routers:
                self._take_node(now, place, here, arrive, mine, injected)
            else:
                i = place - routers
                sends = driven.get(i) or self._interfaces[i].drive()
                into = injected.get(i)
                self._take_interface(now, i, here, sends, freed.get(i, 0), into, arrive, mine)
        for tokens, at in here.tokens:
            tokens[at] += 1
        return shown

    def _drive(self, now: int, n: int, shown: Shown, here: Coming, far: Coming) -> None:
        """Put on the wires what a router's node drives."""
        node = self._nodes[n]
        forward, back = node.wires()
        flits, messages, _, _, leaves = node.drive()
        local = node.parameters.layout.links
        if leaves and leaves.channel != self._set_up_channel:
            self._processes.drop()
        for p, out in enumerate(self._wiring.outs[n]):
            if out is None:
                continue
            flit, sent = flits.get(p), messages.get(p)
            if p == local:
                if flit:
                    self._show(now, out.link, flit, shown)
                    self._processes.eject(out.node, flit, now)
                for c in range(self._wiring.channels):
                    if back[p].credit >> c & 1:
                        shown.credits.append(out.reverse * self._wiring.width + c)
                        self._processes.credit(out.node, c)
                continue
            self._put_wires(now, out.link, out.reverse, forward[p], back[p], flit, sent, shown)
            self._lead(out, forward[p], back[p], flit, far if out.node < 0 else here)

    def _lead(
        self, out: Out, forward: Forward, back: Back, flit: Flit | None, there: Coming
    ) -> None:
        if forward != STILL:
            packet = flit.packet if flit else None
            there.forward.setdefault(out.place, {})[out.port] = forward, packet
        if back != QUIET:
            there.back.setdefault(out.place, {})[out.port] = back

    def _drive_interface(
        self, now: int, i: int, inject: Flit | None, freed: int, shown: Shown, here: Coming
    ) -> tuple[Flit | None, Sent | None]:
        """Put on the wires what a node interface drives; return what it sends."""
        interface = self._interfaces[i]
        flit, sent = interface.drive(inject)
        back = interface.end.back(freed | interface.freed)
        forward = interface.end.forward(flit, sent)
        n, p = self._homes[i]
        link, reverse = self._wiring.injection(i), n * self._wiring.ports + p
        self._put_wires(now, link, reverse, forward, back, flit, sent, shown)
        self._lead(Out(link, 0, n, p, -1, reverse), forward, back, flit, here)
        return flit, sent

    def _put_wires(
        self,
        now: int,
        link: int,
        reverse: int,
        forward: Forward,
        back: Back,
        flit: Flit | None,
        sent: Sent | None,
        shown: Shown,
    ) -> None:
        """Show the wires of a link, and those that run back against the other one."""
        width = self._wiring.width
        if forward.valid and flit:
            self._show(now, link, flit, shown)
        if forward.message_valid and sent:
            shown.wires[link * width + self._class(sent)] = self._word(sent)
        guards = GuardWires(forward.check, forward.message_check, forward.probe, 0)
        if any(guards):
            empty = shown.guards.get(link, NO_GUARDS).empty
            shown.guards[link] = guards._replace(empty=empty)
        if back.empty:
            shown.guards[reverse] = shown.guards.get(reverse, NO_GUARDS)._replace(empty=back.empty)
        credit = back.credit | back.message_credit << self._wiring.messages
        while credit:
            low = credit & -credit
            shown.credits.append(reverse * width + low.bit_length() - 1)
            credit ^= low

    def _take_node(
        self,
        now: int,
        n: int,
        here: Coming,
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
        injected: Mapping[int, Flit],
    ) -> None:
        """Take a router's node over a clock edge."""
        node = self._nodes[n]
        node.now = now - RESET
        there = here.forward.get(n, {})
        back = dict(here.back.get(n, {}))
        for p, out in enumerate(self._wiring.outs[n]):
            if out is None:
                back[p] = RIM
        came = node.cross({p: wires for p, (wires, _) in there.items()}, back)
        flits = {
            p: flit._replace(packet=there.get(p, NOTHING)[1]) for p, flit in came.flits.items()
        }
        if not self._interfaces and n in injected:
            flits[self._homes[n][1]] = injected[n]
        inputs = NodeInputs(request=request, arrivals=arrivals)
        node.take(came._replace(flits=flits), inputs)
        node.credited(came.credits)
        if not node.is_idle:
            self._rest.add(n)
        if node.config.answer is not None:
            self.answers.append((n, node.config.answer))
        if node.engine.watches:
            self.watched.add(n)
        else:
            self.watched.discard(n)

    def _take_interface(
        self,
        now: int,
        i: int,
        here: Coming,
        driven: tuple[Flit | None, Sent | None],
        freed: int,
        inject: Flit | None,
        arrivals: Mapping[int, Arrival],
        request: ChainRequest | None,
    ) -> None:
        """Take a node interface over a clock edge."""
        interface, place = self._interfaces[i], len(self._nodes) + i
        forward, packet = here.forward.get(place, {}).get(0, NOTHING)
        back = here.back.get(place, {}).get(0, QUIET)
        came = interface.cross(driven, freed | interface.freed, forward, back)
        if came.flit:
            came = came._replace(flit=came.flit._replace(packet=packet))
        channels = interface.parameters.channels
        for c in range(channels):
            if came.credit >> c & 1:
                self._processes.credit(i, c)
        eject = interface.take(came, driven, inject, arrivals, request)
        interface.tokens += came.credit >> channels & 1
        if eject:
            self._processes.eject(i, eject, now)
        if not interface.is_idle:
            self._rest.add(place)
        if interface.config.answer is not None:
            self.answers.append((place, interface.config.answer))
