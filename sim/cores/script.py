"""What the bench does before the cores run: programs loaded, groups set up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from syncfabric.models.messages.static import LoaderWord
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up_writes import set_up_entries
from syncfabric.models.planning.static_images import SETTLING, static_writes
from syncfabric.sim.cores.bench import Step, step_line

__all__ = ["Loaded", "script_text"]

_SETTLE = 64
"""Cycles from the last write of a set-up until the cores run, and two a node."""


class _Segment(Protocol):
    @property
    def address(self) -> int: ...

    @property
    def data(self) -> bytes: ...


class Loaded(Protocol):
    """What is asked of a compiled program."""

    @property
    def segments(self) -> tuple[_Segment, ...]:
        """Bytes for memory, by address."""

    @property
    def barrier(self) -> tuple[int, int]:
        """Addresses of the barriers in software, the last not included."""

    @property
    def sends_flits(self) -> bool:
        """Whether it wants a static network's rings and trees without the agents."""


def script_text(
    plan: BarrierPlan, program: Loaded, blocks: Mapping[int, tuple[int, bytes]], limit: int
) -> str:
    """Return the script of a run.

    Parameters
    ----------
    plan : BarrierPlan
        Groups to set up.
    program : Loaded
        For all cores.
    blocks : mapping of int to (int, bytes)
        What a core has besides, and where.
    limit : int
        Cycles that the cores run at most.
    """
    lines = [
        step_line(Step.LOAD_ALL, address, word)
        for segment in program.segments
        for address, word in _words(segment.address, segment.data)
    ]
    lines += [
        step_line(Step.LOAD, core, address, word)
        for core, (place, data) in blocks.items()
        for address, word in _words(place, data)
    ]
    lines += _set_up(plan, agents=not program.sends_flits)
    settle = _SETTLE + 8 * len(plan.spec.network.topology.nodes)
    lines += [step_line(Step.IDLE, settle), step_line(Step.RUN, limit, *program.barrier)]
    return "".join(lines)


def _words(address: int, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield word addresses and words; what a word has besides is 0."""
    start = address & 3
    padded = bytes(start) + data + bytes(-(start + len(data)) % 4)
    for place in range(0, len(padded), 4):
        yield (address - start + place) // 4, int.from_bytes(padded[place : place + 4], "little")


def _set_up(plan: BarrierPlan, *, agents: bool) -> Iterator[str]:
    """Yield what sets the groups up from reset, as software would by the config port."""
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        groups = plan.static_groups
        beside = {} if agents else {out: way for one in groups for out, way in one.routes().items()}
        writes = static_writes(network, groups if agents else (), beside) if groups else ()
        for target, address, word in writes:
            yield step_line(Step.CONFIG, target, address, word)
            if target == network.layout.loader and address == LoaderWord.STROBE:
                yield step_line(Step.IDLE, SETTLING)
        return
    for kind, target, address, value in set_up_entries(plan):
        if kind:
            yield step_line(Step.POLL, target, address, value >> 16, value & 0xFFFF)
        else:
            yield step_line(Step.CONFIG, target, address, value)
