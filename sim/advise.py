"""Which variant of a barrier fits: what is asked for, planned in every variant and compared.

Cycles are bounds of plans; those of software are a measured mean (``software.csv``, of
``scripts/bench "of cores on an 8x8"``). Area and clock are measured on an ECP5
(``variants.csv``, of ``scripts/bench variants``).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from syncfabric.models.errors import SyncfabricError, check_range
from syncfabric.models.networks import reader
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.tables import Titled, table


@dataclass(frozen=True)
class Asked:
    """What barriers are needed.

    Parameters
    ----------
    nodes : (int, int)
        Columns and rows of the mesh.
    members, groups : int
        Members of a group, drawn at random, and groups at one time.
    data : int
        Bits that a barrier combines.
    vector : bool
        Whether groups reduce vectors, too.
    dynamic : bool
        Whether groups are set up and torn down by packets at run time.
    faults : bool
        Whether lost and corrupt flits must be detected.
    seed : int

    Raises
    ------
    SpecError
        A number is out of range.
    """

    nodes: tuple[int, int] = (8, 8)
    members: int = 16
    groups: int = 1
    data: int = 0
    vector: bool = False
    dynamic: bool = False
    faults: bool = False
    seed: int = 1

    def __post_init__(self) -> None:
        columns, rows = self.nodes
        for name, value, least, most in (
            ("--nodes: columns", columns, 2, 64),
            ("--nodes: rows", rows, 2, 64),
            ("--members", self.members, 2, columns * rows),
            ("--groups", self.groups, 1, 256),
            ("--data", self.data, 0, 32),
        ):
            check_range(name, value, least, most)


@dataclass(frozen=True)
class Variant:
    """A kind of barrier.

    Parameters
    ----------
    name, words : str
    block : str
        Of ``syncfabric synth``: a node with this variant.
    keys : callable
        What is asked to keys of ``[network]``, besides those of all.
    planner : str
        Of its groups; empty: the network's default.
    static : bool
        Whether it is a static network: a kind of its own, whose barriers carry no data.
    streams : bool
        Whether its groups have streams.
    """

    name: str
    words: str
    block: str
    keys: Callable[[Asked], Mapping[str, object]] = lambda _: {}
    planner: str = ""
    static: bool = False
    streams: bool = False

    def file(self, asked: Asked) -> str:
        """Return a network file with groups of random members."""
        columns, rows = asked.nodes
        kind = "static" if self.static else "mesh"
        keys: dict[str, Any] = {"kind": kind, "width": columns, "height": rows}
        if not self.static:
            keys |= {"data_bits": asked.data, **self.keys(asked)}
            keys |= {"groups": asked.groups} if asked.groups > 16 else {}
            keys |= {"setup": "manager"} if asked.dynamic else {}
            keys |= {"check_bits": 8, "watchdog": 1024} if asked.faults else {}
        lines = [f'name = "{self.name.replace(" ", "_")}"', "", "[network]"]
        lines += [f"{key} = {_toml(value)}" for key, value in keys.items()]
        for number in range(asked.groups):
            members = f"{{ random = {asked.members}, seed = {asked.seed + number} }}"
            lines += ["", "[[group]]", f"id = {number}", f"members = {members}"]
            lines += [f'planner = "{self.planner}"'] if self.planner else []
            stream = self.streams and (asked.vector or number < 4)
            lines += ["stream = true"] if stream else []
        return "\n".join([*lines, ""])


def _with_streams(asked: Asked) -> Mapping[str, object]:
    channels = min(1 << (asked.groups - 1).bit_length(), 4)
    return {"wires": max(asked.groups, channels), "streams": channels}


VARIANTS = (
    Variant(
        "wires",
        "barrier wires, a slot a group",
        "mesh-node-wires",
        lambda asked: {"wires": asked.groups},
        "wires",
    ),
    Variant("messages", "messages on links of their own", "mesh-node"),
    Variant(
        "shared messages",
        "messages on the links of packets",
        "mesh-node message_links=shared",
        lambda _: {"message_links": "shared"},
    ),
    Variant(
        "streams",
        "wires, and vectors reduced in the routers",
        "mesh-node-streams",
        _with_streams,
        streams=True,
    ),
    Variant(
        "static tree",
        "a multicast tree of a static network",
        "static-node",
        planner="tree",
        static=True,
    ),
    Variant(
        "static ring", "a ring of a static network", "static-node", planner="ring", static=True
    ),
)
SOFTWARE, MOST_MEASURED = "software", 64


@dataclass(frozen=True)
class Fit:
    """How a variant fits.

    Attributes
    ----------
    name, words : str
    cycles : int or None
        The greatest bound of its groups, from the last arrival to the last release.
    ns : float or None
        The same at its clock.
    lut4 : int or None
        Of a node with the router.
    mhz : float or None
    file : str
        A network file, if it fits.
    why_not : str
    """

    name: str
    words: str
    cycles: int | None = None
    ns: float | None = None
    lut4: int | None = None
    mhz: float | None = None
    file: str = ""
    why_not: str = ""


@dataclass(frozen=True)
class Advice:
    """All variants, those that fit first, by time."""

    asked: Asked
    fits: tuple[Fit, ...]

    @property
    def best(self) -> Fit | None:
        """The fastest that fits in hardware."""
        return next((fit for fit in self.fits if fit.file), None)

    def to_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {"asked": vars(self.asked), "fits": [vars(fit) for fit in self.fits]}

    def parts(self) -> Iterator[Titled | str]:
        """Yield the tables that are printed."""
        columns, rows = self.asked.nodes
        title = (
            f"{self.asked.groups} groups of {self.asked.members} members on a {columns}x{rows}"
            f" mesh, {self.asked.data} bits of data"
        )
        shown = {
            "variant": "name",
            "bound\n(cycles)": "cycles",
            "time\n(ns)": "ns",
            "LUT4\na node": "lut4",
            "clock\n(MHz)": "mhz",
            "what it is": "words",
        }
        fitting = [fit for fit in self.fits if not fit.why_not]
        yield Titled(title, table(fitting, shown), words=("what it is",))
        refused = [fit for fit in self.fits if fit.why_not]
        if refused:
            heads = {"not": "name", "because": "why_not"}
            yield Titled("", table(refused, heads), words=("because",))
        best = self.best
        yield f"take {best.name}: {best.words}" if best else "no hardware variant fits"


def measured(file: str = "variants.csv") -> dict[str, dict[str, float]]:
    """Return what was measured, a row each by its first column.

    Parameters
    ----------
    file : str
        ``variants.csv``: LUT4, FF and MHz by block; ``software.csv``: cycles by members.
    """
    lines = files("syncfabric.sim").joinpath(file).read_text("utf-8").splitlines()
    _, *heads = lines[0].split(",")
    rows = (line.split(",") for line in lines[1:])
    return {name: dict(zip(heads, map(float, values), strict=True)) for name, *values in rows}


def advise(asked: Asked) -> Advice:
    """Plan what is asked for in every variant.

    Parameters
    ----------
    asked : Asked
    """
    figures = measured()
    fits = [_fit(variant, asked, figures[variant.block]) for variant in VARIANTS]
    fits.append(_software(asked, figures["router-xy"]))
    return Advice(asked, tuple(sorted(fits, key=lambda fit: (bool(fit.why_not), fit.ns or 0))))


def _fit(variant: Variant, asked: Asked, figures: Mapping[str, float]) -> Fit:
    if why_not := _lacks(variant, asked):
        return Fit(variant.name, variant.words, why_not=why_not)
    file = variant.file(asked)
    try:
        plan = make_plan(reader.loads(file))
    except SyncfabricError as error:
        return Fit(variant.name, variant.words, why_not=str(error))
    cycles = max(group.bound for group in plan.groups)
    return _timed(variant.name, variant.words, cycles, figures, file)


def _timed(name: str, words: str, cycles: int, figures: Mapping[str, float], file: str = "") -> Fit:
    ns = round(cycles * 1000 / figures["mhz"], 1)
    return Fit(name, words, cycles, ns, int(figures["lut4"]), figures["mhz"], file)


def _lacks(variant: Variant, asked: Asked) -> str:
    """Return what a variant cannot do at all."""
    if asked.vector and not variant.streams:
        return "it has no vectors"
    if variant.static:
        for wanted, words in (
            (asked.data, "its barriers carry no data"),
            (asked.faults, "its links have no checks"),
            (asked.dynamic, "cores set it up, not packets"),
        ):
            if wanted:
                return words
    return ""


def _software(asked: Asked, figures: Mapping[str, float]) -> Fit:
    """Return barriers of software over packets, as measured for at least so many members."""
    words = "dissemination by packets of cores' software, mean of 8x8"
    for wanted, why_not in (
        (asked.data, "it was measured without data"),
        (asked.vector, "vectors: see cores"),
        (max(asked.members - MOST_MEASURED, 0), f"it was measured to {MOST_MEASURED} members"),
    ):
        if wanted:
            return Fit(SOFTWARE, words, why_not=why_not)
    size = 1 << (asked.members - 1).bit_length()
    cycles = int(measured("software.csv")[str(size)]["cycles"])
    return _timed(SOFTWARE, words, cycles, figures)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{value}"' if isinstance(value, str) else str(value)
