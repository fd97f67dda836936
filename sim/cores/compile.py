"""Programs in C, compiled for the cores of a system, and cached by what they are made of."""

import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from syncfabric.models.cache import cache_folder, fingerprint
from syncfabric.models.errors import ProgramError, SpecError, ToolError, how_to_install
from syncfabric.models.messages.core import MOST_MEMORY_KIB
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.register_map.c_header import c_header
from syncfabric.models.register_map.c_programs import core_header, tree_blocks
from syncfabric.sim.cores.program import Program, read_program
from syncfabric.sim.simulators.cache import Cache
from syncfabric.sim.simulators.process import version_line

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
    package = find_spec("ziglang")
    if package is None or package.origin is None:
        raise ToolError(
            "there is no C compiler for RISC-V; name a RISC-V gcc in SYNCFABRIC_CC, or take the "
            f"package ziglang and {how_to_install('cores')}"
        )
    kept = str(cache_folder() / "zig")
    return Toolchain(
        (str(Path(package.origin).with_name("zig")), "cc", *_ZIG_FLAGS),
        (),
        f"ziglang {version('ziglang')}",
        {**os.environ, "ZIG_GLOBAL_CACHE_DIR": kept, "ZIG_LOCAL_CACHE_DIR": kept},
    )


MEMORY_KIB = 32
STACK_BYTES = 1024
"""What a program must leave free for its stack."""

BARRIERS = (
    *("engine", "reflex", "reflex-tree", "reflex-software", "reflex-tree-software"),
    *("central", "tree", "dissemination", "tournament"),
)
"""What ``sf_barrier`` can be made of; in C with ``SF_`` before it, as ``SF_REFLEX_TREE``."""

_MOST_SECONDS = 120.0
"""Time of one call of the compiler: what includes a pipe would never end."""

_SCRIPT, _ELF, _SAID = "program.ld", "program.elf", "warnings.txt"

_FLAGS = (
    *("-std=c11", "-ffreestanding", "-nostdlib", "-fno-pic", "-fomit-frame-pointer", "-g"),
    *("-fno-asynchronous-unwind-tables", "-fno-sanitize=undefined", "-fno-stack-protector"),
    *("-ffunction-sections", "-fdata-sections", "-Wall", "-Wextra"),
)


def compile_program(
    source: Path,
    *,
    spec: NetworkSpec | None = None,
    barrier: str = "engine",
    memory_kib: int = MEMORY_KIB,
    defines: Mapping[str, str] = MappingProxyType({}),
    optimize: str = "-O2",
) -> Program:
    """Compile a program with the library.

    Parameters
    ----------
    source : Path
        A C file with ``int main(void)``, or the name of a ready-made program.
    spec : NetworkSpec, optional
        The network, whose sizes and register layout the program sees.
    barrier : str
        What ``sf_barrier`` is made of, one of ``BARRIERS``.
    memory_kib : int
        Memory of a core, 1 to 1024 KiB.
    defines : mapping of str to str
        Macros, as ``-D`` gives them.
    optimize : str
        The compiler's optimisation flag.

    Raises
    ------
    SpecError
        There is no such file or barrier, or the program does not fit the memory.
    ProgramError
        It does not compile, or not in time.
    ToolError
        There is no compiler.
    """
    source = source if source.exists() else ready_made().get(str(source), source)
    _check(source, spec, barrier, memory_kib, defines)
    tools, cache = find_toolchain(), Cache()
    flags = [*_FLAGS, optimize, f"-DSF_BARRIER=SF_{barrier.upper().replace('-', '_')}"]
    macros = [f"-D{name}={value}" if value else f"-D{name}" for name, value in defines.items()]
    # The library is compiled once for many programs: it knows only the macros that are its own.
    common = [*flags, *(macro for macro in macros if macro.startswith("-DSF_"))]
    library = _library(tools, cache, spec, common)
    given = [*flags, *macros, "-I", str(library), str(source.absolute())]
    # What the program includes decides, too: so what counts is the preprocessor's text.
    text, _ = _call(tools, [*given, "-E", "-P"], source)

    def make(scratch: Path, result: Path) -> None:
        script = scratch / _SCRIPT
        sizes = {"SF_MEMORY": memory_kib << 10, "SF_STACK": STACK_BYTES}
        words = (library / _SCRIPT).read_text(encoding="utf-8")
        script.write_text(re.sub("SF_MEMORY|SF_STACK", lambda word: str(sizes[word[0]]), words))
        objects = sorted(str(file) for file in library.glob("*.o"))
        output = ["-Wl,--gc-sections", f"-Wl,-T,{script}", "-o", str(result / _ELF)]
        _, said = _call(tools, [*given, *objects, *tools.libraries, *output], source, memory_kib)
        (result / _SAID).write_text(said, encoding="utf-8")

    made_of = {"text": text, "flags": flags, "version": tools.version, "library": library.name}
    settings = {**made_of, "source": source.name, "memory": memory_kib, "macros": macros}
    entry, _ = cache.get(fingerprint(settings, []), make)
    said = (entry / _SAID).read_text(encoding="utf-8")
    return read_program(entry / _ELF, source, memory_kib << 10, said)


