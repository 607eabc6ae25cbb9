"""The rules as a network plays them: hands that are not known, claims by proof, calls judged on an earlier state."""

import pytest

from protocol.cards import CLUB_QUEEN, parse_card, parse_cards
from protocol.refusal import Code, Refusal
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import TRUMP, Contract
from protocol.rules.hand import (
    Call,
    HandRules,
    HandState,
    Healthy,
    Marry,
    Name,
    Phase,
    Play,
    Reserve,
    apply,
    apply_call,
    check_call,
    digest,
    legal,
    needs_proof,
    result,
    start,
    void,
    withdraw,
)
from protocol.rules.record import outcome, record_of, replay
from protocol.rules.view import hand_view
from tests.rules.games import BY_RE_POINTS
from tests.rules.tell import HEALTHY, out, played, plays, tell

RE, KONTRA = Side.RE, Side.KONTRA
GAME = BY_RE_POINTS["121"]  # Re are positions 0 and 3
HANDS = tuple(parse_cards(hand) for hand in tell(GAME)["hands"])
CARDS = [(player - 1, parse_card(card)) for player, card in plays(GAME)]
MARRIED = tuple(
    parse_cards(hand)
    for hand in (
        "SA CK HJ DT CJ DQ HA ST HK CK SA HK",
        "SK DT HJ HT SJ DK CJ S9 DQ CQ SK CQ",
        "S9 C9 DA DK DA HQ HA SJ HT CA CT H9",
        "ST CT HQ D9 SQ D9 H9 CA DJ C9 DJ SQ",
    )
)


def refusal(state: HandState, act: object) -> tuple[Code, str | None]:
    with pytest.raises(Refusal) as caught:
        apply(state, act)  # type: ignore[arg-type]
    return caught.value.code, caught.value.rule


def network(own: int | None = None, cards: int = 0, hands: tuple[tuple[int, ...], ...] = HANDS) -> HandState:
    """The normal game on the network as *own* (or a stranger) knows it, after so many cards."""
    known = [hand if p == own else None for p, hand in enumerate(hands)]
    state = start(HandRules(), known, proofs=True)
    for player in range(4):
        state = apply(state, Healthy(player))
    for player, card in CARDS[:cards]:
        state = apply(state, Play(player, card))
    return state


# -- hands that are not known ------------------------------------------------------------------------------


def test_R14_a_stranger_can_follow_a_whole_hand() -> None:
    stranger = network(cards=48)
    assert stranger.phase is Phase.DONE
    assert result(stranger) == result(played(tell(GAME)))


def test_R13_who_does_not_follow_is_known_to_be_void() -> None:
    state = network()
    state = apply(state, Play(0, parse_card("H9")))
    state = apply(state, Play(1, parse_card("CA")))
    assert state.is_void(1, 2)
    assert state.voids == {(1, 2)}


def test_R13_who_was_void_cannot_have_the_class_later() -> None:
    state = network()
    for act in (Play(0, parse_card("H9")), Play(1, parse_card("CA")), Play(2, parse_card("H9"))):
        state = apply(state, act)
    state = apply(state, Play(3, parse_card("HK")))
    state = apply(state, Play(3, parse_card("HA")))
    state = apply(state, Play(0, parse_card("HA")))
    assert refusal(state, Play(1, parse_card("HK"))) == (Code.RULE, "R13")


def test_R14_a_third_copy_of_a_card_is_refused() -> None:
    state = network()
    state = apply(state, Play(0, parse_card("DK")))
    state = apply(state, Play(1, parse_card("DK")))
    assert refusal(state, Play(2, parse_card("DK"))) == (Code.RULE, "R14")


def test_R14_ones_own_hand_is_checked_where_it_is_known() -> None:
    lead = CARDS[0]
    assert lead[0] == 0
    missing = next(k for k in range(24) if k not in HANDS[0])
    assert refusal(network(own=0), Play(0, missing)) == (Code.RULE, "R14")
    apply(network(own=1), Play(0, missing))


