"""The diagram of a system: icons with ports, and wires between them."""
