"""What set-up by packets keeps of an image is what the golden registers keep of it."""

import pytest

from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.wiring import Wiring
from syncfabric.models.messages import RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.setup.format import setup_format


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 2), (8, 8), (16, 5)])
def test_image_words_of_a_mesh(width: int, height: int) -> None:
    network = MeshSpec(kind="mesh", width=width, height=height, setup="manager")
    kept = Rules(network, Wiring(network)).kept_bits
    found = setup_format(network, network.manager_nodes)
    words = range(RegisterWord.PARENT, RegisterWord.STATUS)
    assert found.image == tuple((word, kept[word]) for word in words)
    assert found.control == kept[RegisterWord.CONTROL]
