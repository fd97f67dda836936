"""Programs on emulated cores: fast, and with every order of events that the contract allows."""

import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from syncfabric.models.messages.boot import BootGroup, boot_block
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.cores.compile import library_headers
from syncfabric.sim.cores.program import Program

NO_REGISTER = 255


@dataclass
class Run:
    """What cores did.

    Parameters
    ----------
    exits : dict of int to int
        Exit codes.
    puts : list of (int, int, int)
        Core, cycle and value, in order of the cycles.
    texts : dict of int to str
    faults : list of (int, str, str)
        Core, function and reason.
    stands : dict of int to str
        Functions of the cores that did not end.
    cycles : int
    """

    exits: dict[int, int] = field(default_factory=dict)
    puts: list[tuple[int, int, int]] = field(default_factory=list)
    texts: dict[int, str] = field(default_factory=dict)
    faults: list[tuple[int, str, str]] = field(default_factory=list)
    stands: dict[int, str] = field(default_factory=dict)
    cycles: int = 0

    def values(self, core: int) -> list[int]:
        """Return the numbers that a core put."""
        return [value for at, _, value in self.puts if at == core]


_FOLDERS = TemporaryDirectory(prefix="syncfabric-emulators-")
"""Goes when the tests end."""


@cache
def _built(header: str, network: str) -> Path:
    folder = Path(mkdtemp(dir=_FOLDERS.name))
    (folder / "syncfabric_registers.h").write_text(header)
    (folder / "syncfabric_network.h").write_text(network)
    source = Path(__file__).with_name("emulator.c")
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", f"-I{folder}"]
    subprocess.run(["gcc", *flags, source, "-o", folder / "emulator"], check=True)
    return folder / "emulator"


def world(cores: int, gid: int = 0) -> BootGroup:
    """Return the group of all cores, in register 0."""
    return BootGroup(gid, tuple(range(cores)), (0,) * cores)


def flit_buffers(plan: BarrierPlan, cores: int) -> Iterator[str]:
    """Yield a static network's buffers for flits that programs send, joined by a plan's routes.

    Each is a line: its places, how many others it leads to, and their numbers. The last lines are
    the cores' buffers: what a core sends goes to the first, and what it takes is in the second.
    """
    network = plan.spec.network
    assert isinstance(network, StaticSpec)
    mesh = network.graph
    inputs = [(switch, port) for switch in range(mesh.switches) for port in range(5)]
    numbers = {place: number for number, place in enumerate(inputs)}
    targets: dict[int, list[int]] = {number: [] for number in range(len(inputs))}
    for group in plan.groups:
        for (switch, out), port in group.routes().items():
            other = mesh.across(switch, out)
            target = len(inputs) + switch if other is None else numbers[other]
            targets[numbers[switch, port]].append(target)
    yield str(len(inputs) + len(mesh.nodes))
    for (_, port), ahead in zip(inputs, targets.values(), strict=True):
        places = network.injection_buffer if port == Port.LOCAL else network.switch_buffer
        yield " ".join(map(str, (places, len(ahead), *ahead)))
    yield from [f"{network.core_buffer} 0"] * len(mesh.nodes)
    for core in range(cores):
        yield f"{numbers[core, Port.LOCAL]} {len(inputs) + core}"


def emulate(
    program: Program,
    spec: NetworkSpec,
    cores: int,
    groups: Sequence[BootGroup] = (),
    *,
    seed: int = 1,
    slowest: int = 40,
    limit: int = 2_000_000,
) -> Run:
    """Run a program.

    Parameters
    ----------
    program : Program
    spec : NetworkSpec
        The network that it was compiled for.
    cores : int
    groups : sequence of BootGroup
        Set up by the host.
    seed : int
        Of all random times.
    slowest : int
        Cycles that a packet takes at most.
    limit : int
        Cycles.
    """
    headers = library_headers(spec)
    emulator = _built(*headers.values())
    image = bytearray(program.memory_bytes)
    for segment in program.segments:
        image[segment.address : segment.address + len(segment.data)] = segment.data
    boot = program.symbols["sf_boot"]
    boot_blocks = [boot_block(groups, core, boot.size, cores=cores) for core in range(cores)]
    blocks = [block.ljust(boot.size, b"\0") for block in boot_blocks]
    numbers = [cores, program.memory_bytes, program.entry, boot.address, slowest, boot.size]
    lines = [str(len(groups))]
    for group in groups:
        pairs = zip(group.members, group.registers, strict=True)
        endpoints = (
            f"{core} {NO_REGISTER if number is None else number}" for core, number in pairs
        )
        lines.append(f"{group.gid} {int(group.op)} {len(group.members)} {' '.join(endpoints)}")
    if isinstance(spec.network, StaticSpec):
        lines += flit_buffers(make_plan(spec), cores)
    text = " ".join(map(str, numbers)).encode() + b"\n"
    given = text + bytes(image) + b"".join(blocks) + "\n".join(lines).encode() + b"\n"
    done = subprocess.run([emulator, str(seed), str(limit)], input=given, capture_output=True)
    assert done.returncode == 0, done
    return _read(done.stdout.decode(), program)


def _read(text: str, program: Program) -> Run:
    run = Run()
    for line in text.splitlines():
        kind, core, cycle, *rest = line.split()
        place, run.cycles = int(core), max(run.cycles, int(cycle))
        if kind == "put":
            run.puts.append((place, int(cycle), int(rest[0])))
        elif kind == "putc":
            run.texts[place] = run.texts.get(place, "") + chr(int(rest[0]))
        elif kind == "exit":
            run.exits[place] = int(rest[0])
        elif kind == "fault":
            run.faults.append((place, program.function_at(int(rest[0], 16)) or "", rest[1]))
        else:
            run.stands[place] = program.function_at(int(rest[0], 16)) or ""
    return run
