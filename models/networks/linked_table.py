"""How a network file says which switches are linked: as lists, by a topology's name, or a file."""

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import Any, ClassVar, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import named
from syncfabric.models.networks.graph import read_graph
from syncfabric.models.networks.irregular import MOST_SWITCHES, Irregular
from syncfabric.models.networks.kinds import NetworkTable
from syncfabric.models.networks.random_network import RandomNetwork, draw_network
from syncfabric.models.networks.table import Flag, Text, Whole, WholePlace

PAIRS = {"links": ("links", "nodes"), "width": ("width", "height")}
"""The keys that a form cannot do without, where they are more than its first."""


def one_form(forms: Mapping[str, tuple[str, ...]], *others: str) -> ConfigDict:
    """Give the JSON Schema the forms, and no null for a key that is left out."""
    keys = dict.fromkeys(key for form in forms.values() for key in form)

    def extend(schema: dict[str, Any]) -> None:
        for key in ("ports", "interfaces", *keys, *others):
            schema["properties"][key].pop("default", None)
        for values in schema["properties"].values():
            for ours, name in (("ge", "minimum"), ("le", "maximum")):
                if ours in values:  # pydantic's own names, where a key may be left out
                    values[name] = values.pop(ours)

        def form(needed: tuple[str, ...], own: tuple[str, ...]) -> dict[str, Any]:
            wrong = sorted(keys.keys() - {*own})
            return {
                "required": [*needed],
                "not": {"anyOf": [{"required": [key]} for key in wrong]},
            }

        needed = PAIRS | {"random": ("random", "ports")}
        schema["oneOf"] = [form(needed.get(key, (key,)), own) for key, own in forms.items()]

    return ConfigDict(json_schema_extra=extend)


class LinkedTable(NetworkTable):
    """Keys of a table ``[network]`` that say where switches, links and nodes are."""

    FORMS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "links": ("links", "nodes", "switches"),
        "topology": ("topology", "nodes_per_switch"),
        "graph": ("graph",),
        "random": ("random",),
    }
    """The forms to say how the switches are linked, and the keys of each."""

    ports: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=2, le=16, description="Ports of every router; by default, as few as do."
    )
    interfaces: Flag | SkipJsonSchema[None] = Field(
        default=None,
        description="Whether nodes are at the far end of a link, or in the routers; those of a"
        " topology are in them by default, if each has exactly one.",
    )
    topology: Text | SkipJsonSchema[None] = Field(
        default=None, description='A topology by name, as "torus-8x8", in place of links.'
    )
    nodes_per_switch: Whole | SkipJsonSchema[None] = Field(
        default=None, ge=1, le=15, description="Nodes at each switch of a topology; by default 1."
    )
    switches: Whole | SkipJsonSchema[None] = Field(
        default=None,
        ge=1,
        le=MOST_SWITCHES,
        description="How many switches there are; by default the greatest number named, plus 1.",
    )
    links: tuple[tuple[WholePlace, WholePlace], ...] | SkipJsonSchema[None] = Field(
        default=None, description="Pairs of [switch, port] that a link joins."
    )
    nodes: tuple[WholePlace, ...] | SkipJsonSchema[None] = Field(
        default=None, description="Where the nodes sit, as [switch, port]."
    )
    graph: Text | SkipJsonSchema[None] = Field(
        default=None, description="A GraphML file or edge list, in place of links and nodes."
    )
    random: RandomNetwork | SkipJsonSchema[None] = Field(
        default=None, description="A random network, in place of links and nodes."
    )

    @model_validator(mode="after")
    def _names_the_links_once(self) -> Self:
        sides = (getattr(self, side, None) for side in PAIRS["width"])
        mesh = ["width"] * any(side is not None for side in sides)
        others = (key for key in self.FORMS if key != "width")
        forms = mesh + [key for key in others if getattr(self, key) is not None]
        if not forms and self.nodes is None:
            *some, last = (" and ".join(PAIRS.get(key, (key,))) for key in self.FORMS)
            raise SpecError(
                "network: nothing says how the switches are linked; "
                f"give {', '.join(some)} or {last}"
            )
        if len(forms) > 1:
            raise SpecError(
                f"network: {forms[0]} and {forms[1]} both say how the switches are linked; keep one"
            )
        form = next(iter(forms), "links")
        for other, keys in self.FORMS.items():
            for key in keys:
                if other != form and getattr(self, key) is not None:
                    raise SpecError(
                        f"network: {key} goes with {other}; {form} says it already: remove it"
                    )
        if form == "links" and self.links is None:
            raise SpecError("network: links is missing; add it ([] for a switch alone)")
        if form == "links" and self.nodes is None:
            raise SpecError("network: nodes is missing; say where they sit, as [switch, port]")
        if form == "random" and (self.ports is None or self.interfaces is False):
            raise SpecError(
                "network: random draws links and nodes for a number of ports; set ports, and leave"
                " interfaces out"
            )
        return self

    def linked(self, folder: Traversable) -> tuple[Irregular, tuple[str, ...]]:
        """Return switches, links and nodes, and notes on how they were made.

        Parameters
        ----------
        folder : Traversable
            Where the file named by ``graph`` is.

        Raises
        ------
        SpecError
            There is no such topology, or the file cannot be read or does not make sense.
        """
        if self.topology is not None:
            drawn = named(self.topology)
            return drawn.network(self.nodes_per_switch, self.ports, self.interfaces), ()
        if self.graph is not None:
            return read_graph(folder, self.graph, self.ports, self.interfaces), ()
        if self.random is not None:
            return draw_network(self.random, self.ports or 0)
        links, nodes = self.links or (), self.nodes or ()
        places = [*(place for link in links for place in link), *nodes]
        switches = self.switches or 1 + max((switch for switch, _ in places), default=0)
        ports = self.ports or max(2, *(1 + port for _, port in places))
        return Irregular(ports, switches, links, nodes, own=self.interfaces is False), ()
