"""Networks whose parts the benches of this folder build."""

from typing import Any

from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["network"]


def network(**options: Any) -> IrregularSpec:
    """Return switches in a row, a node on each; by default five of five ports."""
    keys: dict[str, Any] = {"ports": 5, "switches": 5, "flit_bits": 24, "setup": "local", **options}
    count = keys["switches"]
    return IrregularSpec(
        kind="irregular",
        links=tuple(((s, 0), (s + 1, 1)) for s in range(count - 1)),
        nodes=tuple((s, 2) for s in range(count)),
        **keys,
    )
