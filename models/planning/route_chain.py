"""Routes of a static network as the words that load them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from syncfabric.models.errors import SpecError
from syncfabric.models.messages import OUTPUT_BITS
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec

__all__ = ["WORD_BITS", "Output", "chain", "chain_words"]

Output = tuple[int, int, Port]
"""An output of a switch: x, y, port; LOCAL leads to its core."""

WORD_BITS = 32
"""Bits of a word that is written to SHIFT."""


def chain(
    network: StaticSpec, routes: Mapping[Output, Port], flush: Collection[Output] = ()
) -> int:
    """Return the bits of the whole chain, switch 0 in the lowest.

    Source: docs/microarchitecture-static.md, R3.

    Parameters
    ----------
    network : StaticSpec
    routes : mapping of output to input port
        What each output selects; outputs that are left out select nothing.
    flush : collection of output
        Outputs to be flushed.

    Raises
    ------
    SpecError
        An output is not in the network, or selects its own port.
    """
    mesh, bits = network.topology, 0

    def place(output: Output) -> int:
        x, y, port = output
        if not mesh.contains((x, y)):
            raise SpecError(
                f"routes: output ({x}, {y}) {port.name} is outside the {mesh}; "
                f"x must be 0..{mesh.width - 1}, y 0..{mesh.height - 1}"
            )
        return OUTPUT_BITS * (len(Port) * mesh.index((x, y)) + port)

    for output, source in routes.items():
        port = output[2]
        if source == port:
            raise SpecError(
                f"routes: output {output[:2]} {port.name} selects its own port, which no switch "
                "can; take another input, or leave the output out"
            )
        others = [other for other in Port if other is not port]
        bits |= 1 << place(output) + others.index(source)
    for output in flush:
        bits |= 1 << place(output) + OUTPUT_BITS - 1
    return bits


def chain_words(
    network: StaticSpec, routes: Mapping[Output, Port], flush: Collection[Output] = ()
) -> list[int]:
    """Return the words to write to the loader's SHIFT, in order; then STROBE.

    What is shifted in first ends highest, so the first word bears what falls out.

    Parameters
    ----------
    network, routes, flush
        As of ``chain``.

    Raises
    ------
    SpecError
        As ``chain``.
    """
    bits = chain(network, routes, flush)
    count = -(-network.layout.chain_bits // WORD_BITS)
    stream = f"{bits:0{count * WORD_BITS}b}"  # highest first: the order of shifting
    words = [stream[first : first + WORD_BITS] for first in range(0, len(stream), WORD_BITS)]
    return [int(word[::-1], 2) for word in words]