def test_R2_a_number_that_is_no_card_is_refused() -> None:
    assert refusal(network(), Play(0, 24))[0] is Code.FORMAT
    assert refusal(network(), Play(0, -1))[0] is Code.FORMAT


def test_legal_plays_of_an_unknown_hand_are_what_the_log_does_not_rule_out() -> None:
    state = network()
    state = apply(state, Play(0, parse_card("DK")))
    state = apply(state, Play(1, parse_card("DK")))
    cards = {act.card for act in legal(state, 2) if isinstance(act, Play)}
    assert cards == set(range(24)) - {parse_card("DK")}


def test_every_legal_act_of_an_unknown_hand_can_be_applied() -> None:
    for cards in range(0, 48, 3):
        state = network(cards=cards)
        for player in range(4):
            for act in legal(state, player):
                apply(state, act)


# -- marriage ----------------------------------------------------------------------------------------------


def reserved(own: int | None = None, hands: tuple[tuple[int, ...], ...] = MARRIED) -> HandState:
    known = [hand if p == own else None for p, hand in enumerate(hands)]
    state = start(HandRules(), known, proofs=True)
    for player in range(4):
        state = apply(state, Reserve(player) if player in (1, 3) else Healthy(player))
    return state


def test_R10_a_marriage_that_takes_effect_is_shown_next() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.MARRIAGE))
    assert (state.phase, state.turn, state.contract) == (Phase.MARRY, 1, None)
    assert legal(state, 1) == (Marry(1),)
    state = apply(state, Marry(1))
    assert (state.phase, state.contract, state.groom, state.shown) == (Phase.PLAY, Contract.MARRIAGE, 1, (0, 2, 0, 0))


def test_R10_a_marriage_overtaken_by_a_solo_is_never_shown() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.SOLO_JACKS))
    assert (state.phase, state.contract, state.shown) == (Phase.PLAY, Contract.SOLO_JACKS, (0, 0, 0, 0))


def test_R10_only_the_groom_shows() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.MARRIAGE))
    assert refusal(state, Marry(3)) == (Code.TURN, "R10")
    assert refusal(state, Play(0, 0)) == (Code.TURN, "R8")


def test_R10_who_knows_his_hand_cannot_claim_what_he_does_not_hold() -> None:
    state = apply(reserved(own=3), Name(1, Contract.MARRIAGE))
    assert refusal(state, Name(3, Contract.MARRIAGE)) == (Code.CLAIM, "R10")


def test_R10_there_is_nothing_to_show_in_a_record() -> None:
    state = start(HandRules(), MARRIED)
    assert refusal(state, Marry(1)) == (Code.RULE, "R10")


def test_R13_a_groom_holds_trump_while_his_queens_are_unplayed() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.MARRIAGE))
    state = apply(apply(state, Marry(1)), Play(0, parse_card("DQ")))
    assert refusal(state, Play(1, parse_card("SK"))) == (Code.RULE, "R13")
    assert all(state._classes[act.card] == TRUMP for act in legal(state, 1) if isinstance(act, Play))


def test_R14_the_shown_queens_are_nobody_elses() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.MARRIAGE))
    state = apply(state, Marry(1))
    assert refusal(state, Play(0, CLUB_QUEEN)) == (Code.RULE, "R14")


def test_a_player_who_is_gone_counts_as_healthy() -> None:
    state = withdraw(start(HandRules(), proofs=True), 0)
    assert (state.bids, state.turn) == ((False,), 1)


def test_a_reservation_of_a_player_who_is_gone_counts_as_healthy() -> None:
    state = withdraw(reserved(), 1)
    assert (state.bids, state.phase, state.turn) == ((False, False, False, True), Phase.NAME, 3)
    state = withdraw(state, 3)
    assert (state.phase, state.contract) == (Phase.PLAY, Contract.NORMAL)


def test_an_unproven_marriage_of_a_player_who_is_gone_passes_on() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.MARRIAGE))
    state = withdraw(state, 1)
    assert (state.phase, state.turn) == (Phase.MARRY, 3)
    state = withdraw(state, 3)
    assert state.contract is Contract.NORMAL


