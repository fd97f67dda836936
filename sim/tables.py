"""Plans and results as tables: what the command line prints, ``print`` in Python, and notebooks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.spread import Spread
from syncfabric.sim.words import network_words, node_words

if TYPE_CHECKING:
    from rich.console import Console

    from syncfabric.models.planning.group_plan import GroupPlan
    from syncfabric.models.planning.plan import BarrierPlan

Rows = tuple[list[str], list[list[str]]]
"""Heads of the columns, of up to three lines, and the rows below them."""
Item = TypeVar("Item")

NONE = "–"
SHOWN = 16
"""Entries of a group, or switches of its ring or tree, that are printed unasked."""
WIDEST = 84
"""Letters of a line of words; what is longer goes on in the next."""


class Titled(NamedTuple):
    """A table, and the lines above and below it; heads in ``words`` have columns of words."""

    title: str
    content: Rows
    below: str = ""
    words: tuple[str, ...] = ()


def cell(value: Any) -> str:
    """Return a value as a table shows it: numbers grouped, spreads as least / median / greatest."""
    if value is None or value == "":
        return NONE if value is None else ""
    if isinstance(value, Spread):
        return f"{value.min} / {value.median:g} / {value.max}"
    if isinstance(value, tuple):
        return node_words(value)
    return value if isinstance(value, str) else f"{value:,}"


def table(items: Iterable[Item], columns: Mapping[str, str | Callable[[Item], Any]]) -> Rows:
    """Return a table of items, a row each.

    Parameters
    ----------
    items : iterable
    columns : mapping of str to str or callable
        By head the attribute that the column shows, or what makes a value of an item.
    """
    rows = [
        [cell(getattr(item, of) if isinstance(of, str) else of(item)) for of in columns.values()]
        for item in items
    ]
    return list(columns), rows


def plan_parts(plan: "BarrierPlan", *, whole: bool = False) -> Iterator[Titled | str]:
    """Yield a plan's groups, notes, and the registers or routes of each group.

    Parameters
    ----------
    plan : BarrierPlan
    whole : bool
        All registers, however many; else the first few of each group.
    """
    yield Titled(f"{plan.spec.name}: {network_words(plan.spec.network)}", plan_rows(plan))
    if lines := "".join(f"note: {note}\n" for note in notes(plan)):
        yield lines
    for group in plan.groups:
        title, (heads, rows) = _routes(group) if group.static else _entries(group)
        rest = 0 if whole else len(rows[SHOWN:])
        below = f"and {rest:,} more: --registers prints all" if rest else ""
        yield Titled(title, (heads, rows if whole else rows[:SHOWN]), below)


def as_text(parts: Iterable[Titled | str]) -> str:
    """Return what is shown, as plain text."""
    from rich.console import Console

    text = StringIO()
    # Not a terminal's colours, nor a notebook's display.
    show(
        Console(file=text, highlight=False, width=80, force_terminal=False, force_jupyter=False),
        parts,
    )
    return text.getvalue().rstrip("\n")


def show(screen: "Console", parts: Iterable[Titled | str]) -> None:
    """Print tables and lines."""
    for part in parts:
        if isinstance(part, str):
            screen.print(part, markup=False, soft_wrap=True)
        else:
            print_table(screen, part)


def print_table(screen: "Console", titled: Titled) -> None:
    """Print a table and an empty line; on a narrow terminal whole all the same."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    heads, rows = titled.content
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for head in heads:
        side: Literal["left", "right"] = "left" if head in titled.words else "right"
        most = WIDEST if side == "left" else None
        drawn.add_column(head, justify=side, vertical="bottom", no_wrap=not most, max_width=most)
    for row in rows:
        drawn.add_row(*map(Text, row))
    whole = screen.measure(drawn, options=screen.options.update(width=10_000)).maximum
    screen.width = max(screen.width, whole)
    # Not the table's own title and caption, which its width would wrap.
    screen.print(titled.title, style="bold", markup=False, soft_wrap=True)
    screen.print(drawn)
    if titled.below:
        screen.print(titled.below, style="dim italic", markup=False, soft_wrap=True)
    screen.print()


def html_table(rows: Rows, lines: Sequence[str] = ()) -> str:
    """Return rows, and lines below them, as HTML for a notebook."""
    heads, body = rows
    head = "".join(f"<th>{escape(cell).replace(chr(10), '<br>')}</th>" for cell in heads)
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in body)
    inner = "".join(f"<tr>{row}</tr>" for row in cells)
    below = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{inner}</tbody></table>{below}"


def plan_rows(plan: "BarrierPlan") -> Rows:
    """Return a plan's table, a row a group; beside wires with what each group travels on.

    Of a static network the rings and trees; the least bound where one is longer than need be.
    """
    first: dict[str, Any] = {"group": "id", "members": lambda group: len(group.members)}
    return table(plan.groups, first | _columns(plan.spec.network, plan))


