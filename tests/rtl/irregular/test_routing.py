# amaranth: UnusedElaboratable=no
"""What becomes of a packet's first flit, for every kind of header and route."""

import random

import pytest

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.routing import HeaderDecoder
from tests.rtl.irregular.packets import decoded, random_head
from tests.rtl.irregular.specs import network
from tests.rtl.support import SEED, evaluate

SPECS = [
    network(ports=4, switches=5),
    network(ports=5, switches=8, flit_bits=25),
    network(ports=7, switches=1, flit_bits=18),
    network(ports=8, switches=3, flit_bits=64),
    network(ports=16, switches=5),
    network(ports=4, switches=21),
]


def payloads(rng: random.Random, spec: IrregularSpec) -> list[int]:
    """Return every header, every beginning of a route, and some of anything."""
    layout = spec.layout
    codes = range(1 << layout.port_bits)
    headers = [
        layout.header.pack({"port": port, "switch": switch})
        | rng.getrandbits(spec.flit_bits) >> layout.header.width << layout.header.width
        for port in codes
        for switch in range(1 << layout.switch_bits)
    ]
    routes = []
    for count in range(16):
        for port in codes:
            fields = layout.route.unpack(rng.getrandbits(layout.route.width))
            fields |= {"by_route": 1, "count": count, "port_0": port}
            routes.append(layout.route.pack(fields))
    return [*headers, *routes, *(random_head(rng, spec) for _ in range(100))]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: f"{spec.ports}-{spec.switches}")
def test_every_head_goes_where_it_must(spec: IrregularSpec) -> None:
    rng, layout = random.Random(SEED), spec.layout
    cases, expected = [], []
    for number in range(min(2, spec.switches)):
        table = tuple(rng.randrange(1 << layout.port_bits) for _ in range(spec.switches))
        routes = sum(code << layout.port_bits * d for d, code in enumerate(table))
        for payload in payloads(rng, spec):
            for tail in (0, 1):
                flit = {"payload": payload, "head": 1, "tail": tail}
                head = decoded(spec, number, table, payload, tail=bool(tail))
                word = layout.flit.pack(flit)
                cases.append({"number": number, "routes": routes, "flit": word})
                expected.append(
                    {
                        "outputs": 1 << head.output,
                        "used_up": int(head.used_up),
                        "passed_on": layout.flit.pack({**flit, "payload": head.payload}),
                    }
                )
    for case, seen, wanted in zip(
        cases, evaluate(HeaderDecoder(spec), cases), expected, strict=True
    ):
        assert seen == wanted, case
    assert {wanted["outputs"] for wanted in expected} == {1 << o for o in range(spec.ports + 1)}
    assert any(wanted["used_up"] for wanted in expected)
