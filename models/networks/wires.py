"""Barrier wires in a network: their parameters, and the rules of the keys that choose them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.slots import WIRE_OPERATIONS, WIRE_PLANNER
from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.networks.explain import choice, show

__all__ = ["WIRE_OPERATIONS", "WIRE_PLANNER", "WirePlane", "Wires", "check_wires"]

OF_WIRES = ("link_registers", "wires", "parity")
OF_MESSAGES = {
    "operations": f"slots combine by {choice(WIRE_OPERATIONS)}",
    "barrier_pipeline": "a slot always takes one cycle",
    "sync_links": "barriers have wires of their own",
    "turnaround": "the root's router turns a barrier around",
}
"""Keys that mean nothing where no barrier is a message, and what holds in their place."""
OF_PACKETS = ("flit_bits", "buffer_flits", "cycles_per_hop", "datelines", "tables")


@dataclass(frozen=True)
class WirePlane:
    """Parameters of barrier wires, the same in every unit (docs/microarchitecture-wires.md).

    Parameters
    ----------
    slots : int
        Slots of every unit, ``barrier_registers``, 1 to 64.
    data_bits : int
        Data bits of a barrier, 0 to 32.
    link_registers : int
        Registers P that every wire passes on a link, 0 to 3.
    shared : bool
        Whether a slot has one wire a direction (up or down as its tree runs) in place of two.
    parity : bool
        Whether each direction of a link has a parity wire.
    watchdog : int
        Cycles H; a process waits H to 2H cycles at most. 0: no watchdog.
    """

    slots: int
    data_bits: int
    link_registers: int = 0
    shared: bool = False
    parity: bool = False
    watchdog: int = 0

    @property
    def link(self) -> Layout:
        """The wires of a directed link as one word: ``wires`` wherever a link has ports."""
        data = self.slots * self.data_bits
        fields = [Field("up", self.slots, "level to the parent, or pulse where wires are shared")]
        if not self.shared:
            fields.append(Field("down", self.slots, "pulse to the children"))
        if data:
            fields.append(Field("up_data", data, "data of `up`, slot 0 in the low bits"))
        if data and not self.shared:
            fields.append(Field("down_data", data, "data of `down`"))
        if self.parity:
            fields.append(Field("parity", 1, "exclusive or of all others"))
        return Layout("barrier wires of a link", tuple(fields))


class Asks(Protocol):
    """The keys that decide it, whatever the kind."""

    # Read only, as the tables are frozen.
    @property
    def sync(self) -> Literal["messages", "wires", "both"]: ...
    @property
    def barrier_registers(self) -> int: ...
    @property
    def data_bits(self) -> int: ...
    @property
    def link_registers(self) -> int: ...
    @property
    def wires(self) -> Literal["shared", "separate"]: ...
    @property
    def parity(self) -> bool: ...
    @property
    def check_bits(self) -> int: ...
    @property
    def watchdog(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def setup(self) -> str: ...
    @property
    def managed(self) -> bool: ...
    @property
    def model_fields_set(self) -> set[str]: ...


class Wires:
    """What follows from these keys, for every kind of network."""

    @property
    def has_messages(self: Asks) -> bool:
        """Whether barriers can travel as messages."""
        return self.sync != "wires"

    @property
    def wire_plane(self: Asks) -> WirePlane | None:
        """The plane of barrier wires; None without."""
        if self.sync == "messages":
            return None
        return WirePlane(
            slots=self.barrier_registers,
            data_bits=self.data_bits,
            link_registers=self.link_registers,
            shared=self.wires == "shared",
            parity=self.parity,
            watchdog=self.watchdog,
        )

    @property
    def message_registers(self: Asks) -> int:
        """Barrier registers of a node, switch or router: for groups that are messages."""
        return 0 if self.sync == "wires" else self.barrier_registers

    @property
    def port_registers(self: Asks) -> int:
        """Registers of the node port and config port: those of messages, then slots of wires."""
        return self.barrier_registers * (2 if self.sync == "both" else 1)

    @property
    def guarded(self: Asks) -> bool:
        """Whether links have a guard at each end."""
        return self.check_bits > 0

    @property
    def watched(self: Asks) -> bool:
        """Whether registers of messages have a watchdog."""
        return self.watchdog > 0 and self.sync != "wires"

    @property
    def takes_last(self: Asks) -> bool:
        """Whether the node port has ``last``: managers hear when a group of messages is over."""
        return self.managed and self.sync != "wires"

    @property
    def tells_broken(self: Asks) -> bool:
        """Whether the node port has ``broken``."""
        return self.managed or self.sync != "messages" or self.watchdog > 0

    @property
    def first_slot(self: Asks) -> int:
        """The number that slot 0 has among the registers of the node port and config port."""
        return self.barrier_registers if self.sync == "both" else 0


def check_wires(network: Asks, defaults: Mapping[str, Any]) -> None:
    """Refuse keys that do not go with ``sync``.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
    defaults : dict
        The default of each of its keys.

    Raises
    ------
    SpecError
        Keys of wires without wires, of messages without messages, or of packets without channels;
        checks of links where nothing travels that they are for.
    """
    if network.sync == "messages":
        _check_messages(network, defaults)
    elif network.setup == "paper":
        raise SpecError(
            'network: setup = "paper" is for barriers that are messages, not for '
            f'sync = "{network.sync}"; set setup = "manager" or "local"'
        )
    if network.check_bits and network.sync == "wires" and not network.channels:
        raise SpecError(
            f"network: check_bits = {network.check_bits} is for packets and messages, and with "
            'sync = "wires" and channels = 0 there are none; set parity = true, or remove it'
        )
    if network.sync == "wires":
        for key in _given(network, defaults, OF_MESSAGES):
            raise SpecError(
                f"network: {key} = {show(getattr(network, key))} means nothing with "
                f'sync = "wires", where {OF_MESSAGES[key]}; remove it'
            )
    if not network.channels:
        _check_no_packets(network, defaults)


def _check_messages(network: Asks, defaults: Mapping[str, Any]) -> None:
    for key in _given(network, defaults, OF_WIRES):
        value = f"network: {key} = {show(getattr(network, key))}"
        raise SpecError(
            f'{value} is for barrier wires, and with sync = "messages" there are none; set '
            'sync = "wires" or "both", or remove it'
        )


def _check_no_packets(network: Asks, defaults: Mapping[str, Any]) -> None:
    if network.sync == "messages" and "sync_links" not in defaults:
        raise SpecError(
            "network: channels must be 1 to 4, not 0: messages of an irregular network travel on "
            'the links of packets; set channels = 1, or sync = "wires"'
        )
    if network.sync == "both":
        raise SpecError(
            'network: channels must be 1 to 4 with sync = "both", not 0; a network without '
            'packets is sync = "wires", or on a mesh "messages"'
        )
    if network.setup == "manager":
        default = "" if "setup" in network.model_fields_set else ", the default,"
        raise SpecError(
            f'network: setup = "manager"{default} needs packets, and with channels = 0 there are '
            'none; set setup = "local"'
        )
    for key in _given(network, defaults, OF_PACKETS):
        raise SpecError(
            f"network: {key} means nothing with channels = 0, where there are no packets; remove it"
        )


def _given(
    network: Asks, defaults: Mapping[str, Any], keys: Mapping[str, str] | tuple[str, ...]
) -> list[str]:
    """Return those of some keys that the kind has and whose value is not the default."""
    return [key for key in keys if key in defaults and getattr(network, key) != defaults[key]]