def test_a_settled_contract_of_a_player_who_is_gone_stands() -> None:
    state = apply(apply(reserved(), Name(1, Contract.MARRIAGE)), Name(3, Contract.SOLO_ACES))
    assert withdraw(state, 3).contract is Contract.SOLO_ACES


# -- calls by proof ----------------------------------------------------------------------------------------

RE_SHOWN = Call(0, CallKind.RE, RE, CLUB_QUEEN)
CONTRA_PROVEN = Call(1, CallKind.KONTRA, KONTRA)


def test_R19_a_call_with_its_proof_shows_the_side() -> None:
    state = apply(network(), RE_SHOWN)
    assert (state.proven[0], state.shown[0], state.levels) == (RE, 1, (1, 0))
    state = apply(state, CONTRA_PROVEN)
    assert (state.proven[1], state.levels) == (KONTRA, (1, 1))


def test_R19_a_call_without_the_proof_it_needs_is_refused() -> None:
    for own in (None, 0, 1):
        assert refusal(network(own=own), Call(0, CallKind.RE)) == (Code.CLAIM, "R19")


def test_R11_re_is_proven_by_opening_a_club_queen() -> None:
    assert refusal(network(), Call(0, CallKind.RE, RE)) == (Code.CLAIM, "R11")
    assert refusal(network(), Call(1, CallKind.KONTRA, KONTRA, CLUB_QUEEN)) == (Code.CLAIM, "R11")


def test_R11_the_proof_decides_the_side() -> None:
    assert refusal(network(), Call(0, CallKind.KONTRA, RE, CLUB_QUEEN)) == (Code.CLAIM, "R11")
    assert refusal(network(), Call(0, CallKind.RE, KONTRA)) == (Code.CLAIM, "R11")


def test_R19_an_absage_proves_the_side_as_well() -> None:
    state = apply(network(), Call(1, CallKind.NO90, KONTRA))
    assert (state.proven[1], state.levels) == (KONTRA, (0, 2))


def test_R19_a_second_proof_is_idle_and_refused() -> None:
    state = apply(network(), RE_SHOWN)
    assert refusal(state, Call(0, CallKind.NO90, RE, CLUB_QUEEN))[0] is Code.FORMAT
    assert apply(state, Call(0, CallKind.NO90)).levels == (2, 0)


def test_R19_who_has_played_a_club_queen_needs_no_proof() -> None:
    state = network(cards=5)  # position 0 has led its club queen
    assert state.queens[0] == 1
    assert not needs_proof(state, 0)
    assert refusal(state, Call(0, CallKind.RE, RE, CLUB_QUEEN))[0] is Code.FORMAT


def test_R11_contra_by_one_who_played_a_club_queen_is_refused() -> None:
    state = network(cards=5)
    assert refusal(state, Call(0, CallKind.KONTRA)) == (Code.CLAIM, "R11")
    assert refusal(state, Call(0, CallKind.KONTRA, KONTRA))[0] in (Code.CLAIM, Code.FORMAT)


def test_R19_what_others_have_shown_does_not_spare_the_proof() -> None:
    state = apply(apply(network(), RE_SHOWN), Call(3, CallKind.NO90, RE, CLUB_QUEEN))
    assert state.known_sides == (RE, KONTRA, KONTRA, RE)
    assert needs_proof(state, 1)


def test_R11_in_a_solo_the_contract_shows_the_sides() -> None:
    state = apply(apply(reserved(), Name(1, Contract.SOLO_ACES)), Call(1, CallKind.RE))
    assert state.levels == (1, 0)
    assert refusal(state, Call(0, CallKind.KONTRA, KONTRA))[0] is Code.FORMAT


def test_R11_who_has_proven_contra_cannot_play_a_club_queen() -> None:
    state = apply(network(), Call(0, CallKind.KONTRA, KONTRA))
    assert refusal(state, Play(0, CLUB_QUEEN)) == (Code.CLAIM, "R11")


