"""A match told as text while it runs: the deal step by step, each trick, the calls, the score with reasons and rules.

Feeds on the lines of :mod:`node.events`, so it does not matter whether the match runs in this process or in another.
"""

import os
from collections.abc import Mapping
from typing import Any, Final, Protocol

from node.console import words
from node.console.faces import Faces
from node.console.settings import can_encode
from node.events import Line
from node.i18n import N_, _
from node.refusals import told
from protocol.cards import CARD_POINTS, SUIT_OF, parse_card

#: Steps of a deal: what the line is called and what it means when all four have done it.
STEPS: Final = {
    "commit": (N_("commit"), N_("keys chosen, nobody can change his any more")),
    "keys": (N_("keys"), N_("a joint key: opening a card takes all four")),
    "keyok": (N_("keys checked"), ""),
    "shuffle": (N_("shuffle"), N_("each shuffled in turn and proved it; all checked")),
    "barrier": (N_("barrier"), N_("all four hold the same deck; no card is open yet")),
    "test": (N_("duel test"), ""),
    "testopen": (N_("duel test opened"), N_("one bit, no more: whether a duel allows this deal")),
    "shares": (N_("shares"), N_("everyone can read his own twelve cards, and no others")),
}
#: Columns of a step's name, and of the reason of a point.
_LABEL: Final = 18
_REASON: Final = 58
_CLEAR: Final = "\x1b[0m"
#: Clubs, spades, hearts, diamonds.
_SUITS: Final = ("\x1b[32m", "\x1b[34m", "\x1b[31m", "\x1b[33m")
_BOLD: Final = "\x1b[1m"
_DIM: Final = "\x1b[2m"


class Output(Protocol):
    """Where text goes: a text stream."""

    def write(self, text: str, /) -> Any: ...
    def flush(self) -> Any: ...


def wants_colour(stream: Any, environ: Mapping[str, str] = os.environ) -> bool:
    """A terminal, and neither ``NO_COLOR`` (no-color.org) nor a dumb one."""
    if environ.get("NO_COLOR") or environ.get("TERM", "") == "dumb":
        return False
    return bool(getattr(stream, "isatty", lambda: False)())


def faces_of(stream: Any) -> Faces:
    """Suit symbols where the stream's encoding has them, letters elsewhere."""
    return Faces(not can_encode(getattr(stream, "encoding", None), "♣♠♥♦✓→·─−…“”"))


