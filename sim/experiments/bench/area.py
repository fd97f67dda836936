"""Area and clock of blocks and networks, beside other projects' blocks.

They are asked of ``syncfabric synth`` as a user does: `sim` does not know of `fpga`.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

from syncfabric.sim.advise import measured
from syncfabric.sim.experiments.claim import Claim, figure
from syncfabric.sim.experiments.frame import Experiment, section

DEVICE = "ecp5-45k"
"""Speed grade 6, as all ECP5s here."""
AIM_MHZ = "200"
"""Clock that placement aims at: above all that is reached."""


def synthesized(design: str, *options: str, device: str = DEVICE) -> dict[str, Any]:
    """Return what ``syncfabric synth`` says of a block, or of a network's file.

    Raises
    ------
    RuntimeError
        It broke off: the message is its own, in one line.
    """
    command = [sys.executable, "-m", "syncfabric", "synth", design, "--device", device, "--json"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        error = next((line for line in lines if line.startswith("error: ")), lines[-1])
        raise RuntimeError(f"{design}: {error}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _set(keys: tuple[str, ...]) -> list[str]:
    return [word for key in keys for word in ("--set", key)]


def _measured(rows: Callable[[], Iterator[Claim]]) -> Experiment:
    """Return a section that ends with a line on what could not be measured."""

    @wraps(rows)
    def until_missing() -> Iterator[Claim]:
        try:
            yield from rows()
        except RuntimeError as error:
            yield figure("tools", f"not measured: {error}")

    return section(until_missing)


ROUTERS = """\
bsg_mesh_router, 32 bits: 872 LUT4, 37 FF, 95 MHz
bsg wormhole router, 32 bits: 932 LUT4, 71 FF, 87 MHz
RaveNoC, 1 channel: 1,412 LUT4, 425 FF, 107 MHz"""
BARRIERS = "bsg_barrier, one barrier, 5 ports: 23 LUT4, 7 FF, 231 MHz"
"""Blocks of other projects by the same tools on the same device; the median clock."""


class Aim(NamedTuple):
    """A block, and what it has to reach."""

    block: str
    lut4: int = 0
    """At most; 0 where it is only reported."""
    mhz: int = 0
    """At least, as the median of three seeds."""
    options: tuple[str, ...] = ()
    """Of ``syncfabric synth``."""
    peers: str = ""


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


@_measured
def area() -> Iterator[Claim]:
    """Area and clock on an ECP5: LUT4, FF, MHz of three seeds."""
    for aim in AIMS:
        name = " ".join((aim.block, *aim.options))
        found = synthesized(aim.block, *aim.options, "--freq", AIM_MHZ)
        clock = found["fmax_mhz"]
        mhz = f"{clock['min']:g} / {clock['median']:g} / {clock['max']:g}"
        target = f"<= {aim.lut4:,} LUT4, >= {aim.mhz} MHz" if aim.lut4 else ""
        met = found["lut4"] <= aim.lut4 and clock["median"] >= aim.mhz
        measured = f"{found['lut4']:,}, {found['ff']:,}, {mhz}"
        yield figure(name, measured, target, met if aim.lut4 else None, aim.peers)


PLAIN, ENGINE, SLOTS = "router-xy", "router-engine", "slots"
COUNTS = (1, 4, 16)
"""Groups of an engine, and slots of barrier wires."""
PARTS: dict[str, dict[str, tuple[str, ...]]] = {
    ENGINE: {
        "4 data bits": ("data_bits=4", "operations=bitwise"),
        "all operations on 4 data bits": ("data_bits=4", "operations=all"),
        "links shared with packets": ("message_links=shared",),
        "8 check bits": ("check_bits=8",),
        "counters": ("counters=true",),
        "read-back": ("read_back=true",),
    },
    SLOTS: {
        "4 data bits": ("data_bits=4", "operations=bitwise"),
        "parity": ("check_bits=8",),
        "a watchdog": ("watchdog=1000",),
    },
}
"""By block, as large as it is by default: what is added to it, and the keys that add it."""
_HELD = {ENGINE: ("groups", "group"), SLOTS: ("wires", "slot")}
"""By block: the key that says how many it holds, and of what."""


@_measured
def area_parts() -> Iterator[Claim]:
    """What each part of a router adds: LUT4, FF (5 ports, 4-flit buffers)."""
    plain = _area(PLAIN)
    yield figure("router of packets, no barriers", _words(plain))
    for block, parts in PARTS.items():
        key, one = _HELD[block]
        sizes = {count: _area(block, f"{key}={count}") for count in COUNTS}
        for count, size in sizes.items():
            more = f" (plain {_more(size, plain)})" if block == ENGINE else ""
            yield figure(f"{block}: {count} {one}{'s' if count > 1 else ''}", _words(size) + more)
        few, many = COUNTS[0], COUNTS[-1]
        each = [(b - a) / (many - few) for a, b in zip(sizes[few], sizes[many], strict=True)]
        yield figure(f"{block}: a {one} of {many}", f"+{each[0]:.0f}, +{each[1]:.0f}")
        usual = _area(block)
        for name, keys in parts.items():
            size = _area(block, *keys)
            yield figure(f"{block}: {name}", f"{_words(size)} ({_more(size, usual)})")


def _area(block: str, *keys: str) -> tuple[int, int]:
    """Return LUT4 and FF of a block."""
    found = synthesized(block, "--area", *_set(keys))
    return found["lut4"], found["ff"]


def _words(size: tuple[int, int]) -> str:
    return f"{size[0]:,}, {size[1]:,}"


def _more(size: tuple[int, int], base: tuple[int, int]) -> str:
    return ", ".join(f"{a - b:+,}" for a, b in zip(size, base, strict=True))


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


@_measured
def generic_area() -> Iterator[Claim]:
    """Generic area: gates and flip-flop bits, memories included; iCE40: LUT4, FF, block RAM."""
    for block, keys, device in GENERIC:
        name = " ".join((block, *keys, device))
        found = synthesized(block, "--area", *_set(keys), device=device)
        cells = ("gates", "ff") if found["gates"] else ("lut4", "ff", "block_ram")
        yield figure(name, ", ".join(f"{found[cell]:,}" for cell in cells))


MESSAGES = {"kind": "mesh", "width": 8, "height": 8, "transport": "link", "channels": 0}
"""An 8x8 mesh of messages alone: engines of 16 groups on links of their own, and no packets."""
LARGE_DEVICE, LARGEST = "ecp5-85k", 25_000
"""What it is placed on, and LUT4 that its smallest form may take."""
LESS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("all parts: 4 data bits, 16 registers a node", {}),
    ("no data", {"data_bits": 0}),
    ("4 registers a node", {"port_registers": 4}),
    ("no read-back of entries", {"read_back": False}),
    ("no counters", {"counters": False}),
    ("2 registers a node", {"port_registers": 2}),
)
"""What each row has less than the one before it."""


@_measured
def network_area() -> Iterator[Claim]:
    """Network area, 8x8 mesh of messages alone on an ECP5: LUT4, FF, LUT RAM."""
    keys = dict[str, Any](MESSAGES)
    for name, fewer in LESS:
        keys |= fewer
        lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "messages.toml"
            file.write_text("\n".join(['name = "messages"', "[network]", *lines, ""]))
            found = synthesized(str(file), "--area", device=LARGE_DEVICE)
        measured = ", ".join(f"{found[part]:,}" for part in ("lut4", "ff", "distributed_ram"))
        target = (f"<= {LARGEST:,} LUT4", found["lut4"] <= LARGEST) if name == LESS[-1][0] else ()
        yield figure(name, measured, *target)


@_measured
def variants() -> Iterator[Claim]:
    """Variants of a node, as ``syncfabric advise`` has them: LUT4, FF, median MHz."""
    for design, kept in measured().items():
        block, *keys = design.split()
        found = synthesized(block, *_set(tuple(keys)), "--freq", AIM_MHZ)
        now = found["lut4"], found["ff"], found["fmax_mhz"]["median"]
        words = ", ".join(f"{value:,}" for value in now)
        kept_words = ", ".join(f"{value:,g}" for value in kept.values())
        yield figure(design, words, kept_words, now == tuple(kept.values()))
