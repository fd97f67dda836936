"""Messages between routers: on links that packets share, and routed (L1, L2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from syncfabric.models.golden.engine.memory import Message, Way
from syncfabric.models.golden.link import Sent
from syncfabric.models.golden.router import Channel, Port, xy_output

__all__ = ["LeastRecentlySent", "RoutedLinks", "SharedLinks"]

DIRECTIONS = 4
REGISTER = DIRECTIONS
"""Place of the register in an order, after the slots of all inputs."""


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

    def credited(self, link: int, route_class: int) -> None:
        """Take a credit of a cycle that is over: there are none."""
        raise ValueError(f"link {link} has a credit, and its messages have none")


class RoutedLinks:
    """Messages that are routed through slots of two classes (L2).

    Parameters
    ----------
    x, y : int
        Column and row of the router.

    Attributes
    ----------
    credits : set of Channel
        Links and classes whose ``message_credit`` is high in this cycle.
    tokens : dict of Channel to int
        Credits of each link's classes.
    """

    def __init__(self, x: int, y: int) -> None:
        self._x, self._y = x, y
        self._slots: dict[Channel, Sent] = {}
        self._registers: dict[int, Sent] = {}  # what has stayed in them
        links = range(DIRECTIONS)
        self.tokens = {(q, c): 1 for q in links for c in range(2)}
        self._orders = {at: LeastRecentlySent(DIRECTIONS + 1) for at in self.tokens}
        self.credits: set[Channel] = set()

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves without a message, and no credit is on a link."""
        return not (self._slots or self._registers or self.credits)

    def hold(self, sends: Mapping[int, Sent]) -> bool:
        """Return whether some register is not empty."""
        return bool(self._registers or sends)

    def output(self, port: int, way: Way) -> Port:
        """Return the output of a message in a slot."""
        dx, dy = way.x - self._x, way.y - self._y
        if way.route_class == 0:
            output = xy_output(port, dx, dy)
        else:  # the transpose of class 0: EAST and NORTH, WEST and SOUTH are exchanged
            output = xy_output(port ^ 1, dy, dx)
            output = output if output == Port.LOCAL else Port(output ^ 1)
        return Port((port + 2) % 4) if output == Port.LOCAL else output

    def _chosen(self, sends: Mapping[int, Sent]) -> dict[int, tuple[int, Sent]]:
        """Return by output the place in its order, and the message, of the one that leaves."""
        candidates: dict[Channel, dict[int, Sent]] = {}
        for (p, c), sent in self._slots.items():
            assert sent.way
            candidates.setdefault((self.output(p, sent.way), c), {})[p] = sent
        for q, sent in ({**self._registers, **sends} if self._registers else sends).items():
            assert sent.way
            candidates.setdefault((q, sent.way.route_class), {})[REGISTER] = sent
        chosen: dict[int, tuple[int, Sent]] = {}
        for (q, c), senders in sorted(candidates.items()):  # class 0 before class 1
            if q not in chosen and self.tokens[q, c] > 0:
                place = self._orders[q, c].first(senders)
                chosen[q] = place, senders[place]
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
            assert sent.way
            route_class = sent.way.route_class
            self._orders[q, route_class].sent(place)
            self.tokens[q, route_class] -= 1
            if place == REGISTER:
                del self._registers[q]
            else:
                slot = place, route_class
                del self._slots[slot]
                self.credits.add(slot)
        here: dict[int, Message] = {}
        dropped = 0
        for p, sent in inputs.items():
            assert sent.way
            slot = p, sent.way.route_class
            if sent.way[:2] == (self._x, self._y):
                here[p] = sent.message
                self.credits.add(slot)
            elif slot in full:
                dropped += 1
            else:
                self._slots[slot] = sent
        return here, dropped

    def credited(self, link: int, route_class: int) -> None:
        """Take a credit of a cycle that is over."""
        self.tokens[link, route_class] += 1


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
