"""Register maps as an outside compiler of SystemRDL understands them."""

import functools
import itertools
import tempfile
from dataclasses import dataclass
from pathlib import Path

from systemrdl import warnings
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddressableNode, FieldNode, RegNode


@dataclass(frozen=True)
class Seen:
    """A field: its lowest bit, its width, what software can do, what it reads after reset."""

    low: int
    width: int
    access: str
    reset: int | None = None


@dataclass(frozen=True)
class Register:
    """A word, by its name."""

    name: str
    fields: dict[str, Seen]

    def mask(self, access: str) -> int:
        """Return the bits of the fields with this access."""
        fields = (field for field in self.fields.values() if field.access == access)
        return sum((1 << field.width) - 1 << field.low for field in fields)


NOTHING = Register("", {})


@functools.cache
def words_of(text: str, top: str) -> dict[int, Register]:
    """Compile a text, without a warning; return every word by its address.

    Parameters
    ----------
    text : str
    top : str
        Name of the map that is asked for.
    """
    # Memory, and what is only strobed, has no value after reset.
    compiler = RDLCompiler(error_flags=warnings.ALL & ~warnings.MISSING_RESET)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"{top}.rdl"
        source.write_text(text)
        compiler.compile_file(str(source))
    found: dict[int, Register] = {}
    for register in compiler.elaborate(top).top.descendants(unroll=False):
        if isinstance(register, RegNode):
            assert register.get_property("regwidth") == 32
            fields = {field.inst_name: _seen(field) for field in register.fields()}
            for address in _addresses(register):
                assert address % 4 == 0
                assert address // 4 not in found
                found[address // 4] = Register(register.inst_name, fields)
    return found


def _seen(field: FieldNode) -> Seen:
    access, reset = field.get_property("sw").name, field.get_property("reset")
    assert reset is None or isinstance(reset, int)
    return Seen(field.low, field.width, access, reset)


def _addresses(register: RegNode) -> list[int]:
    """Return the addresses of all elements of all arrays that a register is in."""
    node: AddressableNode = register
    first, offsets = 0, []
    while True:
        first += node.raw_address_offset
        stride = node.array_stride
        if stride:
            offsets.append(range(0, node.n_elements * stride, stride))
        parent = node.parent
        if not isinstance(parent, AddressableNode):
            return [first + sum(steps) for steps in itertools.product(*offsets)]
        node = parent