def ready_made() -> dict[str, Path]:
    """Return the programs that come along, by their names."""
    folder = Path(str(files("syncfabric.sim.cores") / "programs"))
    return {file.stem: file for file in sorted(folder.glob("*.c"))}


def _check(
    source: Path,
    spec: NetworkSpec | None,
    barrier: str,
    memory_kib: int,
    defines: Mapping[str, str],
) -> None:
    if barrier not in BARRIERS:
        raise SpecError(
            f"barrier = {barrier!r} is not known; it must be one of {', '.join(BARRIERS)}"
        )
    if barrier.endswith("-software") and not (spec and spec.network.software_bits):
        raise SpecError(
            f"barrier = {barrier!r} is made of a static network's flits, and this is compiled for "
            f"{'no network' if spec is None else f'network {spec.name}, which has none'}; choose "
            "a static network, or another barrier"
        )
    if not 1 <= memory_kib <= MOST_MEMORY_KIB:
        raise SpecError(f"memory = {memory_kib} KiB: a core has 1 to {MOST_MEMORY_KIB} KiB")
    for name in defines:
        if not re.fullmatch(r"[A-Za-z_]\w*(\([\w, ]*\))?", name):
            raise SpecError(f"define {name!r} is no name of C; give it as NAME=VALUE")
    if not source.is_file():
        what = "it is a folder" if source.is_dir() else "no such file"
        names = ", ".join(ready_made())
        raise SpecError(f"{source}: {what}; name a C file, or a ready-made program: {names}")
    if source.suffix != ".c":
        raise SpecError(f"{source}: the name of a C file must end in .c")


def software() -> Traversable:
    """Return the folder of the library in C."""
    return files("syncfabric.sim.cores") / "software"


def _library(
    tools: Toolchain, cache: Cache, spec: NetworkSpec | None, flags: Sequence[str]
) -> Path:
    """Return a folder with the library: headers, linker script, and a compiled file a source."""
    texts = {
        file.name: file.read_text(encoding="utf-8")
        for file in software().iterdir()
        if file.name.endswith((".c", ".h", ".S", ".ld"))
    } | library_headers(spec)

    def make(scratch: Path, result: Path) -> None:
        for name, text in texts.items():
            place = scratch if name.endswith((".c", ".S")) else result
            (place / name).write_text(text, encoding="utf-8")
        sources = sorted(map(str, scratch.iterdir()))
        _call(tools, [*flags, "-I", str(result), "-c", *sources], scratch, folder=result)

    settings = {"texts": texts, "flags": list(flags), "version": tools.version}
    return cache.get(fingerprint(settings, []), make)[0]


def library_headers(spec: NetworkSpec | None) -> dict[str, str]:
    """Return the generated headers by their names; without a network, a core's words alone."""
    text = "" if spec is None else c_header(spec, "syncfabric") + tree_blocks(spec.network)
    return {"syncfabric_registers.h": core_header(), "syncfabric_network.h": text}


def _call(
    tools: Toolchain,
    arguments: Sequence[str],
    source: Path,
    memory_kib: int = 0,
    folder: Path | None = None,
) -> tuple[str, str]:
    """Call the compiler in a folder, or here; return standard output, and what it said."""
    command = [*tools.command, *arguments]
    try:
        code, out, said = _run(command, tools.environment, folder)
    except OSError as error:
        raise ToolError(f"{command[0]} cannot be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise ProgramError(
            f"{source}: it is still not compiled after {_MOST_SECONDS:g} s; does it include a "
            "file without an end?"
        ) from error
    said = said.replace(str(source.absolute()), str(source))
    if code == 0:
        return out, said
    over = [int(count) for count in re.findall(r"overflowed by (\d+) bytes", said)]
    if over:
        raise SpecError(
            f"{source}: it does not fit the {memory_kib} KiB of a core: it takes "
            f"{max(over)} bytes too many, with {STACK_BYTES} for the stack; choose a larger "
            "--memory"
        )
    raise ProgramError(f"{source}: it does not compile:\n{_errors(said)}")


def _run(
    command: Sequence[str], environment: Mapping[str, str], folder: Path | None
) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error."""
    with subprocess.Popen(
        command,
        env=dict(environment),
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            out, said = process.communicate(timeout=_MOST_SECONDS)
        except BaseException:  # time is up, or Ctrl-C: compilers have children
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, out, said


def _errors(said: str) -> str:
    """Return what is wrong and where, without the notes and warnings around it."""
    lines = said.splitlines()
    chosen = [line for line in lines if re.search(r"\berror: |undefined reference", line)]
    seen = [re.sub(r"^(.*ld(\.lld)?: )?error: ", "", line) for line in chosen or lines[-5:]]
    return "\n".join(f"  {line}" for line in seen[:10])
