"""Random numbers, and the header of an ordinary packet: where its destination is."""

from amaranth import C, Cat, Module, Value
from amaranth.lib import memory

from syncfabric.models.networks.spec import IrregularSpec, MessageSpec


def xorshift32(state: Value) -> Value:
    """Return the next state of a 32-bit xorshift generator, as an expression.

    Source: Marsaglia, Xorshift RNGs, Journal of Statistical Software 8(14), 2003.
    """
    state = (state ^ (state << 13))[:32]
    state = (state ^ (state >> 17))[:32]
    return (state ^ (state << 5))[:32]


def divide(value: Value, divisor: int, below: int) -> Value:
    """Return ``value // divisor`` by one multiplication, right for every value under ``below``.

    Parameters
    ----------
    value : Value
        Unsigned number.
    divisor : int, >= 1
        A constant.
    below : int
        Bound that ``value`` keeps under.
    """
    if divisor & (divisor - 1) == 0:
        return value >> divisor.bit_length() - 1
    # With 2**shift >= below * divisor, rounding the reciprocal up never carries into the quotient.
    shift = (below * divisor).bit_length()
    reciprocal = (1 << shift) // divisor + 1
    return (value * reciprocal) >> shift


def header_words(network: MessageSpec) -> tuple[int, ...]:
    """Return the header of a packet for each node, by its number; the sender's bits are 0."""
    return tuple(network.shape.header_of(place) for place in network.shape.nodes)


def header_of(m: Module, network: MessageSpec, destination: Value) -> Value:
    """Return the header of a packet for the node of a number, as an expression.

    A mesh's is worked out; that of an irregular network, whose nodes sit anywhere, is looked up.

    Parameters
    ----------
    m : Module
        Takes in what is needed for it.
    network : MessageSpec
        Places of the nodes.
    destination : Value
        A node's number.
    """
    if isinstance(network, IrregularSpec):
        words = header_words(network)
        m.submodules.headers = table = memory.Memory(
            shape=network.layout.header.width, depth=len(words), init=words
        )
        read = table.read_port(domain="comb")
        m.d.comb += read.addr.eq(destination)
        return Value.cast(read.data)
    layout, width = network.layout, network.width
    bits = {field.name: field.width for field in layout.header.fields}
    y = divide(destination, width, width * network.height)[: bits["y"]]
    known = {"x": (destination - y * width)[: bits["x"]], "y": y}
    return Cat(known.get(field.name, C(0, field.width)) for field in layout.header.fields)
