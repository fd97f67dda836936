"""Headers of flits."""

from syncfabric.models.layout.flit import table_header
from syncfabric.models.planning.updown import MOST_ROUTED
from tests.models.networks.irregulars import chain


def test_the_narrowest_flit_holds_the_widest_header() -> None:
    """Of as many routers as can be routed, with as many ports as there can be."""
    header = table_header(MOST_ROUTED, 16)
    assert header.offsets["reply"] == 16
    assert chain(setup="local", flit_bits=16).flit_bits == 16
