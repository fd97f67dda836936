"""Faults of a network's links, between their guards (docs/microarchitecture-faults.md, F6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import NamedTuple

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.planes.wiring import Coming, Wiring
from syncfabric.models.golden.transport.wires import Back, Forward, LinkForm
from syncfabric.models.layout.network import NetworkShape

__all__ = ["FaultyLinks", "LinkFaults", "Spoilt"]


class Spoilt(NamedTuple):
    """What faults do to the wires of a link.

    Attributes
    ----------
    silent : bool
        All forward wires are 0, before any is inverted.
    flips, lost : int
        Forward wires that are inverted, and credit wires that are 0; see ``Fault.mask``.
    dead : bool
        All wires back are 0.
    """

    silent: bool
    flips: int = 0
    lost: int = 0
    dead: bool = False


class LinkFaults:
    """What tests do to links, cycle by cycle.

    Attributes
    ----------
    dead : set of int
        Links that are dead by now.
    """

    def __init__(self) -> None:
        self._planned: dict[int, list[Fault]] = {}
        self.dead: set[int] = set()

    def plan(self, faults: Iterable[Fault]) -> None:
        """Plan faults of cycles to come."""
        for fault in faults:
            self._planned.setdefault(fault.cycle, []).append(fault)

    def is_due(self, now: int) -> bool:
        """Return whether there is one in this cycle."""
        return now in self._planned

    def following(self) -> int | None:
        """Return the cycle of the next one, None if there is none."""
        return min(self._planned, default=None)

    def happen(self, now: int) -> dict[int, list[Fault]]:
        """Return a cycle's faults, by link."""
        found: dict[int, list[Fault]] = {}
        for fault in self._planned.pop(now, ()):
            found.setdefault(fault.link, []).append(fault)
            if fault.kind is FaultKind.DEAD:
                self.dead.add(fault.link)
        return found

    def spoil(self, link: int, faults: Sequence[Fault], *, still: bool) -> Spoilt:
        """Return what becomes of a link's wires; ``still``: all forward ones are 0.

        Faults of one cycle come one after the other, in the order of kinds and masks.
        """
        if link in self.dead:
            return Spoilt(silent=True, lost=-1, dead=True)
        silent, flips, lost = False, 0, 0
        for _, _, kind, mask in sorted(astuple(fault) for fault in faults):
            if kind is FaultKind.FLIP:
                flips ^= mask
            elif kind is FaultKind.DROP:
                silent, flips = True, 0
            elif kind is FaultKind.CREDIT:
                lost |= mask
            elif kind is FaultKind.FORGED and (silent or still) and not flips:
                flips = mask
        return Spoilt(silent, flips, lost)


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
        self._form, self._links = form, LinkFaults()
        # Where each begins and where it leads, and whether it has registers.
        self._ends: dict[int, tuple[Place, Place, bool]] = {}
        guarded = shape.router.check_bits and not shape.router.wires
        for n, outs in enumerate(wiring.outs if guarded else ()):
            for p, out in enumerate(outs):
                if out and (out.node < 0 or shape.interfaces):
                    far = out.place, out.port
                    self._ends[out.link] = (n, p), far, out.node < 0
                    if out.node >= 0:
                        self._ends[out.reverse] = far, (n, p), False

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
            self._links.plan([fault])

    def is_due(self, now: int) -> bool:
        """Return whether there is one in this cycle."""
        return self._links.is_due(now)

    def following(self) -> int | None:
        """Return the cycle of the next one, None if there is none."""
        return self._links.following()

    def strike(self, now: int, here: Coming, far: Coming) -> None:
        """Change what is on links in a cycle.

        Parameters
        ----------
        now : int
        here : Coming
            What comes out of links, behind their registers.
        far : Coming
            What goes into links with registers; without any it is the same.
        """
        struck = self._links.happen(now)
        for link in struck.keys() | self._links.dead:
            (n, p), (m, q), registered = self._ends[link]
            wires, packet = here.forward.get(m, {}).get(q, (STILL, None))
            silent, flips, lost, dead = self._links.spoil(
                link, struck.get(link, ()), still=wires == STILL
            )
            wires = self._form.flip(STILL if silent else wires, flips)
            if wires != STILL:
                here.forward.setdefault(m, {})[q] = wires, packet
            elif m in here.forward:
                here.forward[m].pop(q, None)
            back = (far if registered else here).back.get(n, {})
            if p in back:
                credit = back[p].credit | back[p].message_credit << self._form.channels
                credit &= ~lost
                low = credit % (1 << self._form.channels)
                high = credit >> self._form.channels
                back[p] = QUIET if dead else Back(low, high, back[p].empty)
