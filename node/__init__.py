"""One player's node: everything that touches the world (network, disk, terminal), on trio."""

__version__ = "0.1.0"