_ROOTS = {
    "mesh": {"root": "root"},
    "irregular": {"root\nswitch": "root_switch", "root\nnode": "root"},
}


@singledispatch
def _columns(network: Any, plan: "BarrierPlan") -> dict[str, Any]:
    first = network.shape.entry_registers

    def travels(group: "GroupPlan") -> str:
        slot = group.slot_register
        return "messages" if slot is None else f"slot {slot - first}"

    columns: dict[str, Any] = {"planner": "planner"}
    columns |= {"travels\nas": travels} if network.wires else {}
    columns |= _ROOTS[network.kind]
    columns |= {"tree\nheight": "height", "longest\npath\n(hops)": "longest_path"}
    columns["bound\n(cycles)"] = bound_words
    if any(group.stream_bound is not None for group in plan.groups):
        columns["stream\n(cycles)"] = "stream_bound"
    return columns


@_columns.register(StaticSpec)
def _(network: StaticSpec, plan: "BarrierPlan") -> dict[str, Any]:
    columns = {"kind": "planner", "longest\npath\n(links)": "longest_path", "links": "links"}
    columns |= {"root": "root", "bound\n(cycles)": "bound"}
    if any(group.bound > group.bound_least for group in plan.static_groups):
        columns["least\nbound\n(cycles)"] = "bound_least"
    return columns


def bound_words(group: "GroupPlan | Any") -> str | int | None:
    """Return a group's bound, and that of planner btm where it is another."""
    bound, btm = group.bound, group.bound_btm
    return bound if None in (bound, btm) or btm == bound else f"{bound} (btm {btm})"


def _entries(group: "GroupPlan") -> tuple[str, Rows]:
    """Return the entries of a group in the routers of its tree, the root's first."""
    shape, mesh = group.tree, group.graph.columns > 0

    def port(number: int) -> str:
        if mesh:
            return "process" if number == Port.LOCAL else Port(number).name.lower()
        return str(number)

    rows = []
    for i, router in enumerate(shape.routers.tolist()):
        up = int(shape.parent_port[i])
        children = ", ".join(port(child) for child in shape.children(i))
        name = group.graph.shown(router)
        parent = "root" if up < 0 else port(up)
        rows.append([node_words(name), str(group.placement[router]), parent, children])
    heads = ["router", "entry", "parent\nport", "children\nports"]
    return f"entries of group {group.id} ({group.op})", (heads, rows)


def _routes(group: "GroupPlan") -> tuple[str, Rows]:
    """Return the input of each output of a group's switches, the root's first."""
    from syncfabric.models.planning.static_routes import role_of

    graph, routes = group.graph, group.routes()
    names = {port: str(port) for port in range(graph.ports)}
    if graph.columns:
        names = {port: "core" if port is Port.LOCAL else port.name.lower() for port in Port}
    elif graph.own:
        names[graph.ports - 1] = "core"
    home = graph.port_of(group.route.root)[0]
    order = group.ring or [home, *(switch for switch, _ in group.edges or ())]
    roles = [(graph.port_of(node), role_of(group, node).name) for node in group.members]

    def role(switch: int) -> str:
        words = (name.lower().replace("_", " ") for (at, _), name in roles if at == switch)
        return ", ".join(words)

    def from_port(port: int) -> Callable[[int], str]:
        return lambda switch: names.get(routes.get((switch, port), -1), "")

    used = {port for _, port in routes} if not graph.columns else names.keys()
    columns: dict[str, Any] = {
        "node" if graph.own else "switch": lambda s: node_words(graph.shown(s))
    }
    columns["role"] = role
    columns |= {
        f"{name}\ninput\nfrom": from_port(port) for port, name in names.items() if port in used
    }
    title = f"routes of group {group.id} ({group.planner})"
    if group.flits is not None:
        title += f": {group.flits} flits an episode"
    return title, table(dict.fromkeys(order), columns)


def notes(plan: "BarrierPlan") -> tuple[str, ...]:
    """Return what a reader should know of a plan: its network, its size, the members left out."""
    from syncfabric.models.planning.updown import MOST_ROUTED

    network = plan.spec.network
    made = [*getattr(network, "notes", ())]
    if (routers := getattr(network, "switches", None) or 0) > MOST_ROUTED:
        made.append(
            f"planned only: {routers:,} switches are too many to build, above {MOST_ROUTED:,}"
        )
    if getattr(network, "routing", "") == "adaptive":
        made.append("packets are unordered: two between the same nodes may overtake each other")
    if plan.without:
        made.append(f"planned without {plan.without}")
        ids = {group.id for group in plan.groups}
        for gid, members in plan.left_out.items():
            gone = "" if gid in ids else ", and with that all of it"
            made.append(f"group {gid}: {', '.join(map(node_words, members))} left out{gone}")
    return tuple(made)
