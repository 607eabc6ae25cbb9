"""R1 to R6: the deck, what is trump, what wins."""

import pytest

from protocol.cards import CARD_POINTS, DECK, card_name, format_cards, parse_card, parse_cards
from protocol.rules.contracts import SOLOS, TRUMP, Contract, card_class, class_members, strength, trick_winner

PICTURES = "CQ SQ HQ DQ CJ SJ HJ DJ"
NORMAL_TRUMPS = f"HT {PICTURES} DA DT DK D9"


def test_R1_the_deck_has_48_cards_of_240_points() -> None:
    assert len(DECK) == 48
    assert sum(CARD_POINTS[k] for k in DECK) == 240


@pytest.mark.parametrize(("rank", "points"), [("A", 11), ("T", 10), ("K", 4), ("Q", 3), ("J", 2), ("9", 0)])
def test_R1_card_points(rank: str, points: int) -> None:
    assert all(CARD_POINTS[parse_card(suit + rank)] == points for suit in "CSHD")


@pytest.mark.parametrize(("name", "k"), [("CA", 0), ("CQ", 3), ("SA", 6), ("HT", 13), ("D9", 23)])
def test_R2_names_and_numbers(name: str, k: int) -> None:
    assert (parse_card(name), card_name(k)) == (k, name)


@pytest.mark.parametrize("name", ["", "C", "C10", "c9", "9C", "XA", " CA"])
def test_R2_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError):
        parse_card(name)


@pytest.mark.parametrize("contract", ["normal", "marriage", "silent-solo", "solo-diamonds"])
def test_R3_trumps_of_the_normal_game(contract: str) -> None:
    assert format_cards(class_members(Contract(contract), TRUMP)) == NORMAL_TRUMPS


def test_R3_plain_suits_of_the_normal_game() -> None:
    suits = [format_cards(class_members(Contract.NORMAL, suit)) for suit in range(4)]
    assert suits == ["CA CT CK C9", "SA ST SK S9", "HA HK H9", ""]


@pytest.mark.parametrize(
    ("contract", "trumps"),
    [
        ("solo-clubs", f"HT {PICTURES} CA CT CK C9"),
        ("solo-spades", f"HT {PICTURES} SA ST SK S9"),
        ("solo-hearts", f"HT {PICTURES} HA HK H9"),
    ],
)
def test_R4_trumps_of_suit_solos(contract: str, trumps: str) -> None:
    assert format_cards(class_members(Contract(contract), TRUMP)) == trumps


def test_R4_diamonds_are_a_plain_suit_in_other_suit_solos() -> None:
    assert format_cards(class_members(Contract.SOLO_SPADES, 3)) == "DA DT DK D9"


def test_R5_queens_solo() -> None:
    assert format_cards(class_members(Contract.SOLO_QUEENS, TRUMP)) == "CQ SQ HQ DQ"
    assert format_cards(class_members(Contract.SOLO_QUEENS, 2)) == "HA HT HK HJ H9"


def test_R5_jacks_solo() -> None:
    assert format_cards(class_members(Contract.SOLO_JACKS, TRUMP)) == "CJ SJ HJ DJ"
    assert format_cards(class_members(Contract.SOLO_JACKS, 3)) == "DA DT DK DQ D9"


def test_R5_aces_solo_has_no_trump() -> None:
    assert class_members(Contract.SOLO_ACES, TRUMP) == ()
    assert format_cards(class_members(Contract.SOLO_ACES, 0)) == "CA CT CK CQ CJ C9"


@pytest.mark.parametrize("contract", Contract)
def test_R3_every_type_is_in_exactly_one_class(contract: Contract) -> None:
    members = [k for cls in range(5) for k in class_members(contract, cls)]
    assert sorted(members) == list(range(24))
    assert all(card_class(contract, k) == cls for cls in range(5) for k in class_members(contract, cls))


@pytest.mark.parametrize("contract", SOLOS)
def test_R3_any_trump_is_stronger_than_any_plain_card(contract: Contract) -> None:
    trumps = [strength(contract, k) for k in class_members(contract, TRUMP)]
    plain = [strength(contract, k) for cls in range(4) for k in class_members(contract, cls)]
    assert not trumps or min(trumps) > max(plain)


@pytest.mark.parametrize("card", ["HT", "CQ", "DA", "CA"])
def test_R6_of_two_equal_cards_the_first_is_higher(card: str) -> None:
    k = parse_card(card)
    assert trick_winner(Contract.NORMAL, [k, k]) == 0


@pytest.mark.parametrize(
    ("contract", "trick", "winner"),
    [
        ("normal", "CA CT CK D9", 3),  # a trump
        ("normal", "C9 SA HA CK", 3),  # the led suit, not the highest card
        ("normal", "HT CQ HT D9", 0),  # R6
        ("normal", "D9 DT DA DK", 2),
        ("solo-queens", "HT HA DQ HK", 2),
        ("solo-queens", "DJ DA DT CJ", 1),  # jacks are plain there
        ("solo-jacks", "CQ CA CT D9", 1),
        ("solo-aces", "H9 HT SA HK", 1),  # the ten of hearts is a plain ten
        ("solo-clubs", "DA C9 DT DA", 1),  # clubs are trump, diamonds are not
        ("solo-hearts", "H9 HK HA HT", 3),
    ],
)
def test_R14_who_wins_a_trick(contract: str, trick: str, winner: int) -> None:
    assert trick_winner(Contract(contract), parse_cards(trick)) == winner
