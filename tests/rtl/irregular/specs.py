"""Networks whose parts the benches of this folder build."""

from typing import Any

from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["network"]


def network(**options: Any) -> IrregularSpec:
    """Return switches in a row, a node on each; by default five of five ports."""
    keys: dict[str, Any] = {"ports": 5, "switches": 5, "setup": "local", **options}
    if keys.get("channels", 1):
        keys = {"flit_bits": 24, **keys}
    count, last = keys["switches"], keys["ports"] - 1
    return IrregularSpec(
        kind="irregular",
        links=tuple(((s, 0), (s + 1, 1)) for s in range(count - 1)),
        nodes=tuple((s, min(2, last)) for s in range(count)),
        **keys,
    )
