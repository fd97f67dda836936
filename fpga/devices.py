"""The FPGAs that blocks are synthesized for, and gates of no technology."""

from dataclasses import dataclass, replace

from syncfabric.models.errors import SpecError

_AIM = "scratchpad -set abc9.D"

_FULL = 0.4
"""Share of a device's LUT4s above which nextpnr's usual placer and router come to no end."""


@dataclass(frozen=True)
class Device:
    """An FPGA, as Yosys and nextpnr know it; or gates, which Yosys alone knows.

    Parameters
    ----------
    name : str
        What the user calls it.
    family : {"ecp5", "ice40", "gates"}
        Which nextpnr places it; none does gates.
    synthesis : tuple of str
        Yosys commands, options that decide about area and speed included; the last one maps.
    options : tuple of str
        Options of nextpnr: size, speed grade, package.
    fast : tuple of str
        Those that give up area for speed, where there are any.
    aim : {"area", "speed"}
        What ``synthesis`` is for.
    luts, block_rams : int
        LUT4s and block RAMs that it has, where boards have it.
    """

    name: str
    family: str
    synthesis: tuple[str, ...]
    options: tuple[str, ...]
    fast: tuple[str, ...] = ()
    aim: str = "area"
    luts: int = 0
    block_rams: int = 0


def _ecp5(size: str, luts: int, block_rams: int) -> Device:
    # Wide multiplexers cost speed in crossbars; -abc9 knows the delays of the cells, and given one
    # to aim at (in ps, without the routing) it takes less area; of its scripts, this one takes
    # least (docs/fpga.md). Selectors are as small as can be, but only if they are not worked into
    # what is around them; that is slower.
    script = "scratchpad -copy abc9.script.flow2 abc9.script"
    keep, last = "setattr -mod -set keep_hierarchy 1 *four_words*", "synth_ecp5 -abc9 -nowidelut"
    synthesis = (keep, script, f"{_AIM} 4000", last)
    fast = (script, f"{_AIM} 3000", last)
    options = (f"--{size}", "--speed", "6", "--package", "CABGA381")
    return Device(
        f"ecp5-{size}", "ecp5", synthesis, options, fast, luts=luts, block_rams=block_rams
    )


def _ice40(size: str, package: str) -> Device:
    return Device(
        f"ice40-{size}", "ice40", ("synth_ice40 -abc9 -dff",), (f"--{size}", "--package", package)
    )


DEVICES: dict[str, Device] = {
    device.name: device
    for device in (
        _ecp5("25k", 24_288, 56),
        _ecp5("45k", 43_848, 108),
        _ecp5("85k", 83_640, 208),
        _ice40("hx8k", "ct256"),
        _ice40("up5k", "sg48"),
        Device("gates", "gates", ("synth -flatten",), ()),
    )
}
"""All devices by name; the ECP5s are of speed grade 6. Of gates, memories are flip-flops."""


def device_named(name: str, *, fast: bool = False, delay: int | None = None) -> Device:
    """Return a device, to be synthesized for as usual or for speed.

    Parameters
    ----------
    name : str
    fast : bool
    delay : int, > 0, optional
        Picoseconds of cells that ABC9 aims at, in place of its own.

    Raises
    ------
    SpecError
        There is none of that name, or no other option for it.
    """
    if name not in DEVICES:
        raise SpecError(f"device must be one of {', '.join(DEVICES)}, not {name!r}")
    device = DEVICES[name]
    if fast:
        if not device.fast:
            raise SpecError(f"fast is for ECP5 only, not {name}; leave it out")
        device = replace(device, synthesis=device.fast, aim="speed")
    if delay is None:
        return device
    if delay <= 0:
        raise SpecError(f"delay must be above 0 ps, not {delay}")
    if device.family != "ecp5":
        raise SpecError(f"delay is for ECP5 only, not {name}; leave it out")
    aimed = (f"{_AIM} {delay}" if one.startswith(_AIM) else one for one in device.synthesis)
    return replace(device, synthesis=tuple(aimed))


def effort_for(device: Device, lut4: int) -> tuple[str, ...]:
    """Return nextpnr's options by how full a design of some LUT4s makes the device.

    The usual placer fills its region to three quarters and leaves the rest empty; the static one
    spreads a design over the whole device. In a full region routes are not found (docs/fpga.md).
    """
    if not device.luts or lut4 <= _FULL * device.luts:
        return ("--router", "router1")
    return ("--placer", "static", "--router", "router2")
