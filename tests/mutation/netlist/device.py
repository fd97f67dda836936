"""A build of mutants, run in this process: one mutant at a time."""

import ctypes
import random
from collections.abc import Iterable, Mapping
from typing import Any

from tests.mutation.netlist.build import Mutants
from tests.rtl.support import SEED


class Device:
    """A block as one of its mutants, from reset on.

    Parameters
    ----------
    mutants : Mutants
    chosen : int
        The mutant's number; 0: none.
    """

    def __init__(self, mutants: Mutants, chosen: int) -> None:
        library = ctypes.CDLL(str(mutants.library))
        library.device_make.restype = library.device_port.restype = ctypes.c_void_p
        self._handle = ctypes.c_void_p(library.device_make())
        self._drop = library.device_drop
        self._eval, self._edge = library.device_eval, library.device_edge
        shapes = {"rst": 1, "mutant": mutants.width}
        shapes |= {name: width for name, (_, width) in mutants.ports.items()}
        self._words: dict[str, tuple[Any, int]] = {}
        for number, (name, width) in enumerate(shapes.items()):
            address = library.device_port(self._handle, number)
            kind = _kind(width)
            self._words[name] = kind.from_address(address), width
        self.ports = mutants.ports
        self.set("mutant", chosen)
        self._stale = True

    def __del__(self) -> None:
        self._drop(self._handle)

    def set(self, name: str, value: int) -> None:
        """Drive an input."""
        word, width = self._words[name]
        self._stale = True
        value &= (1 << width) - 1
        if width <= 64:
            word.value = value
        else:
            for place in range(len(word)):
                word[place] = value >> 32 * place & 0xFFFFFFFF

    def get(self, name: str) -> int:
        """Return a port as it is now."""
        if self._stale:
            self._eval(self._handle)
            self._stale = False
        word, width = self._words[name]
        if width <= 64:
            value: int = word.value
            return value
        return int.from_bytes(bytes(word), "little")

    def edge(self) -> None:
        """End the cycle."""
        if self._stale:
            self._eval(self._handle)
        self._edge(self._handle)
        self._stale = False

    def reset(self) -> None:
        """Clear all inputs, and reset."""
        for name, (direction, _) in self.ports.items():
            if direction == "in":
                self.set(name, 0)
        self.set("rst", 1)
        for _ in range(2):
            self.edge()
        self.set("rst", 0)


def _kind(width: int) -> Any:
    for bits, kind in ((8, ctypes.c_uint8), (16, ctypes.c_uint16), (32, ctypes.c_uint32)):
        if width <= bits:
            return kind
    return ctypes.c_uint64 if width <= 64 else ctypes.c_uint32 * -(-width // 32)


class Pins:
    """A device's ports, as `tests.rtl.support.Pins` has them."""

    def __init__(self, device: Device) -> None:
        self._device, self._driven = device, dict[str, int]()

    def clear(self) -> None:
        """Drive every input with 0."""
        self._driven.clear()
        for name, (direction, _) in self._device.ports.items():
            if direction == "in":
                self._device.set(name, 0)

    def shake(self, rng: random.Random) -> None:
        """Drive every input with something."""
        ports = self._device.ports.items()
        self.drive({n: rng.getrandbits(width) for n, (flow, width) in ports if flow == "in"})

    def drive(self, values: Mapping[str, int]) -> None:
        """Drive inputs; the others stay."""
        for name, value in values.items():
            if self._driven.get(name) != value and name in self._device.ports:
                self._device.set(name, int(value))
                self._driven[name] = value

    def read(self, names: Iterable[str]) -> dict[str, int]:
        """Return these outputs, as they are now."""
        ports, get = self._device.ports, self._device.get
        return {name: get(name) if name in ports else 0 for name in names}

    def __contains__(self, name: str) -> bool:
        return name in self._device.ports

    def __getitem__(self, name: str) -> int:
        return self.read([name])[name]


class Bench:
    """A device in the place of a simulator: what `tests.rtl.support.Bench` is for a harness."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self.pins = _Everyone(Pins(device))

    async def reset(self, *, shaken: int = 0) -> None:
        """Clear all inputs and reset, after some cycles with random inputs."""
        for cycle in range(shaken):
            self.pins.only.shake(random.Random(f"{SEED}/{cycle}"))
            self._device.edge()
        self.pins.only.clear()
        self._device.reset()

    async def reset_amid(self, rng: random.Random, **fixed: int) -> None:
        """Reset for one cycle, in which inputs but these are random; then clear all."""
        self.pins.only.shake(rng)
        self.pins.only.drive(fixed)
        self._device.set("rst", 1)
        self._device.edge()
        self._device.set("rst", 0)
        self.pins.only.clear()

    async def settle(self) -> None:
        """Do nothing: what is read is up to date."""

    async def edge(self) -> None:
        """End the cycle."""
        self._device.edge()


class _Everyone(dict[str, Pins]):
    """The only part, by whatever name."""

    def __init__(self, only: Pins) -> None:
        super().__init__()
        self.only = only

    def __missing__(self, name: str) -> Pins:
        return self.only
