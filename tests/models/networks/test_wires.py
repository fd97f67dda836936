"""Keys of barrier wires: what they make, and what they go with."""

import re
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks import reader, schema
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec, MeshSpec, NetworkSpec
from syncfabric.models.networks.wires import WirePlane
from tests.models.networks.irregulars import chain


def mesh(**keys: Any) -> MeshSpec:
    return MeshSpec(**{"kind": "mesh", "width": 8, "height": 8, **keys})


def local(**keys: Any) -> IrregularSpec:
    return chain(**{"setup": "local", **keys})


def refused(message: str, make: Any, **keys: Any) -> None:
    with pytest.raises(SpecError, match=f"^{re.escape(message)}$"):
        make(**keys)


def test_the_plane() -> None:
    assert mesh().wire_plane is None
    assert (mesh().has_messages, mesh().first_slot) == (True, 0)
    both = mesh(sync="both", barrier_registers=6)
    assert both.wire_plane == WirePlane(slots=6, data_bits=4)
    assert (both.has_messages, both.first_slot) == (True, 6)
    alone = local(
        sync="wires", wires="shared", parity=True, link_registers=2, watchdog=500, channels=0
    )
    assert alone.wire_plane == WirePlane(4, 6, 2, shared=True, parity=True, watchdog=500)
    assert (alone.has_messages, alone.first_slot, alone.link_channels) == (False, 0, 0)


@pytest.mark.parametrize("make", [mesh, local])
@pytest.mark.parametrize(
    ("key", "low", "high"),
    [("link_registers", 0, 3), ("watchdog", 0, 1_000_000), ("check_bits", 0, 8)],
)
def test_ranges(make: Any, key: str, low: int, high: int) -> None:
    for value in (low, high):
        assert getattr(make(sync="both", **{key: value}), key) == value
    for value in (low - 1, high + 1):
        rule = f"network: {key} must be {low} to {high}, not {value}"
        refused(rule, make, sync="both", **{key: value})


@pytest.mark.parametrize("make", [mesh, local])
def test_channels(make: Any) -> None:
    for value in (1, 4):
        assert make(channels=value).channels == value
    assert make(channels=0, sync="wires").channels == 0
    refused("network: channels must be 0 to 4, not 5", make, channels=5)
    refused("network: channels must be 0 to 4, not -1", make, channels=-1)
    refused(
        'network: channels must be 1 to 4 with sync = "both", not 0; a network without packets is '
        'sync = "wires", or on a mesh "messages"',
        make,
        channels=0,
        sync="both",
    )


def test_messages_alone() -> None:
    alone = mesh(channels=0, data_bits=32, width=1024, height=1024)
    assert (alone.sync_links, alone.has_messages, alone.link_channels) == ("own", True, 0)
    assert mesh(channels=0, sync="messages", sync_links="own") == mesh(channels=0)
    assert mesh(channels=0, sync="wires").sync_links == "shared"
    refused(
        'network: sync_links = "shared" is for messages on the links of packets, and with '
        "channels = 0 there are none; remove it",
        mesh,
        channels=0,
        sync_links="shared",
    )
    refused(
        "network: channels must be 1 to 4, not 0: messages of an irregular network travel on the "
        'links of packets; set channels = 1, or sync = "wires"',
        local,
        channels=0,
    )


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [("link_registers", 1, "1"), ("wires", "shared", '"shared"'), ("parity", True, "true")],
)
def test_keys_of_wires_without_wires(key: str, value: Any, shown: str) -> None:
    for make in (mesh, local):
        refused(
            f'network: {key} = {shown} is for barrier wires, and with sync = "messages" there are '
            'none; set sync = "wires" or "both", or remove it',
            make,
            **{key: value},
        )


@pytest.mark.parametrize(
    ("make", "key", "value", "shown", "holds"),
    [
        (local, "operations", "all", '"all"', 'slots combine by "or", "and" or "xor"'),
        (mesh, "barrier_pipeline", 0, "0", "a slot always takes one cycle"),
        (mesh, "sync_links", "own", '"own"', "barriers have wires of their own"),
        (local, "turnaround", "node", '"node"', "the root's router turns a barrier around"),
    ],
)
def test_keys_of_messages_without_messages(
    make: Any, key: str, value: Any, shown: str, holds: str
) -> None:
    assert getattr(make(sync="both", **{key: value}), key) == value
    refused(
        f'network: {key} = {shown} means nothing with sync = "wires", where {holds}; remove it',
        make,
        sync="wires",
        **{key: value},
    )


@pytest.mark.parametrize(
    ("make", "key", "value"),
    [
        (mesh, "flit_bits", 64),
        (mesh, "buffer_flits", 4),
        (local, "cycles_per_hop", 1),
        (local, "datelines", ((0, 0),)),
        (local, "tables", ((-1, 0, 0), (0, -1, 1), (0, 0, -1))),
    ],
)
def test_keys_of_packets_without_packets(make: Any, key: str, value: Any) -> None:
    for sync in ("wires", "messages") if make is mesh else ("wires",):
        refused(
            f"network: {key} means nothing with channels = 0, where there are no packets; "
            "remove it",
            make,
            sync=sync,
            channels=0,
            **{key: value},
        )


