"""Fig. 9: the model against the real performance, which is that of our RTL.

The ring is always measured: its switches are small. With ``--rtl`` so are the other barriers that
have a model. All is in cycles, a cycle of the model's clock beside one of the hardware's.
"""

from __future__ import annotations

from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.schemes.loggp import ANYWHERE, STATIC
from syncfabric.models.schemes.scheme import Scheme
from syncfabric.sim.reproduce.experiment import Work
from syncfabric.sim.reproduce.reflex import hardware
from syncfabric.sim.reproduce.reflex.tile64 import REFLEX, TREE, WIRES, cycle_ns, network

__all__ = ["model"]

SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (*STATIC, *ANYWHERE)}
MODELS = {
    REFLEX: "reflex",
    TREE: "reflex-tree",
    WIRES: "wires",
    "UDN/STN": "udn-stn",
    "dissemination by messages": "dissemination",
}
"""The scheme whose latency is the model of what is measured."""
OTHERS = tuple(MODELS)[1:]
GOOD = 0.1
"""The greatest difference of a good model."""


def model(work: Work) -> None:
    """Fig. 9: all cores of a square arrive together."""
    worst = _compare(work, (REFLEX,))
    work.claim(
        "the model is a good approximation: greatest difference, %",
        "good",
        100 * worst,
        "of our hardware, in place of TILE64; good: 10 % at most",
        holds=worst <= GOOD,
    )
    if work.rtl:
        _compare(work, OTHERS)


def _compare(work: Work, names: tuple[str, ...]) -> float:
    """Tell of models and hardware; return their greatest difference, over the hardware's."""
    found = hardware.cycles(work, names, [("together", 0)])
    cores = [side * side for side in hardware.SIDES]
    greatest = 0.0
    for name, rows in found.items():
        measured = [cycles for (cycles,) in rows]
        modelled = [_modelled(work, name, side) for side in hardware.SIDES]
        for n, ours, real in zip(cores, modelled, measured, strict=True):
            work.point(f"{name}, model", n, ours)
            work.point(f"{name}, RTL", n, real)
        apart = [abs(ours - real) / real for ours, real in zip(modelled, measured, strict=True)]
        for n, ours, real in zip(cores, modelled, measured, strict=True):
            work.claim(
                f"{name}, {n} cores: cycles of the model over RTL's {real}", None, ours / real
            )
        greatest = max(greatest, *apart)
    return greatest


def _modelled(work: Work, name: str, side: int) -> float:
    """Return what a scheme takes in the model, in cycles of the clock."""
    scheme = SCHEMES[MODELS[name]]
    kind = "mesh" if name == WIRES else "static"
    place: AnySpec = hardware.Barrier(kind, "").network(side)
    cost = scheme.cost(place, place.topology.nodes, network(work.values))
    return cost.latency_ns / cycle_ns(work.values)
