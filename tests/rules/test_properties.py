"""What holds in every hand, whatever is dealt, bid, called and played."""

import random
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.cards import CLUB_QUEEN, DECK, PLAYERS, TYPES
from protocol.refusal import Refusal
from protocol.rules.acts import Act
from protocol.rules.calling import call_options
from protocol.rules.calls import CallKind, Side
from protocol.rules.contracts import SOLOS, Contract
from protocol.rules.digest import digest, public_bytes
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
    check_call,
    legal,
    push,
    result,
    start,
)
from protocol.rules.match import Match
from protocol.rules.record import loads, outcome, record_of, replay
from protocol.rules.stakes import Mode, Stakes
from tests.rules.oracle import reckon

Deal = tuple[tuple[int, ...], ...]
RULE = re.compile(r"R([1-9]|[12][0-9]|3[0-5])")

#: One number decides deal and play, so that a failing example is one number long.
seeds = st.integers(0, 2**32 - 1)
all_rules = st.builds(
    HandRules, st.sampled_from(["stargames", "ddv"]), st.booleans(), st.sampled_from([None, None, (0, 2), (1, 3)])
)
#: Everything anybody could ever do.
UNIVERSE: list[Act] = [
    act
    for p in range(PLAYERS)
    for act in (
        Healthy(p),
        Reserve(p),
        Marry(p),
        *(Name(p, contract) for contract in Contract),
        *(Call(p, kind) for kind in CallKind),
        *(Call(p, kind, Side.RE, CLUB_QUEEN) for kind in CallKind),
        *(Call(p, kind, Side.KONTRA) for kind in CallKind),
        *(Play(p, card) for card in range(TYPES)),
    )
]


def examples(count: int) -> settings:
    """So many examples, the same ones in every run."""
    return settings(max_examples=count, deadline=None, derandomize=True, database=None)


def refusal_of(state: HandState, act: Act) -> Refusal | None:
    try:
        apply(state, act)
    except Refusal as refusal:
        return refusal
    return None


def deal(rules: HandRules, rnd: random.Random) -> Deal:
    """A random deal; often one player gets both club queens, and a duel gets only what R34 allows."""
    while True:
        deck = list(DECK)
        rnd.shuffle(deck)
        if rnd.random() < 0.3:
            deck.sort(key=lambda card: card != CLUB_QUEEN)  # both to one player
        hands = [tuple(deck[12 * p : 12 * p + 12]) for p in range(PLAYERS)]
        rnd.shuffle(hands)
        try:
            start(rules, hands)
        except Refusal:
            continue
        return tuple(hands)


def choose(state: HandState, rnd: random.Random) -> Act:
    """A random legal act: mostly of the player in turn, sometimes a call, reservations as often as not."""
    if rnd.random() < 0.15:
        calls = [act for p in range(PLAYERS) for act in legal(state, p) if isinstance(act, Call)]
        if calls:
            return rnd.choice(calls)
    assert state.turn is not None
    acts = [act for act in legal(state, state.turn) if not isinstance(act, Call)]
    if isinstance(acts[0], Name) and acts[0].contract is Contract.MARRIAGE and rnd.random() < 0.8:
        return acts[0]
    if len(acts) == 2 and isinstance(acts[1], Reserve) and rnd.random() < 0.5:
        return acts[0]
    return rnd.choice(acts)


def walk(seed: int, rules: HandRules, proofs: bool = False) -> Iterator[tuple[HandState, Act | None]]:
    """The states of a random hand, each with the act that follows."""
    rnd = random.Random(seed)
    state = start(rules, deal(rules, rnd), proofs=proofs)
    while state.phase is not Phase.DONE:
        act = choose(state, rnd)
        yield state, act
        state = apply(state, act)
    yield state, None


def finish(seed: int, rules: HandRules) -> HandState:
    *_, (state, _act) = walk(seed, rules)
    return state


def whole(state: HandState) -> tuple[Any, ...]:
    """Everything there is in a state, hidden knowledge too."""
    return tuple(
        tuple(value) if isinstance(value := getattr(state, name), list) else value for name in HandState.__slots__
    )