def test_set_up() -> None:
    assert mesh(sync="wires", setup="manager").managed
    refused(
        'network: setup = "paper" is for barriers that are messages, not for sync = "both"; set '
        'setup = "manager" or "local"',
        chain,
        sync="both",
        setup="paper",
    )
    needs = 'needs packets, and with channels = 0 there are none; set setup = "local"'
    alone = {"sync": "wires", "channels": 0}
    refused(f'network: setup = "manager", the default, {needs}', chain, **alone)
    refused(f'network: setup = "manager" {needs}', mesh, setup="manager", **alone)
    refused(f'network: setup = "manager" {needs}', mesh, setup="manager", channels=0)


def test_flits_need_hold_no_message_without_messages() -> None:
    narrow = {"flit_bits": 16, "data_bits": 32}
    assert mesh(sync="wires", **narrow).flit_bits == 16
    with pytest.raises(SpecError, match="too narrow for the synchronization message"):
        mesh(sync="both", **narrow)
    refused(
        "network: flit_bits = 16 is too narrow for the packet header of a 1024x1024 mesh; it "
        "needs at least 21",
        mesh,
        **{**narrow, "sync": "wires", "width": 1024, "height": 1024},
    )
    assert mesh(sync="wires", channels=0, width=1024, height=1024).mesh.width == 1024
    assert local(sync="wires", **narrow).flit_bits == 16


def network(network: MeshSpec | IrregularSpec, **keys: Any) -> GroupSpec:
    group = GroupSpec(id=3, members=tuple(network.topology.nodes[:2]), **keys)
    return NetworkSpec(name="n", network=network, groups=(group,)).groups[0]


@pytest.mark.parametrize(("make", "first"), [(mesh, "btm"), (local, "btin")])
def test_planners(make: Any, first: str) -> None:
    assert network(make()).planner == first
    assert network(make(sync="wires")).planner == "wires"
    assert network(make(sync="both")).planner == "wires"
    assert network(make(sync="both"), planner=first).planner == first
    assert network(make(sync="both", operations="all"), op="min").planner == first
    with pytest.raises(SpecError, match=r'^group 3: planner must be "wires", not '):
        network(make(sync="wires"), planner=first)
    with pytest.raises(
        SpecError, match=f'^group 3: planner must be "{first}",? (or )?"[a-z", or]+, not "wir'
    ):
        network(make(), planner="wires")


def test_operations() -> None:
    with pytest.raises(SpecError) as caught:
        network(mesh(sync="wires"), op="max")
    assert str(caught.value) == (
        'group 3: op = "max" cannot be combined on wires, only "or", "and" or "xor"; set sync = '
        '"messages" or "both", and operations = "all", and planner = "btm" or none'
    )
    with pytest.raises(SpecError) as caught:
        network(mesh(sync="both", operations="all"), op="sum", planner="wires")
    assert str(caught.value) == (
        'group 3: op = "sum" cannot be combined on wires, only "or", "and" or "xor"; set '
        'operations = "all", and planner = "btm" or none'
    )
    with pytest.raises(SpecError, match='op = "sum" is not built with operations = "bitwise"'):
        network(mesh(sync="both"), op="sum")


def test_json_round_trip() -> None:
    networks = (mesh(sync="both", watchdog=7), local(sync="wires", channels=0), mesh(channels=0))
    for made in networks:
        spec = NetworkSpec(name="n", network=made, groups=())
        assert NetworkSpec.model_validate_json(spec.model_dump_json()) == spec


FILE = 'name = "n"\n[network]\nkind = "mesh"\nwidth = 4\nheight = 4\n'
WRITTEN = {
    "sync": '"both"',
    "link_registers": "1",
    "wires": '"shared"',
    "parity": "true",
    "watchdog": "9",
}


def test_files_ask_for_wires() -> None:
    keys = "\n".join(f"{key} = {value}" for key, value in WRITTEN.items())
    spec = reader.loads(f"{FILE}{keys}\n[[group]]\nid = 1\nmembers = 'all'\n")
    assert spec.register_network.wire_plane == WirePlane(4, 4, 1, True, True, 9)
    assert spec.groups[0].planner == "wires"
    for table in ("MeshSpec", "IrregularTable"):
        properties = schema.file_schema()["$defs"][table]["properties"]
        assert WRITTEN.keys() <= properties.keys()
        assert properties["channels"]["minimum"] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            'sync = "wire"',
            'network: sync must be "messages", "wires" or "both", not "wire"',
        ),
        (
            'sync = "both"\nchannels = 0',
            'network: channels must be 1 to 4 with sync = "both", not 0; a network without packets '
            'is sync = "wires", or on a mesh "messages"',
        ),
        ("parity = 1\nsync = 'wires'", "network: parity must be true or false, not 1"),
    ],
)
def test_files_that_ask_for_what_there_is_not(line: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        reader.loads(f"{FILE}{line}\n")
    assert str(caught.value) == message


def test_a_static_network_has_no_wires() -> None:
    with pytest.raises(SpecError, match='key "sync" belongs to mesh and irregular networks'):
        reader.loads(f'{FILE}sync = "wires"\n'.replace("mesh", "static"))
