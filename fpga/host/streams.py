"""Streams of a board's groups, one after the other: what members take, beside what they must."""

from collections.abc import Iterator

from syncfabric.fpga.host.host import Host, StreamReading
from syncfabric.models.errors import BoardError
from syncfabric.models.golden.stream_results import checksum
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Streaming
from syncfabric.sim.drive.stream_check import Expected
from syncfabric.sim.drive.streams import operand_seed
from syncfabric.sim.stream_result import StreamFlow, StreamMember, StreamResult
from syncfabric.sim.vectors import StreamRequest
from syncfabric.sim.words import node_words

__all__ = ["check_streams", "perform_streams"]

_POLLS = 1000


def check_streams(host: Host, plan: BarrierPlan) -> None:
    """Refuse a board whose streams are not those of a plan's network.

    Raises
    ------
    BoardError
        It has none, or others.
    """
    has, wanted = host.identity.streams, plan.spec.message_network.streams
    if has != wanted:
        raise BoardError(
            f"port {host.link.port}: the board has {has} channels of streams, and {plan.spec.name} "
            f"has {wanted}: load the bitstream of {plan.spec.name}"
        )


def perform_streams(
    host: Host, plan: BarrierPlan, request: StreamRequest, seed: int
) -> Iterator[tuple[StreamResult, list[str]]]:
    """Let every group with a stream perform one; all groups are set up.

    Parameters
    ----------
    host : Host
    plan : BarrierPlan
    request : StreamRequest
    seed : int
        Of operands.

    Yields
    ------
    StreamResult, list of str
        What it took, from the first beat of the member that is last; what is not as it must be.
    """
    for stream in request.streams(plan, seed):
        performed = _Performed(host, plan, stream)
        yield performed.result(request), performed.wrong


class _Performed:
    """A stream that members have performed: when they had it, and what is wrong."""

    def __init__(self, host: Host, plan: BarrierPlan, stream: Streaming) -> None:
        shape = plan.spec.message_network.shape
        layout, first = shape.router.stream, shape.entry_registers
        assert layout
        self._host, self._stream, self.wrong = host, stream, list[str]()
        self._group = next(group for group in plan.groups if group.id == stream.gid)
        places = [(node, register - first) for node, register in plan.endpoints(self._group)]
        before = [host.taken(*place) for place in places]
        for member, place in enumerate(places):
            words = stream.words if member in stream.gives else 0
            host.give(*place, operand_seed(stream, member), words, stream.head(member))
        self._begun, expected = host.begun() + 1, Expected(plan, layout, stream).words
        self._members = [
            self._member(member, self._look(place, old), checksum(words, 0, old.checksum))
            for member, (place, old) in enumerate(zip(places, before, strict=True))
            for words in (expected if member in stream.takes else expected[:0],)
        ]

    def _look(self, place: tuple[int, int], old: StreamReading) -> StreamReading | None:
        """Return what a sink has when another packet has come; None: none has."""
        looks = (self._host.taken(*place) for _ in range(_POLLS))
        return next((seen for seen in looks if seen.packets != old.packets), None)

    def _member(self, member: int, seen: StreamReading | None, must: int) -> StreamMember:
        node = self._group.members[member]
        if seen is None:
            self._say(f"the packet to {node_words(node)} has not come")
        elif seen.checksum != must:
            shown = f"{seen.checksum:#010x} and must be {must:#010x}"
            self._say(f"the checksum of {node_words(node)} is {shown}")
        if seen is None or member not in self._stream.takes:
            return StreamMember(node, None, None, None)
        first, last = ((at - self._begun) % (1 << 32) for at in (seen.first, seen.last))
        return StreamMember(node, None, first, last)

    def result(self, request: StreamRequest) -> StreamResult:
        """Return what it took."""
        bound = self._group.stream_bound
        firsts = [one.first for one in self._members if one.first is not None]
        lasts = [one.last for one in self._members if one.last is not None]
        came = len(firsts) == len(self._stream.takes)
        if came and bound is not None and max(firsts) > bound:
            self._say(f"the first word after {max(firsts)} cycles is above the bound {bound}")
        return StreamResult.of(
            self._group,
            StreamFlow((), 0, 1, (), (), tuple(self._members)),
            (max(firsts), max(lasts)) if came else None,
            kind=request.kind,
            op=request.op,
            words=self._stream.words,
            right=not self.wrong,
        )

    def _say(self, words: str) -> None:
        self.wrong.append(f"group {self._group.id}: {words}")
