"""What must hold of barriers by packets, judged by the packets' ways: no program is asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.packets import Inbox, Packet
from syncfabric.sim.drive.trace import Act, Line, MemberStep, Put, Report, Rule, StepKind
from syncfabric.sim.results import Mismatch


class CauseCheck(Rule):
    """A member goes on only when it can know that all have arrived, and once an episode.

    It can know of an arrival that is its own, or of which a packet has told it: one that went, on
    the wires, from a node where the arrival was known already. So a program that waits for too
    few packets is found out even when it goes on late enough by chance.

    Parameters
    ----------
    plan : BarrierPlan
        With one group.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self._inbox = Inbox(network)
        self._mask = (1 << min(32, network.flit_bits)) - 1
        self._members = members = plan.groups[0].members
        self._member_at = {network.topology.index(node): i for i, node in enumerate(members)}
        self._known = [[0] * len(members) for _ in members]
        """By member: of each member's arrivals, how many it can know of."""
        self._released = [0] * len(members)
        self._unclosed: dict[int, list[int]] = {}
        self._fresh: deque[Packet] = deque()
        self._carried: dict[tuple[int, ...], deque[tuple[int, ...]]] = {}

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Take in a flit that is put, or a member's step; in a cycle, steps come first."""
        if isinstance(act, Put):
            self._put(act)
        elif isinstance(act, MemberStep):
            yield from self._step(act)

    def _put(self, put: Put) -> None:
        """Take in a flit that is put: a packet carries what its node knows at the tail."""
        self._hear(put.cycle)
        payloads = self._unclosed.setdefault(put.node, [])
        payloads.append(put.payload & self._mask)
        if put.tail:
            packet = tuple(self._unclosed.pop(put.node))
            if put.node in self._member_at:
                known = tuple(self._known[self._member_at[put.node]])
                self._carried.setdefault(packet, deque()).append(known)

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take in what has come out in a cycle."""
        self._inbox.note(line.cycle, line.record)
        self._fresh.extend(self._inbox.take())
        return ()

    def _hear(self, now: int) -> None:
        """Let members know what came out before a cycle."""
        while self._fresh and self._fresh[0].cycle < now:
            packet = self._fresh.popleft()
            carried, member = self._carried.get(packet.payloads), self._member_at.get(packet.node)
            if carried and member is not None:
                self._learn(member, carried.popleft())

    def _learn(self, member: int, known: tuple[int, ...]) -> None:
        self._known[member] = list(map(max, self._known[member], known))

    def _step(self, step: MemberStep) -> Iterator[Mismatch]:
        """Take in a member's step; yield what breaks a rule."""
        self._hear(step.cycle)
        member = step.member
        known = self._known[member]
        if step.kind is StepKind.ARRIVE:
            known[member] += 1
        elif step.kind is StepKind.TELL:
            for other in range(len(self._members)):
                self._learn(other, tuple(known))
        else:
            self._released[member] += 1
            episode, node = self._released[member], self._members[member]
            if episode > known[member]:
                rule = "releases of a member, of its arrivals"
                yield Mismatch(step.cycle, node, rule, episode, known[member])
            elif min(known) < episode:
                rule = "arrivals that a released member can have received"
                seen = sum(count >= episode for count in known)
                yield Mismatch(step.cycle, node, rule, seen, len(known))

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Check the end: whoever arrived has been released."""
        for member, (node, released) in enumerate(zip(self._members, self._released, strict=True)):
            if released < self._known[member][member]:
                rule = "releases of a member at the end"
                yield Mismatch(cycle, node, rule, released, self._known[member][member])
