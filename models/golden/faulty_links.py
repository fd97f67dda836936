"""Faults of a network's links, between their guards (docs/microarchitecture-faults.md, F6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.link import Back, Forward, LinkForm
from syncfabric.models.golden.wiring import Coming, Wiring
from syncfabric.models.layout.network import NetworkShape

__all__ = ["FaultyLinks"]

STILL, QUIET = Forward(), Back()
Place = tuple[int, int]


class FaultyLinks:
    """Changes what is on links that have guards.

    Parameters
    ----------
    shape : NetworkShape
    wiring : Wiring
    form : LinkForm
    """

    def __init__(self, shape: NetworkShape, wiring: Wiring, form: LinkForm) -> None:
        self._form = form
        self._planned: dict[int, list[Fault]] = {}
        self._dead = set[int]()
        # Where each begins and where it leads, and its registers.
        self._ends: dict[int, tuple[Place, Place, int]] = {}
        guarded = shape.router.check_bits and not shape.router.wires
        for n, outs in enumerate(wiring.outs if guarded else ()):
            for p, out in enumerate(outs):
                if out and (out.node < 0 or shape.interfaces):
                    self._ends[out.link] = (n, p), (out.place, out.port), out.delay

    def inject(self, faults: Iterable[Fault]) -> None:
        """Plan faults of cycles to come.

        Raises
        ------
        ValueError
            There is no such link, or it has no guards, or barrier wires beside them.
        """
        for fault in faults:
            if fault.link not in self._ends:
                raise ValueError(f"link {fault.link} has no guards, or has barrier wires")
            self._planned.setdefault(fault.cycle, []).append(fault)

    def is_due(self, now: int) -> bool:
        """Return whether there is one in this cycle."""
        return now in self._planned

    def following(self) -> int | None:
        """Return the cycle of the next one, None if there is none."""
        return min(self._planned, default=None)

    def strike(self, now: int, ways: Mapping[int, Coming]) -> None:
        """Change what is on links in a cycle.

        Parameters
        ----------
        now : int
        ways : mapping of int to Coming
            What comes out of links so many cycles later; of 0, what does so in this one.
        """
        here = ways[0]
        struck: dict[int, list[Fault]] = {}
        for fault in self._planned.pop(now, ()):
            struck.setdefault(fault.link, []).append(fault)
            if fault.kind is FaultKind.DEAD:
                self._dead.add(fault.link)
        for link in struck.keys() | self._dead:
            (n, p), (m, q), delay = self._ends[link]
            wires, packet = here.forward.get(m, {}).get(q, (STILL, None))
            dead, lost = link in self._dead, 0
            if dead:
                wires = STILL
            else:
                wires, lost = self._spoil(wires, struck[link])
            if wires != STILL:
                here.forward.setdefault(m, {})[q] = wires, packet
            elif m in here.forward:
                here.forward[m].pop(q, None)
            back = ways[delay].back.get(n, {})
            if p in back:
                channels, (credit, messages, empty) = self._form.channels, back[p]
                kept = Back(credit & ~lost, messages & ~(lost >> channels), empty)
                back[p] = QUIET if dead else kept

    def _spoil(self, wires: Forward, faults: Sequence[Fault]) -> tuple[Forward, int]:
        """Return what becomes of a link's forward wires, and the credit wires that are 0.

        Faults of one cycle come one after the other, in the order of kinds and masks.
        """
        flips = lost = 0
        for _, _, kind, mask in sorted(astuple(fault) for fault in faults):
            if kind is FaultKind.FLIP:
                flips ^= mask
            elif kind is FaultKind.DROP:
                wires, flips = STILL, 0
            elif kind is FaultKind.CREDIT:
                lost |= mask
            elif kind is FaultKind.INJECTED and wires == STILL and not flips:
                flips = mask
        return self._form.flip(wires, flips), lost
