"""The config port of a static network's node (section R5)."""

from __future__ import annotations

from collections.abc import Callable

from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static_agent import Agent
from syncfabric.models.messages import COUNTER_BASE, Counter
from syncfabric.models.messages.static import (
    INIT,
    PATIENCE_BITS,
    ROLE_WORD,
    Role,
    StaticWord,
)

__all__ = ["configure_node"]


def configure_node(
    agent: Agent, request: ConfigRequest, *, arrives: bool, flushed: bool, watched: bool
) -> tuple[bool, int, Callable[[], None] | None]:
    """Judge a request by the agent's state at the start of the cycle.

    Parameters
    ----------
    agent : Agent
        Whose words are meant.
    request : ConfigRequest
    arrives : bool
        An arrive is accepted in this cycle.
    flushed : bool
        The agent is being flushed in this cycle.
    watched : bool
        There is a watchdog.

    Returns
    -------
    (bool, int, callable or None)
        Whether it is refused, the answer's data, and what is to be done at the edge.
    """
    if not request.write:
        found = _read(agent, request.address, watched=watched)
        return found is None, found or 0, None
    if request.address == StaticWord.ROLE and agent.is_idle and not arrives:
        return False, 0, lambda: _assign(agent, request.data)
    begins = request.address == StaticWord.COMMAND and request.data == INIT
    if begins and agent.may_begin and not flushed:
        return False, 0, agent.begin
    if watched and request.address == StaticWord.PATIENCE:
        return False, 0, lambda: _wait_for(agent, request.data)
    agent.count(Counter.REFUSED_WRITE)
    return True, 0, None


def _read(agent: Agent, address: int, *, watched: bool) -> int | None:
    if address == StaticWord.ROLE:
        return ROLE_WORD.pack({"role": agent.code, "flits": agent.flits})
    if address == StaticWord.STATUS:
        return agent.status
    if watched and address == StaticWord.PATIENCE:
        return agent.patience
    if 0 <= address - COUNTER_BASE < len(Counter):
        return agent.counters[address - COUNTER_BASE]
    return None


def _wait_for(agent: Agent, data: int) -> None:
    agent.patience = data & (1 << PATIENCE_BITS) - 1


def _assign(agent: Agent, data: int) -> None:
    values = ROLE_WORD.unpack(data)
    agent.code, agent.flits = values["role"], values["flits"]
    agent.role = Role(min(agent.code, Role.ALONE))