@given(seeds, all_rules, st.booleans())
@examples(60)
def test_every_state_offers_a_legal_act_or_is_finished(seed: int, rules: HandRules, proofs: bool) -> None:
    for state, _ in walk(seed, rules, proofs):
        if state.phase is Phase.DONE:
            assert state.turn is None
            assert not any(legal(state, p) for p in range(PLAYERS))
        else:
            assert state.turn is not None
            assert any(not isinstance(act, Call) for act in legal(state, state.turn))


@given(seeds, all_rules, st.booleans())
@examples(25)
def test_exactly_the_legal_acts_are_taken_and_the_others_refused_by_rule(
    seed: int, rules: HandRules, proofs: bool
) -> None:
    for state, _ in walk(seed, rules, proofs):
        allowed = {act for p in range(PLAYERS) for act in legal(state, p)}
        assert allowed <= set(UNIVERSE)
        before = whole(state)
        for act in UNIVERSE:
            if not proofs and isinstance(act, Call) and (act.side is not None or act.shown is not None):
                continue  # with known hands a proof is idle; records have none
            refusal = refusal_of(state, act)
            assert (refusal is None) == (act in allowed), (state, act, refusal)
            assert refusal is None or RULE.fullmatch(refusal.rule or ""), refusal
        assert whole(state) == before


@given(seeds, all_rules, st.booleans())
@examples(25)
def test_a_refusal_in_place_changes_nothing(seed: int, rules: HandRules, proofs: bool) -> None:
    rnd = random.Random(seed)
    for state, _ in walk(seed, rules, proofs):
        for act in rnd.sample(UNIVERSE, 40):
            copy = state.copy()
            try:
                push(copy, act)
            except Refusal:
                assert whole(copy) == whole(state)


@given(seeds, all_rules)
@examples(60)
def test_apply_mutates_nothing_and_does_what_push_does(seed: int, rules: HandRules) -> None:
    in_place: HandState | None = None
    for state, act in walk(seed, rules):
        if in_place is None:
            in_place = state.copy()
        assert whole(in_place) == whole(state)
        if act is None:
            return
        before = whole(state)
        after = apply(state, act)
        assert whole(state) == before
        assert whole(after) != before
        push(in_place, act)


@given(seeds, all_rules)
@examples(100)
def test_R28_points_sum_to_0(seed: int, rules: HandRules) -> None:
    r = result(finish(seed, rules))
    assert sum(r.points) == 0
    if not r.void:
        assert sum(r.card_points) == 240
        assert sorted(map(abs, r.points)) == [abs(r.value)] * 3 + [abs(r.value) * (3 if r.alone else 1)]
        signed = sum(i.points if i.side is (r.winner or Side.RE) else -i.points for i in r.items)
        assert r.value == signed


@given(
    st.lists(seeds, min_size=4, max_size=8),
    st.sampled_from(Mode),
    st.integers(1, 500),
    st.integers(0, 2500),
    st.one_of(st.none(), st.integers(1, 20)),
    st.integers(0, 3),
    st.booleans(),
)
@examples(60)
def test_R35_money_and_kitty_sum_to_0_and_running_totals_keep_one_parity(
    hands: list[int], mode: Mode, stake: int, fee: int, limit: int | None, first: int, breaks: bool
) -> None:
    humans = (0, 2) if mode is Mode.DUEL else None
    stakes = Stakes(mode, stake, stake * limit if limit and mode is Mode.VARIABLE else None, fee)
    match = Match(stakes, first, humans)
    for seed in hands:
        if match.finished:
            break
        r = result(finish(seed, match.hand_rules()))
        breach = ((match.human_positions or (1,))[0],) if breaks and seed % 3 == 0 else ()
        match = match.played(r, breach)
        assert sum(match.paid.money) + match.paid.kitty == 0
        assert match.paid.kitty >= 0
        assert len({points % 2 for points in match.points}) == 1
        assert sum(match.points) == 0
        if humans is not None:
            assert match.paid.money[1] == match.paid.money[3] == 0
    assert all(not hand.paid.kitty < 0 for hand in match.hands)


def public(state: HandState) -> tuple[Any, ...]:
    """The public state in another way than the digest reads it."""
    return (
        state.rules,
        state.proofs,
        state.bids,
        state.names,
        state.phase,
        state.turn,
        state.contract,
        state.groom,
        state.partner,
        state.clearing,
        state.tricks,
        state.trick,
        state.calls,
        state.levels,
        state.late,
        state.known_sides,
        state.proven,
        state.shown,
        state.voids,
        state.void_hand,
    )


