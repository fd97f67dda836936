"""Messages between routers: on links that packets share, and routed (L1, L2)."""

from collections.abc import Collection, Mapping, Sequence

from syncfabric.models.golden.engine.memory import Message, Route
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.router import Channel
from syncfabric.models.networks.grid import Grid

CLASSES = 2


class SharedLinks:
    """Links of packets, which messages enter before flits; credits are those of packets.

    A link *carried* a message in t if it left by the router's output in t, whether or not there is
    a register behind it: so packets keep two cycles in five.
    """

    credits: Collection[Channel] = ()

    def __init__(self) -> None:
        self._last = self._before = frozenset[int]()

    @property
    def is_idle(self) -> bool:
        """Whether no link carried a message in the last two cycles."""
        return not (self._last or self._before)

    def hold(self, sends: Mapping[int, Sent]) -> bool:
        """Return whether the engine, which sends that in this cycle, is held in it."""
        return bool(self._last & self._before)

    def leaving(self, sends: Mapping[int, Sent]) -> Mapping[int, Sent]:
        """Return what leaves by links in this cycle."""
        return sends

    def step(
        self, sends: Mapping[int, Sent], inputs: Mapping[int, Sent]
    ) -> tuple[dict[int, Message], int]:
        """Go over a clock edge; return what the engine gets, and how many are dropped."""
        self._last, self._before = frozenset(sends), self._last
        return {p: sent.message for p, sent in inputs.items()}, 0

    def credited(self, link: int, lane: int) -> None:
        """Take a credit of a cycle that is over: there are none."""
        raise ValueError(f"link {link} has a credit, and its messages have none")


