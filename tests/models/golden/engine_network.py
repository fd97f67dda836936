"""Collective engines joined by links (E11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.engine import Engine, Outputs
from syncfabric.models.golden.engine.memory import Message

__all__ = ["EngineNetwork", "Place"]

Place: TypeAlias = tuple[int, int]
"""An engine, and a link of it."""


class EngineNetwork:
    """Engines, and the links between them.

    Parameters
    ----------
    engines : sequence of Engine
    links : iterable of (Place, Place)
        Both ends of each link. A link that is joined to nothing leads nowhere.
    registers : int, optional
        Registers on each link.

    Attributes
    ----------
    now : int
        The cycle that ``step`` goes through next.
    """

    def __init__(
        self, engines: Sequence[Engine], links: Iterable[tuple[Place, Place]], registers: int = 0
    ) -> None:
        self.engines = engines
        self.now = 0
        self._registers = registers
        self._ends = {here: there for a, b in links for here, there in ((a, b), (b, a))}
        self._due: dict[int, list[tuple[Place, Message]]] = {}

    def under_way(self, place: Place) -> list[Message]:
        """Return the messages in the registers of the link that leads to a place."""
        return [m for sent in self._due.values() for there, m in sent if there == place]

    def step(
        self,
        arrive: Mapping[int, Message] | None = None,
        requests: Mapping[int, Request] | None = None,
    ) -> list[Outputs]:
        """Go through a cycle.

        Parameters
        ----------
        arrive : mapping of int to Message, optional
            Arrivals that own processes offer, by engine.
        requests : mapping of int to Request, optional
            To config ports, by engine.

        Returns
        -------
        list of Outputs
            By engine.
        """
        sent = self._due.setdefault(self.now + self._registers, [])
        for number, engine in enumerate(self.engines):
            for link, message in engine.links.items():
                if (number, link) in self._ends:
                    sent.append((self._ends[number, link], message))
        inputs: list[dict[int, Message]] = [{} for _ in self.engines]
        for (number, link), message in self._due.pop(self.now, ()):
            inputs[number][link] = message
        self.now += 1
        return [
            engine.step(inputs[number], (arrive or {}).get(number), (requests or {}).get(number))
            for number, engine in enumerate(self.engines)
        ]