@given(seeds, seeds, all_rules, all_rules, st.booleans())
@examples(60)
def test_the_digest_is_equal_if_and_only_if_the_public_state_is(
    one: int, other: int, rules: HandRules, rules2: HandRules, same: bool
) -> None:
    found: dict[bytes, tuple[Any, ...]] = {}
    states = [state for state, _ in walk(one, rules)]
    states += [state for state, _ in walk(one if same else other, rules if same else rules2)]
    for state in states:
        assert found.setdefault(digest(state), public(state)) == public(state)
    assert len(found) == len(set(found.values()))


@given(seeds, all_rules)
@examples(40)
def test_everybody_follows_a_network_hand_with_the_same_digests(seed: int, rules: HandRules) -> None:
    """Four nodes that know one hand each, and a stranger who knows none, take the same acts to the same states."""
    first = next(walk(seed, rules, proofs=True))[0]
    nodes = [first.seen_by(p) for p in (0, 1, 2, 3, None)]
    final: HandState | None = None
    for state, act in walk(seed, rules, proofs=True):
        final = state
        assert {public_bytes(node) for node in nodes} == {public_bytes(state)}
        if act is not None:
            assert all(act in legal(node, act.player) for node in nodes[act.player :: 5])
            nodes = [apply(node, act) for node in nodes]
    assert final is not None
    assert [result(node) for node in nodes[4:]] == [result(final)] or result(final).void


@given(seeds, all_rules)
@examples(60)
def test_a_hand_becomes_a_record_that_replays_to_it(seed: int, rules: HandRules) -> None:
    state = finish(seed, rules)
    replayed = replay(loads(record_of(state).text()))
    assert replayed.refusal is None
    assert result(replayed.state) == result(state)
    assert digest(replayed.state) == digest(state)


@given(seeds, all_rules)
@examples(300)
def test_R28_a_second_reckoner_comes_to_the_same(seed: int, rules: HandRules) -> None:
    record = record_of(finish(seed, rules))
    found = outcome(replay(record))
    for key, value in reckon(record.value()).items():
        assert found[key] == value, (key, record.text())


@given(seeds, all_rules)
@examples(40)
def test_R16_call_options_are_the_calls_that_are_taken(seed: int, rules: HandRules) -> None:
    for state, _ in walk(seed, rules):
        for player in range(PLAYERS):
            options = {option.kind: option for option in call_options(state, player)}
            for kind in CallKind:
                try:
                    check_call(state, Call(player, kind))
                except Refusal:
                    assert kind not in options
                else:
                    assert options[kind].needs <= state.cards_left(player)


@given(seeds, all_rules)
@examples(30)
def test_R16_a_call_option_holds_while_as_many_cards_are_in_hand_and_no_longer(seed: int, rules: HandRules) -> None:
    open_until: dict[tuple[int, CallKind], int] = {}
    for state, act in walk(seed, rules):
        for player in range(PLAYERS):
            options = {option.kind for option in call_options(state, player)}
            for kind in CallKind:
                needs = open_until.get((player, kind))
                if needs is not None:
                    assert (kind in options) == (state.cards_left(player) >= needs)
        if not isinstance(act, Play):
            open_until.clear()  # a call changes what may follow
        if isinstance(act, Play) and not open_until:
            for player in range(PLAYERS):
                for option in call_options(state, player):
                    open_until[player, option.kind] = option.needs


@given(seeds, st.sampled_from(SOLOS))
@examples(30)
def test_R11_a_solo_is_one_against_three(seed: int, solo: Contract) -> None:
    rnd = random.Random(seed)
    rules = HandRules()
    state = start(rules, deal(rules, rnd))
    soloist = rnd.randrange(PLAYERS)
    for player in range(PLAYERS):
        state = apply(state, Reserve(player) if player == soloist else Healthy(player))
    state = apply(state, Name(soloist, solo))
    while state.phase is not Phase.DONE:
        state = apply(state, choose(state, rnd))
    r = result(state)
    assert r.re == (soloist,)
    assert r.points[soloist] == -3 * r.points[(soloist + 1) % PLAYERS]
    assert not {item.item for item in r.items} & {"fox", "charlie", "doppelkopf", "against-the-old"}