class RoutedLinks:
    """Messages that are routed through slots, one a lane of each link (L2).

    Parameters
    ----------
    grid : Grid
    place : sequence of int
        The router's coordinates.
    links : int
        Links of the engine.
    datelines : collection of int, optional
        Outputs behind which messages are in the higher lanes; None: there are no such lanes.

    Attributes
    ----------
    credits : set of Channel
        Links and lanes whose ``message_credit`` is high in this cycle.
    tokens : dict of Channel to int
        Credits of each link's lanes.
    """

    def __init__(
        self,
        grid: Grid,
        place: Sequence[int],
        links: int,
        datelines: Collection[int] | None = None,
    ) -> None:
        self._grid, self._here = grid, tuple(place)
        self._axis = {port: axis for axis, pair in enumerate(grid.axes) for port in pair}
        self._datelines, self._dated = frozenset(datelines or ()), datelines is not None
        lanes = 2 * CLASSES if self._dated else CLASSES
        self._slots: dict[Channel, Sent] = {}
        self._registers: dict[int, Sent] = {}  # what has stayed in them
        self.tokens = {(q, lane): 1 for q in range(links) for lane in range(lanes)}
        # In an order the register comes after all slots.
        self._many, self._register = lanes // CLASSES, links * (lanes // CLASSES)
        self._orders = {at: LeastRecentlySent(self._register + 1) for at in self.tokens}
        self._lanes = {q: LeastRecentlySent(lanes) for q in range(links)}
        self._last = self._before = frozenset[int]()
        self.credits: set[Channel] = set()

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a message, and no credit is on a link."""
        return not (self._slots or self._registers or self.credits or (self._dated and self._last))

    def hold(self, sends: Mapping[int, Sent]) -> bool:
        """Return whether some register is not empty."""
        return bool(self._registers or sends)

    def output(self, port: int, route: Route) -> int | None:
        """Return the output of a message that has come by a link; None: no turn is legal."""
        mine, grid = self._axis[port], self._grid
        on, later = sum(grid.axes[mine]) - port, range(mine + 1, len(self._here))
        if route.lane % CLASSES:
            later = range(mine - 1, -1, -1)
        if on != port and route.place[mine] != self._here[mine]:
            return on
        last = on if on != port else None
        for axis in later:
            up, down = grid.axes[axis]
            ahead, last = route.place[axis] - self._here[axis], down
            if grid.rings[axis] and 2 * abs(ahead) > grid.sides[axis]:
                ahead = -ahead
            if ahead:
                return up if ahead > 0 else down
        return last

    def _passing(self, port: int, sent: Sent) -> tuple[int, Sent]:
        """Return the output of a message in a slot, and the message as it leaves."""
        assert sent.route
        output = self.output(port, sent.route)
        assert output is not None
        same = self._axis[port] == self._axis[output]
        return output, self._dating(output, sent, behind=same and sent.route.lane >= CLASSES)

    def _dating(self, output: int, sent: Sent, *, behind: bool = False) -> Sent:
        """Return a message as it leaves by an output; it is behind a dateline before or after."""
        assert sent.route
        lane = sent.route.lane % CLASSES
        if behind or output in self._datelines:
            lane += CLASSES
        same = lane == sent.route.lane
        return sent if same else Sent(sent.message, sent.route._replace(lane=lane))

    def _chosen(self, sends: Mapping[int, Sent]) -> dict[int, tuple[int, Sent]]:
        """Return by output the place in its order, and the message, of the one that leaves."""
        candidates: dict[Channel, dict[int, Sent]] = {}
        for (p, lane), kept in self._slots.items():
            q, sent = self._passing(p, kept)
            assert sent.route
            place = p * self._many + lane // CLASSES
            candidates.setdefault((q, sent.route.lane), {})[place] = sent
        for q, kept in ({**self._registers, **sends} if self._registers else sends).items():
            sent = self._dating(q, kept)
            assert sent.route
            candidates.setdefault((q, sent.route.lane), {})[self._register] = sent
        able: dict[int, list[int]] = {}
        for q, lane in sorted(candidates):
            if self.tokens[q, lane] > 0:
                able.setdefault(q, []).append(lane)
        chosen: dict[int, tuple[int, Sent]] = {}
        for q, lanes in able.items():
            if self._dated and q in self._last & self._before:
                continue
            lane = self._lanes[q].first(lanes) if self._dated else lanes[0]
            place = self._orders[q, lane].first(candidates[q, lane])
            chosen[q] = place, candidates[q, lane][place]
        return chosen

    def leaving(self, sends: Mapping[int, Sent]) -> Mapping[int, Sent]:
        """Return what leaves by links in this cycle."""
        return {q: sent for q, (_, sent) in self._chosen(sends).items()}

    def step(
        self, sends: Mapping[int, Sent], inputs: Mapping[int, Sent]
    ) -> tuple[dict[int, Message], int]:
        """Go over a clock edge; return what the engine gets, and how many are dropped."""
        chosen, full = self._chosen(sends), set(self._slots)
        self._registers.update(sends)
        self.credits = set()
        for q, (place, sent) in chosen.items():
            assert sent.route
            self._orders[q, sent.route.lane].sent(place)
            self._lanes[q].sent(sent.route.lane)
            self.tokens[q, sent.route.lane] -= 1
            if place == self._register:
                del self._registers[q]
            else:
                p, behind = divmod(place, self._many)
                slot = p, sent.route.lane % CLASSES + CLASSES * behind
                del self._slots[slot]
                self.credits.add(slot)
        self._last, self._before = frozenset(chosen), self._last
        here: dict[int, Message] = {}
        dropped = 0
        for p, sent in inputs.items():
            assert sent.route
            slot = p, sent.route.lane
            if sent.route.place == self._here:
                here[p] = sent.message
                self.credits.add(slot)
            elif self.output(p, sent.route) is None:
                dropped += 1
                self.credits.add(slot)
            elif slot in full:
                dropped += 1
            else:
                self._slots[slot] = sent
        return here, dropped

    def credited(self, link: int, lane: int) -> None:
        """Take a credit of a cycle that is over."""
        self.tokens[link, lane] += 1


class LeastRecentlySent:
    """Candidates in a queue: whoever sent goes to the end.

    Parameters
    ----------
    size : int
        Candidates 0 to ``size`` - 1, which is also their first order.
    """

    __slots__ = ("order",)

    def __init__(self, size: int) -> None:
        self.order = list(range(size))

    def first(self, candidates: Collection[int]) -> int:
        """Return the one that has waited longest since it sent; there must be one."""
        return next(candidate for candidate in self.order if candidate in candidates)

    def sent(self, candidate: int) -> None:
        """Move a candidate to the end."""
        self.order.remove(candidate)
        self.order.append(candidate)