def test_R13_an_opened_club_queen_is_a_trump_in_hand() -> None:
    state = apply(apply(network(), Call(1, CallKind.RE, RE, CLUB_QUEEN)), Play(0, parse_card("HT")))
    assert refusal(state, Play(1, parse_card("SK"))) == (Code.RULE, "R13")


def test_R1_a_third_club_queen_cannot_be_opened() -> None:
    state = apply(apply(network(), RE_SHOWN), Call(3, CallKind.NO90, RE, CLUB_QUEEN))
    assert refusal(state, Call(1, CallKind.NO60, RE, CLUB_QUEEN)) == (Code.CLAIM, "R1")


def test_legal_calls_carry_the_result_of_their_proof() -> None:
    calls = [act for act in legal(network(own=0), 0) if isinstance(act, Call)]
    assert calls[0] == RE_SHOWN
    assert {(call.side, call.shown) for call in calls} == {(RE, CLUB_QUEEN)}
    calls = [act for act in legal(network(own=1), 1) if isinstance(act, Call)]
    assert calls[0] == CONTRA_PROVEN


def test_R11_a_side_against_ones_own_hand_is_refused() -> None:
    assert refusal(network(own=1), Call(1, CallKind.RE, RE, CLUB_QUEEN)) == (Code.CLAIM, "R11")


# -- calls judged on an earlier state ----------------------------------------------------------------------


def test_R16_a_call_in_time_on_its_state_counts_on_a_later_one() -> None:
    early = network(cards=4)  # position 3 holds eleven cards
    call = Call(3, CallKind.RE, RE, CLUB_QUEEN) if needs_proof(early, 3) else Call(3, CallKind.RE)
    check_call(early, call)
    late = network(cards=7)
    assert apply_call(late, call, judged=True).levels == (1, 0)


def test_R19_a_call_made_meanwhile_is_no_step_but_its_proof_counts() -> None:
    early = network()
    first, second = Call(1, CallKind.NO90, KONTRA), Call(2, CallKind.KONTRA, KONTRA)
    check_call(early, first)
    check_call(early, second)
    state = apply_call(early, first, judged=True)
    with pytest.raises(Refusal):
        apply_call(state, second, judged=False)
    state = apply_call(state, second, judged=True)
    assert state.levels == (0, 2)
    assert state.proven[2] is KONTRA
    assert [call.counted for call in state.calls] == [True, False]


def test_R19_what_an_overtaken_call_opens_stays_open() -> None:
    state = apply_call(network(), Call(3, CallKind.NO90, RE, CLUB_QUEEN), judged=True)
    state = apply_call(state, RE_SHOWN, judged=True)
    assert state.shown == (1, 0, 0, 1)


def test_R18_two_steps_of_one_side_made_at_once_count_as_the_higher() -> None:
    for calls in ((CallKind.NO60, CallKind.NO90), (CallKind.NO90, CallKind.NO60)):
        state = network()
        for player, kind in zip((1, 2), calls, strict=True):
            state = apply_call(state, Call(player, kind, KONTRA), judged=True)
        assert state.levels == (0, 3)


def late_reply_and_absage(reply_first: bool) -> HandState:
    """Re calls; Contra's position 1 replies with ten cards while position 2, with eleven, calls no 90 elsewhere."""
    state = apply(network(), RE_SHOWN)
    for player, card in CARDS[:6]:
        state = apply(state, Play(player, card))
    reply, absage = Call(1, CallKind.KONTRA, KONTRA), Call(2, CallKind.NO90, KONTRA)
    assert (state.cards_left(1), state.cards_left(2)) == (10, 11)
    check_call(state, reply)
    check_call(state, absage)
    for call in (reply, absage) if reply_first else (absage, reply):
        state = apply_call(state, call, judged=True)
    return state


def test_R20_a_late_reply_and_an_absage_made_at_once_end_alike_in_either_order() -> None:
    for reply_first in (True, False):
        state = late_reply_and_absage(reply_first)
        assert (state.levels, state.late) == ((1, 2), (False, False))


