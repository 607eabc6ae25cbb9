"""The small parts: canvas, line editor, faces, sorting, plots, settings, styles, keys, forms."""

import re

import pytest

from node.console import keys, style, words
from node.console.canvas import Canvas, clip, pad, text_width, wrap
from node.console.edit import LineEdit
from node.console.faces import SIGNS, faces_for, read_card, read_rank
from node.console.forms import read_money, table_form
from node.console.page import Page
from node.console.plan import plan_for, too_small
from node.console.plot import plot
from node.console.rulestext import rule_numbers, rules_document
from node.console.scorepages import shell_quote
from node.console.settings import CHOICES, Settings, detect, with_values
from node.console.sorting import ORDERS, sorted_hand
from node.i18n import LANGUAGES, use_language
from node.view import OpenNewTable
from protocol.cards import CARD_NAMES, DECK, card_name
from protocol.rules.contracts import Contract


class Stream:
    """Something with an encoding."""

    def __init__(self, encoding: str | None) -> None:
        self.encoding = encoding


# --- canvas -------------------------------------------------------------------------------------------------------


def test_text_outside_the_grid_is_cut() -> None:
    canvas = Canvas(4, 2)
    canvas.text(-2, 0, "abcdef", "x")
    canvas.text(2, 1, "xyz")
    canvas.text(0, 7, "nowhere")
    canvas.box(-1, -1, 9, 9)
    canvas.fill(-5, -5, 50, 50, ".")
    assert canvas.rows() == ["....", "...."]


def test_wide_and_combining_characters_keep_their_columns() -> None:
    canvas = Canvas(6, 1)
    assert canvas.text(0, 0, "日本e\u0301!") == 6
    assert canvas.rows() == ["日本e\u0301!"]
    canvas.text(1, 0, "x")  # the second half of a wide character: its first half goes too
    assert canvas.rows() == [" x本e\u0301!"]
    assert [text_width(t) for t in ("a", "日", "e\u0301", "\n")] == [1, 2, 1, 1]


def test_control_characters_of_others_never_reach_the_terminal() -> None:
    canvas = Canvas(12, 1)
    canvas.text(0, 0, "a\x1b[31mb\x9b1m\n")
    assert canvas.rows() == ["a?[31mb?1m?"]


@pytest.mark.parametrize("width", range(9))
def test_clip_and_pad_hit_their_width(width: int) -> None:
    assert text_width(clip("日本語 text", width)) <= width
    assert text_width(pad("日本語 text", width, "^")) == width


