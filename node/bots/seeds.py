"""The seeds of computer players, holder's side: one secret gives the commitment and every deal's seed."""

from dataclasses import dataclass, field

from protocol.table.seeds import LENGTH, SIZE, climb


@dataclass(frozen=True, slots=True)
class SeedChain:
    """A bot's chain of seeds for one match; ``root`` (32 secret bytes) is never shown.

    >>> chain = SeedChain(bytes(32))
    >>> from protocol.table.seeds import check_seed
    >>> check_seed(chain.commitment, 3, chain.seed(3))
    """

    root: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.root) != SIZE:
            raise ValueError(f"the root of a seed chain is {SIZE} bytes")

    @property
    def commitment(self) -> bytes:
        """The chain's head, 32 bytes, for the terms."""
        return climb(self.root, LENGTH)

    def seed(self, deal: int) -> bytes:
        """The seed of deal number *deal*, 32 bytes; ``IndexError`` where the chain has none."""
        if not 0 <= deal < LENGTH:
            raise IndexError(deal)
        return climb(self.root, LENGTH - 1 - deal)