def test_R20_a_record_leaves_out_what_was_overtaken() -> None:
    for reply_first in (True, False):
        state = late_reply_and_absage(reply_first)
        for player, card in CARDS[6:]:
            state = apply(state, Play(player, card))
        replayed = replay(record_of(state))
        assert replayed.refusal is None
        assert result(replayed.state) == result(state)


def test_R16_a_call_is_judged_by_the_state_it_is_made_on() -> None:
    with pytest.raises(Refusal) as caught:
        check_call(network(cards=8), Call(1, CallKind.KONTRA, KONTRA))
    assert (caught.value.code, caught.value.rule) == (Code.TIME, "R16")


def test_R16_no_call_takes_effect_before_the_game_is_settled() -> None:
    with pytest.raises(Refusal):
        apply_call(start(HandRules(), proofs=True), RE_SHOWN, judged=True)


# -- what is known to whom ---------------------------------------------------------------------------------


def test_the_digest_does_not_depend_on_what_hands_are_known() -> None:
    for cards in range(0, 49, 7):
        digests = {digest(network(own=own, cards=cards)) for own in (None, 0, 1, 2, 3)}
        assert len(digests) == 1


def test_known_sides_follow_the_club_queens() -> None:
    assert network(cards=4).known_sides == (None, None, None, None)
    assert network(cards=5).known_sides == (RE, None, None, None)
    assert network(cards=8).known_sides == (RE, KONTRA, KONTRA, RE)


def test_a_player_void_in_trump_without_a_club_queen_is_contra() -> None:
    state = network()
    for act in (Play(0, parse_card("HT")), Play(1, parse_card("SK"))):
        state = apply(state, act)
    assert state.known_sides == (None, KONTRA, None, None)


def test_three_contras_leave_a_silent_solo() -> None:
    state = network()
    for player in (1, 2, 3):
        kind = (CallKind.KONTRA, CallKind.NO90, CallKind.NO60)[player - 1]
        state = apply(state, Call(player, kind, KONTRA))
    assert state.known_sides == (RE, KONTRA, KONTRA, KONTRA)


def test_a_view_holds_ones_own_hand_and_no_other() -> None:
    state = played(tell(GAME, stop=10))
    view = hand_view(state, 2)
    assert view.dealt == HANDS[2]
    assert sorted(view.hand) == sorted(set_minus(HANDS[2], state.played[2]))
    assert [view.state.hand(p) is None for p in range(4)] == [True, True, False, True]
    assert view.legal == legal(state, 2)


def set_minus(cards: tuple[int, ...], gone: tuple[int, ...]) -> list[int]:
    left = list(cards)
    for card in gone:
        left.remove(card)
    return left


def test_a_view_of_a_hand_that_is_not_known_is_an_error() -> None:
    with pytest.raises(ValueError):
        hand_view(network(), 2)


def test_no_hand_shows_in_a_repr() -> None:
    state = played(tell(GAME, stop=0))
    view = hand_view(state, 0)
    for text in (repr(state), repr(view)):
        assert str(HANDS[0][0]) + ", " not in text
        assert "hand=" not in text


def test_an_imagined_world_can_be_played_out() -> None:
    state = network(own=0, cards=20)
    rest = [set_minus(HANDS[p], state.played[p]) for p in range(4)]
    world = state.imagine(rest)
    for player, card in CARDS[20:]:
        world = apply(world, Play(player, card))
    assert result(world) == result(played(tell(GAME)))


def test_R29_all_four_may_agree_that_a_hand_is_void() -> None:
    state = void(network(cards=10))
    assert (state.phase, result(state).void) == (Phase.DONE, True)
    assert legal(state, 0) == ()
    assert refusal(state, Play(2, CARDS[10][1])) == (Code.TURN, "R29")


def test_a_finished_network_hand_becomes_a_record() -> None:
    record = record_of(network(cards=48))
    assert outcome(replay(record)) == out(tell(GAME))
    assert record.events[:4] == HEALTHY


def test_a_hand_that_is_still_hidden_is_no_record() -> None:
    with pytest.raises(ValueError):
        record_of(network(own=0, cards=20))
