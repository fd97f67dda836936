"""The C compiler for the cores: ziglang of PyPI, or any RISC-V gcc."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec

from syncfabric.models.errors import ToolError, how_to_install
from syncfabric.sim.simulators.cache import cache_folder
from syncfabric.sim.simulators.process import version_line

__all__ = ["Toolchain", "find_toolchain"]

_ZIG_FLAGS = ("-target", "riscv32-freestanding-none", "-mcpu=generic_rv32+m+relax")
_GCC_FLAGS = ("-march=rv32im", "-mabi=ilp32")


@dataclass(frozen=True)
class Toolchain:
    """A compiler on this machine.

    Parameters
    ----------
    command : tuple of str
        What calls it for a core, without the program's own flags.
    libraries : tuple of str
        What is linked last: the functions that it calls by itself.
    version : str
        What it says of itself.
    environment : mapping
        Its whole environment.
    """

    command: tuple[str, ...]
    libraries: tuple[str, ...]
    version: str
    environment: Mapping[str, str]


def find_toolchain() -> Toolchain:
    """Find a compiler: that of ``SYNCFABRIC_CC``, or else ziglang.

    Raises
    ------
    ToolError
        There is none; the message says how to get one.
    """
    if chosen := os.environ.get("SYNCFABRIC_CC"):
        words = shlex.split(chosen)
        if shutil.which(words[0]) is None:
            raise ToolError(
                f"SYNCFABRIC_CC names {words[0]}, which is not on PATH; name a RISC-V gcc that is, "
                f"or unset it to take the package ziglang, and {how_to_install('cores')}"
            )
        said = version_line([words[0], "--version"])
        return Toolchain((*words, *_GCC_FLAGS), ("-lgcc",), said, dict(os.environ))
    if find_spec("ziglang") is None:
        raise ToolError(
            "there is no C compiler for RISC-V; name a RISC-V gcc in SYNCFABRIC_CC, or take the "
            f"package ziglang and {how_to_install('cores')}"
        )
    kept = str(cache_folder() / "zig")
    return Toolchain(
        (sys.executable, "-m", "ziglang", "cc", *_ZIG_FLAGS),
        (),
        f"ziglang {version('ziglang')}",
        {**os.environ, "ZIG_GLOBAL_CACHE_DIR": kept, "ZIG_LOCAL_CACHE_DIR": kept},
    )
