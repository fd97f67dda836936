"""The config chain: a node of it at every router, and its end."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from syncfabric.models.golden.engine.commands import Request
from syncfabric.models.golden.engine.memory import Answer
from syncfabric.models.layout.engine import ADDRESS_BITS

__all__ = ["ChainEnd", "ChainRequest", "ConfigNode"]


class ChainRequest(NamedTuple):
    """A request on the chain, for one cycle."""

    node: int
    write: bool
    address: int
    data: int = 0


class ConfigNode:
    """Cycle-exact model of a config node; what it drives depends on its registers alone.

    What the contract leaves open: a request that comes while another is at a target is dropped.

    Parameters
    ----------
    number : int
    targets : collection of int
        Those that are there.

    Attributes
    ----------
    answer : Answer or None
        On the chain, to the host.
    """

    def __init__(self, number: int, targets: Collection[int]) -> None:
        self._number, self._targets = number, targets
        self._register: ChainRequest | None = None
        self._missing: Answer | None = None
        self.answer: Answer | None = None

    @property
    def passing(self) -> ChainRequest | None:
        """The request at the next node."""
        request = self._register
        return request if request and request.node != self._number else None

    @property
    def is_idle(self) -> bool:
        """Whether no request and no answer is here."""
        return self._register is None and self._missing is None and self.answer is None

    def request(self, target: int) -> Request | None:
        """Return the request at a target of this node."""
        here = self._register
        if not here or here.node != self._number or here.address >> ADDRESS_BITS != target:
            return None
        return Request(here.write, here.address % (1 << ADDRESS_BITS), here.data)

    def step(
        self, request: ChainRequest | None, further: Answer | None, targets: Answer | None
    ) -> None:
        """Go over a clock edge.

        Parameters
        ----------
        request : ChainRequest or None
            From the host.
        further : Answer or None
            From further on.
        targets : Answer or None
            From the target of the request that is here.
        """
        here = self._register if not self.passing else None
        ready = self._missing or targets
        if not here or ready:
            self._register = request
        is_missing = here and here.address >> ADDRESS_BITS not in self._targets
        self._missing = Answer(True) if is_missing and not ready else None
        self.answer = ready or further


class ChainEnd:
    """The end of the chain: answers each request with an error.

    Attributes
    ----------
    answer : Answer or None
    """

    def __init__(self) -> None:
        self.answer: Answer | None = None

    def step(self, request: ChainRequest | None) -> None:
        """Go over a clock edge."""
        self.answer = Answer(True) if request else None
