"""Area and clock of blocks on an ECP5, beside other projects' blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from syncfabric.sim.figures.row import Row
from syncfabric.sim.figures.synthesized import synthesized

__all__ = ["area", "figures", "generic_area"]

AIM_MHZ = "200"
"""Clock that placement aims at: above all that is reached."""


@dataclass(frozen=True)
class Peer:
    """A block of another project, by the same tools on the same device.

    Parameters
    ----------
    name : str
    lut4, ff : int
    mhz : str
        Median.
    """

    name: str
    lut4: int
    ff: int
    mhz: str

    def __str__(self) -> str:
        return f"{self.name}: {self.lut4:,} LUT4, {self.ff} FF, {self.mhz} MHz"


ROUTERS = (
    Peer("bsg_mesh_router, 32 bits", 872, 37, "95"),
    Peer("bsg wormhole router, 32 bits", 932, 71, "87"),
    Peer("RaveNoC, 1 channel", 1412, 425, "107"),
)
BARRIERS = (Peer("bsg_barrier, one barrier, 5 ports", 23, 7, "231"),)


@dataclass(frozen=True)
class Aim:
    """A block, and what it has to reach.

    Parameters
    ----------
    block : str
    lut4, mhz : int
        At most, and at least as the median of three seeds; 0 where it is only reported.
    options : tuple of str
        Of ``syncfabric synth``.
    peers : tuple of Peer
    """

    block: str
    lut4: int = 0
    mhz: int = 0
    options: tuple[str, ...] = ()
    peers: tuple[Peer, ...] = ()


AIMS = (
    Aim("router-xy", 846, 114, peers=ROUTERS),
    Aim("router-xy", options=("--fast",)),
    Aim("router-engine", 1220, 95),
    Aim("router-engine-two"),
    Aim("router-engine-shared", 1200, 98),
    Aim("router-engine-routed", 1550, 88),
    Aim("router-engine-256", 1400, 105),
    Aim("router-engine-guarded"),
    Aim("router-engine-full", 1480, 88),
    Aim("engine-8", 880, 85),
    Aim("engine-8-shared", 680, 86),
    Aim("slots", peers=BARRIERS),
    Aim("static-switch", 100, 175, ("--fast", "--delay", "2500")),
)


def area() -> Iterator[Row]:
    """Area and clock on an ECP5: LUT4, FF, MHz of three seeds."""
    for aim in AIMS:
        name = " ".join((aim.block, *aim.options))
        try:
            found = synthesized(aim.block, *aim.options, "--freq", AIM_MHZ)
        except RuntimeError as error:
            yield Row(name, f"not measured: {error}")
            return
        target = f"<= {aim.lut4:,} LUT4, >= {aim.mhz} MHz" if aim.lut4 else ""
        met = found["lut4"] <= aim.lut4 and found["fmax_mhz"]["median"] >= aim.mhz
        peers = "\n".join(map(str, aim.peers))
        yield Row(name, figures(found), target, met if aim.lut4 else None, peers)


GENERIC = (
    *(("router-xy", (), device) for device in ("gates", "ice40-hx8k")),
    *(
        (block, (f"groups={groups}",), device)
        for block in ("router-engine", "engine-8")
        for groups in (4, 16)
        for device in ("gates", "ice40-hx8k")
    ),
)
"""Block, keys and device: the engine's cost where there is no LUT RAM."""


def generic_area() -> Iterator[Row]:
    """Generic area: gates and flip-flop bits, memories included; iCE40: LUT4, FF, block RAM."""
    for block, keys, device in GENERIC:
        options = [word for key in keys for word in ("--set", key)]
        name = " ".join((block, *keys, device))
        try:
            found = synthesized(block, "--area", *options, device=device)
        except RuntimeError as error:
            yield Row(name, f"not measured: {error}")
            return
        cells = ("gates", "ff") if found["gates"] else ("lut4", "ff", "block_ram")
        yield Row(name, ", ".join(f"{found[cell]:,}" for cell in cells))


def figures(found: dict[str, Any]) -> str:
    """Return area and clock in words."""
    clock = found["fmax_mhz"]
    return (
        f"{found['lut4']:,}, {found['ff']:,}, "
        f"{clock['min']:g} / {clock['median']:g} / {clock['max']:g}"
    )