class Narrator:
    """Tells one match after another on a text stream."""

    def __init__(self, out: Output, *, colour: bool = False, faces: Faces | None = None) -> None:
        self._out = out
        self._colour = colour
        self._faces = faces or faces_of(out)
        self._names: list[str] = ["?"] * 4
        self._terms: dict[str, Any] = {}
        self._step = ""
        self._steps = 0
        self._column = 0  # in the line begun
        self._trick: list[int] = []  # cards of the trick begun
        self._tricks: int | None = 0  # complete ones; None: taken up in the middle of a hand
        self._bids = False
        self._playing = False
        self._replaying = False
        self._me = 0
        self._hands = 0  # finished
        self._lost: set[int] = set()
        self._behind: list[Line] = []  # steps of the next deal, which is made while this hand is played
        self._totals = [0, 0, 0, 0]
        self._paid = [0, 0, 0, 0]
        self._kitty = 0

    def feed(self, line: Line) -> None:
        """Tell what *line* says."""
        teller = getattr(self, "_on_" + str(line["event"]).replace("-", "_"), None)
        if teller is not None:
            teller(line)
            self._out.flush()

    # -- the match

    def _on_seated(self, line: Line) -> None:
        self._names = [player["name"] for player in line["players"]]
        self._terms = line["terms"]
        self._totals, self._paid, self._kitty = [0] * 4, [0] * 4, 0
        self._playing, self._behind, self._step = line["resumed"], [], ""
        self._tricks, self._trick, self._bids = None if line["resumed"] else 0, [], False
        self._begin()
        self._say(self._paint(_BOLD, _("Match {id}").format(id=line["match"][:16])))
        for seat, player in enumerate(line["players"]):
            bot = f" ({words.LEVELS.get(player['bot'], player['bot'])})" if player["bot"] else ""
            self._say(f"  {seat + 1}  {player['name']}{bot}  " + self._paint(_DIM, player["words"]))
        self._say("  " + self._terms_text())
        self._me, self._hands = line["me"], 0
        self._lost = set(range(4)) - {self._me} if line["resumed"] else set()
        if line["resumed"]:
            self._say(_("Taken up again; waiting for the others."))

    def _terms_text(self) -> str:
        terms = self._terms
        parts = [words.mode_name(terms["mode"])]
        stake = words.money(terms["stake"], terms["currency"])
        if terms["mode"] == "variable":
            parts.append(_("{stake} a point").format(stake=stake))
            limit = terms["limit"]
            parts.append(
                _("no limit")
                if limit is None
                else _("at most {limit} an opponent").format(limit=words.money(limit, terms["currency"]))
            )
        else:
            parts.append(_("{stake} a hand").format(stake=stake))
        if terms["fee"]:
            parts.append(_("{n} % to the kitty").format(n=f"{terms['fee'] / 100:g}".replace(".", _("."))))
        parts.append(_("{rules} scoring").format(rules=words.PROFILES[terms["rules"]]))
        return f" {self._faces.sign('sep')} ".join(parts)

    # -- the deal

    def _on_deal_step(self, line: Line) -> None:
        if self._playing:
            self._behind.append(line)
            return
        step, seat = line["step"], line["seat"]
        if step != self._step or self._steps == 4:
            if step == "commit":
                self._begin()
                self._say("")
                title = self._paint(_BOLD, _("Deal {n}").format(n=line["deal"] + 1))
                if self._replaying:
                    title += f" {self._faces.sign('sep')} " + _("made while the hand was played")
                self._say(title)
            self._begin()
            self._write("  " + _(STEPS[step][0]).ljust(_LABEL))
            self._step, self._steps = step, 0
        self._write(f"{self._names[seat]} {self._faces.sign('done')}  ")
        self._steps += 1
        if self._steps == 4:
            meaning = STEPS[step][1]
            if meaning:
                self._write(self._paint(_DIM, _(meaning)))
            self._begin()

    def _on_deal_again(self, line: Line) -> None:
        self._behind = [step for step in self._behind if step["deal"] != line["deal"]]
        self._begin()
        self._say(_("This deal is thrown away: {why}.").format(why=told(line["reason"])))
        self._step = ""

    # -- the hand

    def _on_hand(self, line: Line) -> None:
        self._begin()
        self._say("")
        title = _("Hand {n} of {m}").format(n=line["hand"], m=self._terms.get("hands", 1))
        forehand = _("{name} is forehand").format(name=self._names[line["forehand"]])
        self._say(self._paint(_BOLD, title) + f" {self._faces.sign('sep')} {forehand}")
        self._tricks, self._trick, self._bids, self._step = 0, [], False, ""
        self._playing = True

    def _on_act(self, line: Line) -> None:
        what, _space, rest = line["act"].partition(" ")
        name = self._names[line["seat"]]
        if what == "play":
            self._card(name, parse_card(rest))
            return
        text = {
            "healthy": _("healthy"),
            "reservation": _("reservation"),
            "marriage": _("marriage"),
            "marry": _("shows both queens of clubs"),
        }.get(what) or words.contract_name(rest)
        if not self._bids:
            self._begin()
            self._write("  ")
            self._bids = True
        else:
            self._write(f" {self._faces.sign('sep')} ")
        self._write(f"{name}: {text}")

    def _on_game(self, line: Line) -> None:
        self._begin()
        contract = line["contract"]
        self._say(f"  {words.contract_name(contract)} " + self._paint(_DIM, f"({words.trumps_line(contract)})"))
        self._bids = False

    def _card(self, name: str, card: int) -> None:
        if not self._trick:
            self._begin()
            number = "" if self._tricks is None else str(self._tricks + 1)
            self._write(f"  {number:>2}  ")
        self._trick.append(card)
        shown = self._faces.card(card).ljust(3)
        self._write(f"{name} {self._paint(_SUITS[SUIT_OF[card]], shown)}  ")

    def _on_call(self, line: Line) -> None:
        text = f"[{self._names[line['seat']]}: {words.call_name(line['call'])}!]"
        if not self._trick:
            self._begin()
            self._write("      ")
        self._write(self._paint(_BOLD, text) + "  ")

    def _on_trick(self, line: Line) -> None:
        winner = self._paint(_BOLD, self._names[line["winner"]])
        points = f" {sum(CARD_POINTS[card] for card in self._trick)}" if len(self._trick) == 4 else ""
        if not self._column:
            self._write("      ")
        self._write(f"{self._faces.sign('arrow')} {winner}{points}")
        self._begin()
        self._trick, self._tricks = [], line["trick"]

    def _on_hand_over(self, line: Line) -> None:
        self._tell_result(line)
        self._playing = False
        behind, self._behind = self._behind, []
        self._replaying = True
        for step in behind:
            self._on_deal_step(step)
        self._replaying = False

    def _tell_result(self, line: Line) -> None:
        self._begin()
        result = line["result"]
        self._say("")
        if result["void"]:
            self._say("  " + _("The hand is void and is dealt again (R29)."))
            return
        self._say("  " + self._paint(_BOLD, self._outcome(result)))
        self._items(result)
        for seat in range(4):
            self._totals[seat] += line["points"][seat]
            self._paid[seat] += line["money"][seat]
        self._kitty += line["kitty"]
        self._table(line["points"], line["money"], line["kitty"])
        self._hands += 1

    def _outcome(self, result: dict[str, Any]) -> str:
        re = result["re"]
        sides = (
            words.names([self._names[seat] for seat in re]),
            words.names([self._names[seat] for seat in range(4) if seat not in re]),
        )
        score = _("Re ({re}) {a} : {b} Contra ({contra})").format(
            re=sides[0], a=result["card_points"][0], b=result["card_points"][1], contra=sides[1]
        )
        if result["winner"] is None:
            return score + ", " + _("nobody wins")
        return score + ", " + _("{side} wins").format(side=words.side_name(result["winner"]))

    def _items(self, result: dict[str, Any]) -> None:
        own = result["winner"] or "re"
        for item in result["items"]:
            text, rule = words.item_text(item["item"])
            if item["trick"] is not None:
                text += " " + _("(trick {n})").format(n=item["trick"])
            if item["side"] != own:
                text += f" ({words.side_name(item['side'])})"
            points = item["points"] if item["side"] == own else -item["points"]
            self._say(f"    {text:<{_REASON}} {points:+3}  " + self._paint(_DIM, rule))
        rule = "R27" if result["winner"] is None else "R28"
        if len(result["re"]) == 1:
            text = _("value; one against three: it counts threefold for the soloist")
        else:
            text = _("value")
        self._say(f"    {text:<{_REASON}} {result['value']:+3}  " + self._paint(_DIM, rule))

    def _table(self, points: list[int], money: list[int], kitty: int) -> None:
        widths = [max(len(name), 9) for name in self._names]
        head = "  ".join(name.rjust(width) for name, width in zip(self._names, widths, strict=True))
        self._say(f"    {'':<8}  {head}  " + _("kitty").rjust(9))
        row = "  ".join(words.signed(n).rjust(width) for n, width in zip(points, widths, strict=True))
        self._say("    " + _("points").ljust(8) + f"  {row}")
        row = "  ".join(words.money(n, signed=True).rjust(width) for n, width in zip(money, widths, strict=True))
        self._say(f"    {self._terms.get('currency', ''):<8}  {row}  {words.money(kitty, signed=True).rjust(9)}")

    # -- the end, and what goes wrong

    def _on_settled(self, line: Line) -> None:
        self._begin()
        if self._terms.get("hands", 1) > 1:
            self._say("")
            self._say("  " + self._paint(_BOLD, _("The match")))
            self._table(line["points"], line["money"], line["kitty"])

    def _on_link(self, line: Line) -> None:
        seat, how = line["seat"], line["how"]
        if self._hands >= self._terms.get("hands", 1):
            return  # after the last hand nodes say good-bye one by one
        if how == "lost":
            if seat not in self._lost:
                self._lost.add(seat)
                self._begin()
                self._say("  " + _("{name} is not connected: {why}").format(name=self._names[seat], why=line["why"]))
        elif seat in self._lost:
            self._lost.discard(seat)
            self._begin()
            how_words = _("directly") if how == "direct" else _("through {name}").format(name=line["via"])
            self._say("  " + _("{name} is connected ({how}).").format(name=self._names[seat], how=how_words))

    def _on_refused(self, line: Line) -> None:
        self._begin()
        name = self._names[line["seat"]]
        self._say("  " + _("Refused from {name}: {why}").format(name=name, why=told(line["detail"], line["code"])))

    def _on_gone(self, line: Line) -> None:
        self._begin()
        self._say("  " + _("Waiting for {names}.").format(names=words.names([self._names[s] for s in line["seats"]])))

    def _on_back(self, line: Line) -> None:
        self._begin()
        self._say("  " + _("Everybody is there again."))

    def _on_keys_lost(self, line: Line) -> None:
        self._begin()
        self._say(
            "  "
            + _("This node has lost its keys for this hand and cannot play on; all four can agree that it is void.")
        )

    def _on_void_vote(self, line: Line) -> None:
        self._begin()
        self._say("  " + _("{name} agrees that the hand is void.").format(name=self._names[line["seat"]]))

    def _on_said(self, line: Line) -> None:
        self._begin()
        self._say(f"  {self._names[line['seat']]}: “{line['text']}”" if not self._faces.ascii else line["text"])

    # -- text

    def _paint(self, colour: str, text: str) -> str:
        return f"{colour}{text}{_CLEAR}" if self._colour else text

    def _write(self, text: str) -> None:
        if self._faces.ascii:
            text = text.encode("ascii", "replace").decode()
        self._out.write(text)
        self._column += len(text)

    def _begin(self) -> None:
        """End the line that was begun."""
        if self._column:
            self._out.write("\n")
            self._column = 0

    def _say(self, text: str) -> None:
        self._write(text + "\n")
        self._column = 0
