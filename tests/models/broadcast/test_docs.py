"""What docs/broadcast.md explains."""

import re
from dataclasses import fields
from pathlib import Path

from syncfabric.models.broadcast.policy import Policy
from syncfabric.models.broadcast.strategies import STRATEGIES

PAGE = Path(__file__).parents[3] / "docs/broadcast.md"


def test_every_strategy_and_every_choice_is_explained() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:1] == "|"]
    explained = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    assert explained >= {*STRATEGIES, *(field.name for field in fields(Policy))}