def test_wrap_breaks_at_blanks_and_cuts_only_what_is_too_long() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("a\n\n  b c", 4) == ["a", "", "  b", "  c"]
    assert wrap("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert wrap("", 3) == [""]
    assert all(text_width(row) <= 5 for row in wrap("日本語 and 日本語日本語", 5))


def test_runs_join_equal_styles() -> None:
    canvas = Canvas(5, 1, "g")
    canvas.text(1, 0, "ab", "x")
    assert canvas.line(0) == [("g", " "), ("x", "ab"), ("g", "  ")]


def test_the_topmost_spot_is_hit() -> None:
    canvas = Canvas(9, 3)
    canvas.spot(0, 0, 5, 2, "below")
    canvas.spot(3, 0, 5, 2, "above")
    assert [canvas.hit(x, 1) for x in (0, 3, 7, 8)] == ["below", "above", "above", None]


# --- typing -------------------------------------------------------------------------------------------------------


def test_the_line_editor_edits() -> None:
    edit = LineEdit("hello")
    for key in ("home", "delete", "H", "end", "backspace", "space", "w", "o", "left", "right", "c-w"):
        assert edit.press(key)
    assert (edit.text, edit.cursor) == ("Hell ", 5)
    edit.press("c-u")
    assert edit.text == ""
    assert not edit.press("f9")
    edit.insert("two\nlines\x1b")
    assert edit.take() == "two lines"
    assert edit.text == ""


def test_the_window_of_the_editor_follows_the_cursor() -> None:
    edit = LineEdit("abcdefghij")
    assert edit.window(5) == ("ghij", 4)
    edit.press("home")
    assert edit.window(5) == ("abcde", 0)


def test_the_editor_has_a_limit() -> None:
    edit = LineEdit("", limit=3)
    edit.insert("abcdef")
    assert edit.text == "abc"


# --- cards --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_card_is_read_as_it_is_shown_and_as_records_write_it(code: str) -> None:
    use_language(code)
    for letters in CHOICES["letters"]:
        for kind in CHOICES["faces"]:
            faces = faces_for(kind, letters)
            shown = [faces.card(card) for card in range(24)]
            assert len(set(shown)) == 24
            assert kind == "unicode" or all(text.isascii() for text in shown)
            for card, text in enumerate(shown):
                if text.isascii() == (kind == "ascii"):
                    assert read_card(text) in (card, None if letters == "language" and kind == "ascii" else card)
    for card in range(24):
        assert read_card(CARD_NAMES[card]) == card
        assert read_card(CARD_NAMES[card].lower()) == card


@pytest.mark.parametrize(
    ("code", "text", "card"),
    [
        ("en", "queen clubs", "CQ"), ("en", "h10", "HT"), ("en", "spades ace", "SA"), ("de", "Kreuz Dame", "CQ"),
        ("de", "karo b", "DJ"), ("de", "herz zehn", "HT"), ("it", "fiori donna", "CQ"), ("it", "den f", "DJ"),
        ("pl", "trefl dama", "CQ"), ("pl", "karo w", "DJ"), ("hu", "treff dáma", "CQ"), ("hu", "káró bubi", "DJ"),
    ],
)  # fmt: skip
def test_cards_are_read_in_the_language(code: str, text: str, card: str) -> None:
    use_language(code)
    found = read_card(text)
    assert found is not None
    assert card_name(found) == card


@pytest.mark.parametrize("text", ["", "x", "c", "queen", "c q c", "10", "zz", "c11"])
def test_what_is_no_card_is_none(text: str) -> None:
    assert read_card(text) is None


def test_rank_keys() -> None:
    assert [read_rank(key) for key in "atkqj90x"] == [0, 1, 2, 3, 4, 5, None, None]
    assert read_rank("1") == 1


def test_signs_have_one_column_and_an_ascii_form() -> None:
    for name, (sign, plain) in SIGNS.items():
        assert text_width(sign) == 1, name
        assert plain.isascii(), name
        assert "\ufe0f" not in sign


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("contract", list(Contract))
def test_orders_are_stable_and_lose_nothing(order: str, contract: Contract) -> None:
    hand = sorted_hand(DECK, contract, order)
    assert sorted(hand) == sorted(DECK)
    for place in (0, 11, 30):
        rest = list(DECK)
        rest.remove(hand[place])
        without = list(hand)
        without.remove(hand[place])
        assert sorted_hand(rest, contract, order) == tuple(without)


# --- plots, settings, styles --------------------------------------------------------------------------------------


@pytest.mark.parametrize("plain", [True, False])
def test_plots_fit_and_show_the_extremes(plain: bool) -> None:
    rows = plot([0, 5, -3, 2], 40, 6, plain)
    assert len(rows) == 6
    assert all(text_width(row) <= 40 for row in rows)
    assert rows[0].strip().startswith("5")
    assert rows[-1].strip().startswith("-3")
    assert plot([], 40, 6) == []
    assert plot([1], 40, 3, plain)
    assert plot([2, 2, 2], 40, 3, plain)


def test_detecting_the_terminal() -> None:
    assert detect(Stream("utf-8"), {}) == Settings()
    assert detect(Stream("ascii"), {}).faces == "ascii"
    assert detect(Stream("latin-1"), {}).faces == "ascii"
    assert detect(Stream(None), {"NO_COLOR": "1"}).theme == "mono"
    assert detect(Stream("utf-8"), {"COLORFGBG": "0;15"}).theme == "light"


def test_wrong_settings_are_left_out() -> None:
    values = {"theme": "pink", "dwell": 3, "bell": "yes", "mouse": True, "guard": "always", "nonsense": 1, "lock": -1}
    assert with_values(Settings(), values) == Settings(dwell=3.0, mouse=True, guard="always")


@pytest.mark.parametrize("theme", CHOICES["theme"])
@pytest.mark.parametrize("colours", CHOICES["colours"])
def test_every_style_that_is_drawn_is_in_every_theme(theme: str, colours: str) -> None:
    rules = style.theme_rules(theme, colours)
    for suit in range(4):
        for state in ("", "focus", "dim"):
            assert style.suit_style(suit, state) in rules
        assert style.inline_style(suit) in rules
    if theme == "mono":
        assert not any("#" in rule for rule in rules.values())
        return
    grounds = {name for name, rule in rules.items() if name and ("bg:" not in rule or "#" not in rule)}
    assert not grounds, "every coloured style sets both, so that any terminal can be read"
    looks = [rules[style.suit_style(suit)] for suit in range(4)]
    assert len(set(looks)) == (4 if colours == "four" else 2)


def test_colours_are_legible() -> None:
    """WCAG contrast of at least 4.5 for text and 3 for what is only decoration or set back on purpose."""

    def luminance(colour: str) -> float:
        parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for theme in ("dark", "light"):
        for name, rule in style.theme_rules(theme).items():
            ground, ink = re.search(r"bg:(#\w{6})", rule), re.search(r"(?<!bg:)(#\w{6})", rule)
            if ground is None or ink is None:
                continue
            one, other = sorted((luminance(ground[1]), luminance(ink[1])))
            least = (
                1.3
                if name in ("frame", "back.edge") or name in ("card", "card.focus", "card.dim")
                else (3.0 if name.endswith(".dim") or name in ("back", "pile") else 4.5)
            )
            assert (other + 0.05) / (one + 0.05) >= least, (theme, name, rule)


def test_no_felt_leaves_the_ground_to_the_terminal() -> None:
    rules = style.theme_rules("dark", felt=False)
    assert "bg:" not in rules["felt"]
    assert "bg:" in rules["card.hearts"]


# --- keys ---------------------------------------------------------------------------------------------------------


def test_no_key_means_two_things_in_one_context() -> None:
    seen = set()
    for binding in keys.BINDINGS:
        for key in binding.keys:
            assert (binding.context, key) not in seen, (binding.context, key)
            seen.add((binding.context, key))
        assert binding.context in keys.CONTEXTS


def test_the_keys_of_the_table_and_of_the_hand_do_not_collide() -> None:
    """Card letters and commands are live at the same time."""
    pressed = [
        {key for b in keys.bindings_of(context) for key in b.keys} for context in ("hand", "table", "everywhere")
    ]
    assert not pressed[0] & pressed[1]
    assert not pressed[0] & pressed[2]
    assert not pressed[1] & pressed[2]


def test_every_action_of_the_table_exists() -> None:
    from node.console.forms import FormPage
    from node.console.lobbypage import FriendsPage, LobbyPage, SeatingPage
    from node.console.model import Model
    from node.console.page import ChoicePopup, DocumentPage, LinePopup
    from node.console.review import ReviewPage
    from node.console.tablepage import TablePage

    pages: dict[str, tuple[type[Page], ...]] = {
        "table": (TablePage,), "hand": (TablePage,), "choice": (TablePage, ChoicePopup), "lobby": (LobbyPage,),
        "seating": (SeatingPage,), "page": (DocumentPage,), "review": (ReviewPage,), "form": (FormPage,),
        "line": (LinePopup,),
    }  # fmt: skip
    for binding in keys.BINDINGS:
        for page in pages.get(binding.context, ()):
            assert hasattr(page, "do_" + binding.action.replace("-", "_")), (page, binding)
    model = Model(Settings())
    for binding in keys.bindings_of("everywhere"):
        assert model.perform(binding.action), binding
    assert issubclass(FriendsPage, Page)


def test_keys_are_named_for_people() -> None:
    assert keys.keys_name(tuple("1234567890"), lambda text: text) == "1-9, 0"
    assert keys.keys_name(("left", "c-c"), lambda text: text, ascii_only=True) == "<-, Ctrl-C"


# --- words, rules, forms ------------------------------------------------------------------------------------------


def test_every_name_of_the_game_has_a_word() -> None:
    from protocol.rules.calls import CallKind, Side

    for contract in Contract:
        assert words.contract_name(contract)
        assert words.trumps_line(contract)
    for kind in CallKind:
        assert words.call_name(kind)
    for side in Side:
        assert words.side_name(side)


def test_money_is_written_with_its_sign() -> None:
    assert [words.money(n, "EUR", True) for n in (-122, 0, 5, 1056)] == [
        "-1.22 EUR",
        "0.00 EUR",
        "+0.05 EUR",
        "+10.56 EUR",
    ]


def test_a_shell_word_is_one_word() -> None:
    assert shell_quote("/home/a/b.doko") == "/home/a/b.doko"
    assert shell_quote("a b'c") == "'a b'\\''c'"


def test_every_rule_that_a_score_names_is_on_the_rules_page() -> None:
    lines, index = rules_document(faces_for("unicode", "record"), 78)
    assert lines
    assert set(index) == set(rule_numbers())
    named = {rule for _text, rule in words.ITEMS.values()} | {"R13", "R28", "R29", "R30", "R31", "R16", "R20"}
    assert named <= set(index)
    for number in index:
        assert number in "".join(text for _style, text in lines[index[number]])


@pytest.mark.parametrize(("text", "cents"), [("0.10", 10), ("0,1", 10), ("2", 200), ("", None), ("1.234", None)])
def test_amounts_as_typed(text: str, cents: int | None) -> None:
    assert read_money(text) == cents


def filled(**changes: str) -> tuple[list[OpenNewTable], str | None]:
    """The table form with changes, accepted."""
    made: list[OpenNewTable] = []
    form = table_form(("beginner", "strong"), made.append)
    form.values.update(changes)
    wrong = form.wrong()
    return made, wrong[1] if wrong is not None else form.done(form.values)


def test_the_table_form_makes_all_terms() -> None:
    made, error = filled(
        mode="variable", stake="0,05", limit="1.50", currency="pts", profile="ddv", special="no", seats="anyone",
        strength="strong", clock="20", reserve="90", grace="30", one_gone="ghost", fee="250", kitty="club", bots="2",
        level="strong",
    )  # fmt: skip
    assert error is None
    [command] = made
    terms = command.terms
    assert command.bots == ("strong", "strong")
    assert (terms.mode, terms.stake, terms.limit, terms.currency, terms.profile) == ("variable", 5, 150, "pts", "ddv")
    assert (terms.special_points, terms.seats, terms.strength) == (False, "anyone", "strong")
    assert (terms.clock, terms.reserve, terms.grace, terms.one_gone) == (20, 90, 30, "ghost")
    assert (terms.fee, terms.kitty) == (250, "club")


def test_a_limit_belongs_to_the_variable_stake_alone() -> None:
    made, error = filled(mode="four-fixed", limit="99")
    assert error is None
    assert made[0].terms.limit is None


@pytest.mark.parametrize(
    "changes",
    [
        {"stake": ""}, {"stake": "ten"}, {"stake": "0"}, {"mode": "variable", "limit": "0.01"}, {"clock": "2"},
        {"clock": "x"}, {"fee": "2501"}, {"mode": "duel", "bots": "3"}, {"currency": "far too long"},
    ],
)  # fmt: skip
def test_wrong_terms_are_named(changes: dict[str, str]) -> None:
    made, error = filled(**changes)
    assert error
    assert not made


# --- layout -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [80, 90, 100, 119, 120, 200])
@pytest.mark.parametrize("height", [24, 29, 30, 40, 60])
def test_the_plan_uses_every_row_once(width: int, height: int) -> None:
    plan = plan_for(width, height)
    assert not plan.compact
    assert 1 <= plan.north < plan.trick_top
    assert plan.trick_top + 2 * plan.trick[1] + 1 <= plan.own < plan.hand_top
    assert plan.hand_top + plan.card[1] + 1 == plan.marks < plan.prompt
    assert plan.prompt + plan.prompt_rows + plan.log <= height - 1
    assert plan.card[0] + 11 * 3 <= plan.area


def test_too_small_and_compact() -> None:
    assert too_small(39, 12)
    assert too_small(40, 11)
    assert not too_small(40, 12)
    assert plan_for(79, 24).compact
    assert plan_for(80, 23).compact
