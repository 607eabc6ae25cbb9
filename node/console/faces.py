"""How cards, suits and marks look as characters: Unicode or ASCII, letters of the record or of the language.

Only characters of one column and without variation selectors are used, so that widths agree on every terminal
(Windows Terminal too).  What the person types is read more freely than it is written: the letters of the record
(``CQ``), those of the language (``KrD``, ``Kreuz Dame``), the symbols (``♣Q``) and ``10`` for the ten.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from node.i18n import _, current_language, pgettext
from protocol.cards import ACE, JACK, KING, NINE, QUEEN, RANK_OF, SUIT_OF, TEN

#: Letters of ace, ten, king, queen, jack, nine by language, where they differ from the English ones.
RANK_LETTERS: Final[dict[str, tuple[str, ...]]] = {
    "en": ("A", "10", "K", "Q", "J", "9"),
    "de": ("A", "10", "K", "D", "B", "9"),
    "it": ("A", "10", "R", "D", "F", "9"),
    "pl": ("A", "10", "K", "D", "W", "9"),
    "hu": ("Á", "10", "K", "D", "B", "9"),
}
_RECORD_RANKS: Final = ("A", "10", "K", "Q", "J", "9")
_SYMBOLS: Final = "♣♠♥♦"
_ASCII_SUITS: Final = "CSHD"


@dataclass(frozen=True, slots=True)
class Faces:
    """The characters in force.  ``ascii``: nothing beyond ASCII is drawn."""

    ascii: bool = False
    ranks: tuple[str, ...] = _RECORD_RANKS

    @property
    def suits(self) -> str:
        """The four suit signs in the order clubs, spades, hearts, diamonds."""
        return _ASCII_SUITS if self.ascii else _SYMBOLS

    @property
    def box(self) -> str:
        """Six characters of a frame (:meth:`~node.console.canvas.Canvas.box`)."""
        return "+-+|++" if self.ascii else "╭─╮│╰╯"

    @property
    def dots(self) -> str:
        """What stands for something cut off."""
        return "~" if self.ascii else "…"

    def sign(self, name: str) -> str:
        """One of the small marks by name (:data:`SIGNS`)."""
        return SIGNS[name][1 if self.ascii else 0]

    def card(self, card: int) -> str:
        """Suit and rank, like ``♣Q`` or ``CQ``; two or three columns."""
        return self.suits[SUIT_OF[card]] + self.ranks[RANK_OF[card]]


#: Small marks: Unicode, ASCII.
SIGNS: Final[dict[str, tuple[str, str]]] = {
    "turn": ("▶", ">"),
    "back": ("▌", "|"),
    "pile": ("▤", "="),
    "done": ("✓", "x"),
    "work": ("◌", "~"),
    "wait": ("·", "."),
    "direct": ("●", "*"),
    "via": ("◐", "%"),
    "lost": ("○", "!"),
    "legal": ("•", "*"),
    "cursor": ("▲", "^"),
    "bullet": ("•", "-"),
    "sep": ("·", "-"),
    "arrow": ("→", "->"),
    "left": ("◂", "<"),
    "right": ("▸", ">"),
    "bar": ("█", "#"),
    "rule": ("─", "-"),
    "clock": ("◷", "t"),
    "minus": ("−", "-"),
    "on": ("■", "x"),
    "off": ("□", "o"),
}


def faces_for(style: str, letters: str) -> Faces:
    """Faces for the settings ``faces`` and ``letters`` in the language in force."""
    ranks = RANK_LETTERS.get(current_language(), _RECORD_RANKS) if letters == "language" else _RECORD_RANKS
    if style == "ascii":
        ranks = tuple(rank if rank.isascii() else "A" for rank in ranks)
    return Faces(style == "ascii", ranks)


def suit_name(suit: int, german: bool = False) -> str:
    """The suit in words; *german*: the names of the German pack."""
    if german:
        return (_("acorns"), _("leaves"), pgettext("German suit", "hearts"), _("bells"))[suit]
    return (_("clubs"), _("spades"), _("hearts"), _("diamonds"))[suit]


def rank_name(rank: int) -> str:
    """The rank in words."""
    names = {ACE: _("ace"), TEN: _("ten"), KING: _("king"), QUEEN: _("queen"), JACK: _("jack"), NINE: _("nine")}
    return names[rank]


def card_words(card: int, german: bool = False) -> str:
    """The card in words, for screen readers and sentences, like "queen of clubs"."""
    return _("{rank} of {suit}").format(rank=rank_name(RANK_OF[card]), suit=suit_name(SUIT_OF[card], german))


@lru_cache(maxsize=8)
def _spellings(language: str) -> tuple[dict[str, int], dict[str, int]]:
    """Suit and rank spellings (lower case) accepted in a language; ambiguous beginnings are left out."""
    suits: dict[str, int] = dict(zip("♣♠♥♦", range(4), strict=True)) | dict(zip("cshd", range(4), strict=True))
    ranks: dict[str, int] = dict(zip("atkqj9", range(6), strict=True)) | {"10": TEN, "1": TEN}
    for rank, letter in enumerate(RANK_LETTERS.get(language, _RECORD_RANKS)):
        ranks.setdefault(letter.lower(), rank)
    for table, names in (
        (suits, [suit_name(suit).lower() for suit in range(4)]),
        (suits, [suit_name(suit, german=True).lower() for suit in range(4)]),
        (ranks, [rank_name(rank).lower() for rank in range(6)]),
    ):
        for index, name in enumerate(names):
            for length in range(1, len(name) + 1):
                start = name[:length]
                if not any(other.startswith(start) for k, other in enumerate(names) if k != index):
                    table.setdefault(start, index)
    return suits, ranks


def read_rank(key: str) -> int | None:
    """The rank that one typed key means, or None."""
    return _spellings(current_language())[1].get(key.lower())


def read_card(text: str) -> int | None:
    """The card that *text* means, in the record's or the language's spelling, suit first; None if it is none.

    >>> read_card("cq"), read_card("♥10"), read_card("zz")
    (3, 13, None)
    """
    suits, ranks = _spellings(current_language())
    words = text.lower().split()
    if len(words) == 1:
        word = words[0]
        for cut in range(len(word) - 1, 0, -1):
            if word[:cut] in suits and word[cut:] in ranks:
                return 6 * suits[word[:cut]] + ranks[word[cut:]]
        return None
    if len(words) == 2:
        for first, second in (words, words[::-1]):
            if first in suits and second in ranks:
                return 6 * suits[first] + ranks[second]
    return None
