"""A second reckoner of complete hands, slow and plain, written from RULES.md alone: it shares no code with the engine.

It takes a legal record as JSON and works on the texts of cards; :func:`reckon` says what the hand came to.
"""

from typing import Any

EYES = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0}
TRUMPS = ["HT", "CQ", "SQ", "HQ", "DQ", "CJ", "SJ", "HJ", "DJ"]
SUIT = {"clubs": "C", "spades": "S", "hearts": "H", "diamonds": "D"}
STEPS = ["", "ansage", "no90", "no60", "no30", "black"]


def trumps_of(contract: str) -> list[str]:
    kind = contract.removeprefix("solo-")
    if kind == "aces":
        return []
    if kind == "queens":
        return TRUMPS[1:5]
    if kind == "jacks":
        return TRUMPS[5:]
    suit = SUIT.get(kind, "D")
    return TRUMPS + [suit + rank for rank in "ATK9" if suit + rank != "HT"]


def beats(card: str, best: str, trumps: list[str]) -> bool:
    """Does *card*, played later, take the trick from *best*?"""
    if card in trumps:
        return best not in trumps or trumps.index(card) < trumps.index(best)
    return best not in trumps and card[0] == best[0] and "ATKQJ9".index(card[1]) < "ATKQJ9".index(best[1])


def reckon(record: dict[str, Any]) -> dict[str, Any]:
    events = [event.split() for event in record["events"]]
    both = [p for p, hand in enumerate(record["hands"], 1) if hand.split().count("CQ") == 2]
    contract, alone = "normal", both[0] if both else 0
    if both:
        contract = "silent-solo"
    if any(words[1] == "marriage" for words in events):
        contract, alone = "marriage", 0
    for words in events:
        if words[1] == "solo":
            contract, alone = words[2], int(words[0])
    trumps = trumps_of(contract)

    tricks: list[tuple[int, list[tuple[int, str]]]] = []
    table: list[tuple[int, str]] = []
    for words in events:
        if words[1] == "play":
            table.append((int(words[0]), words[2]))
            if len(table) == 4:
                winner, best = table[0]
                for player, card in table[1:]:
                    if beats(card, best, trumps):
                        winner, best = player, card
                tricks.append((winner, table))
                table = []
    winners = [winner for winner, _ in tricks]

    void = False
    if contract == "marriage":
        groom = both[0]
        humans = record["duel"]
        others = [w for w in winners[:3] if w != groom]
        if humans:
            fit = [w for w in others if (w in humans) != (groom in humans)]
            void = not fit and (groom not in humans or bool(others))
            others = fit
        re = sorted({groom, *others[:1]})
    elif alone:
        re = [alone]
    else:
        re = [p for p, hand in enumerate(record["hands"], 1) if "CQ" in hand.split()]
    if void:
        return {"void": True, "contract": contract, "trick_winners": winners}

    side = {p: "re" if p in re else "kontra" for p in (1, 2, 3, 4)}
    eyes = {"re": 0, "kontra": 0}
    count = {"re": 0, "kontra": 0}
    for winner, cards in tricks:
        eyes[side[winner]] += sum(EYES[card[1]] for _, card in cards)
        count[side[winner]] += 1
    level = {"re": 0, "kontra": 0}
    for words in events:
        if words[1] == "call":
            step = 1 if words[2] in ("re", "kontra") else STEPS.index(words[2])
            level[side[int(words[0])]] = max(step, level[side[int(words[0])]])

    def other(s: str) -> str:
        return "kontra" if s == "re" else "re"

    def reaches(s: str) -> bool:
        if level[s] == 5:
            return count[s] == 12
        return eyes[s] >= {2: 151, 3: 181, 4: 211}[level[s]]

    bidders = [s for s in ("re", "kontra") if level[s] >= 2]
    won: str | None
    if not bidders:
        won = "re" if eyes["re"] >= (120 if level == {"re": 0, "kontra": 1} else 121) else "kontra"
    else:
        kept = [s for s in bidders if reaches(s)]
        won = kept[0] if kept else other(bidders[0]) if len(bidders) == 1 else None

    score = {"re": 0, "kontra": 0}
    for loser in ("re", "kontra"):
        if loser == won:
            continue
        keeper = other(loser)
        made = [eyes[loser] < 90, eyes[loser] < 60, eyes[loser] < 30, count[loser] == 0]
        for step, is_made in enumerate(made, 2):
            called = won is not None and record["rules"] == "stargames" and level[keeper] >= step
            score[keeper] += is_made and not called
    for s in ("re", "kontra"):
        for step, enough in enumerate((120, 90, 60, 30), 2):
            score[other(s)] += level[s] >= step and eyes[other(s)] >= enough
        if won:
            score[won] += 2 * (level[s] >= 1) + max(level[s] - 1, 0)
    if won:
        score[won] += 1
    if len(re) == 2 and record["options"]["special-points"]:
        score["kontra"] += won == "kontra"
        for number, (winner, cards) in enumerate(tricks, 1):
            mine = side[winner]
            score[mine] += sum(EYES[card[1]] for _, card in cards) >= 40
            score[mine] += sum(card == "DA" and side[player] != mine for player, card in cards)
            score[mine] += number == 12 and (winner, "CJ") in cards
    view = won or "re"
    value = score[view] - score[other(view)]
    of_re = value if view == "re" else -value
    pay = {p: of_re * (3 if len(re) == 1 else 1) if p in re else -of_re for p in (1, 2, 3, 4)}
    return {
        "void": False,
        "contract": contract,
        "re": re,
        "winner": won,
        "value": value,
        "points": [pay[p] for p in (1, 2, 3, 4)],
        "card_points": eyes,
        "trick_winners": winners,
    }
