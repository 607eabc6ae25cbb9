"""Settings: four sources, each value checked, each mistake named with its place."""

import errno
import os
from pathlib import Path

import pytest

from node.config import SETTINGS, Origin, load, set_value, setting, show, unset_value
from node.console.settings import CHOICES, Settings, with_values
from node.errors import EXIT_USAGE, DokoError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_option_before_environment_before_file_before_default(file: Path) -> None:
    name = "console.theme"
    assert load(file, {}).get(name) == "auto"
    assert load(file, {}).origin(name) == Origin("default")
    file.write_text('nickname = "Anna"\n\n[console]\ntheme = "light"\n')
    assert load(file, {}).get(name) == "light"
    assert load(file, {}).origin(name) == Origin("file", f"{file}, line 4")
    environ = {"DOKO_CONSOLE_THEME": "dark"}
    assert load(file, environ).get(name) == "dark"
    assert load(file, environ).origin(name) == Origin("environment", "DOKO_CONSOLE_THEME")
    assert load(file, environ, {name: "mono", "nickname": None}).get(name) == "mono"
    assert load(file, environ, {name: "mono"}).origin(name) == Origin("option")
    assert load(file, environ, {"nickname": None}).text("nickname") == "Anna"


def test_all_mistakes_are_named_with_file_and_line(file: Path) -> None:
    file.write_text('# mine\nnickname = 5\n[console]\ntheme = "pink"\nthme = "dark"\n\n[network]\nlan = "yes"\n')
    with pytest.raises(DokoError) as caught:
        load(file, {"DOKO_LOG_LEVEL": "loud"}, {"log.files": "many"})
    assert caught.value.exit_code == EXIT_USAGE
    lines = caught.value.message.splitlines()
    assert len(lines) == 6
    assert f"{file}, line 2: nickname = 5" in lines[0]
    assert f"{file}, line 4: console.theme = 'pink'" in lines[1]
    assert f"{file}, line 5: there is no setting console.thme. Did you mean console.theme" in lines[2]
    assert f"{file}, line 8: network.lan" in lines[3]
    assert lines[4].startswith("DOKO_LOG_LEVEL: 'loud'")
    assert lines[5].startswith("log.files: 'many'")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("nickname = \n", 1),
        ('a = "b"\n\n[[[\n', 3),
        ('nickname = "Anna"\nnickname = "Bert"\n', 2),
        ("a = " + "[" * 50_000, 1),
    ],
)
def test_what_is_no_toml_is_named_with_its_line(file: Path, text: str, line: int) -> None:
    file.write_text(text)
    with pytest.raises(DokoError, match="not TOML") as caught:
        load(file, {})
    assert f"{file}, line {line}:" in caught.value.message
    with pytest.raises(DokoError, match="not TOML"):
        set_value(file, "nickname", "Anna")
    assert file.read_text() == text


def test_not_utf_8(file: Path) -> None:
    file.write_bytes(b'# one\nnickname = "J\xf6rg"\n')
    with pytest.raises(DokoError, match="line 2: not UTF-8"):
        load(file, {})
    with pytest.raises(DokoError, match="not UTF-8"):
        set_value(file, "nickname", "x")
    file.write_bytes(b'\xef\xbb\xbfnickname = "J\xc3\xb6rg"\n')  # as Windows' editor saves it
    assert load(file, {}).text("nickname") == "Jörg"


def test_file_that_is_a_directory_or_too_large(file: Path) -> None:
    file.mkdir()
    with pytest.raises(DokoError):
        load(file, {})
    file.rmdir()
    file.write_bytes(b"#" * 300_000)
    with pytest.raises(DokoError, match="too large"):
        load(file, {})


@pytest.mark.parametrize("spelling", ['console.theme = "x"', 'console = {theme = "x"}', '[console]\n"theme" = "x"'])
def test_places_of_other_spellings(file: Path, spelling: str) -> None:
    file.write_text("# first line\n" + spelling)
    with pytest.raises(DokoError) as caught:
        load(file, {})
    assert f"line {2 + spelling.count(chr(10))}: console.theme" in caught.value.message


def test_table_where_a_value_belongs_and_the_other_way(file: Path) -> None:
    file.write_text("console = 5\n[nickname]\nx = 1\n")
    with pytest.raises(DokoError) as caught:
        load(file, {})
    assert "no setting console" in caught.value.message
    assert "no setting nickname.x" in caught.value.message
    with pytest.raises(DokoError, match="console is a value, not a table"):
        set_value(file, "console.theme", "dark")


def test_every_default_is_valid_and_can_be_typed(file: Path) -> None:
    for name, one in SETTINGS.items():
        assert one.kind.check(list(one.default) if isinstance(one.default, tuple) else one.default) == one.default
        assert one.kind.from_text(show(one.default)) == one.default
        assert one.environment.startswith("DOKO_")
        set_value(file, name, show(one.default))
    found = load(file, {})
    assert all(found.get(name) == one.default for name, one in SETTINGS.items())
    assert all(found.origin(name).kind == "file" for name in SETTINGS)
    assert len({one.environment for one in SETTINGS.values()}) == len(SETTINGS)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("nickname", "Jörg B.", "Jörg B."),
        ("network.lan", "NO", False),
        ("network.lan", "on", True),
        ("network.listen", "127.0.0.1", "127.0.0.1:4848"),
        ("network.addresses", "Anna.Example:1, [2001:DB8::1]", ("anna.example:1", "[2001:db8::1]:4848")),
        ("network.socks", "", ""),
        ("network.socks", "localhost:9050", "localhost:9050"),
        ("console.dwell", "0.5", 0.5),
        ("log.files", "7", 7),
    ],
)
def test_values_people_type(file: Path, name: str, text: str, value: object) -> None:
    assert set_value(file, name, text) == value
    assert load(file, {}).get(name) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nickname", "x" * 33),
        ("nickname", "two\nlines"),
        ("network.lan", "perhaps"),
        ("network.listen", ":99999"),
        ("network.addresses", "a:1 b:2 c:3 d:4"),
        ("network.addresses", "no address at all!"),
        ("network.socks", "localhost"),
        ("console.dwell", "61"),
        ("console.dwell", "nan"),
        ("console.dwell", "soon"),
        ("log.files", "1.5"),
        ("log.files", "0"),
        ("language", "klingon"),
    ],
)
def test_values_that_do_not_fit(file: Path, name: str, text: str) -> None:
    with pytest.raises(DokoError, match="does not fit") as caught:
        set_value(file, name, text)
    assert caught.value.exit_code == EXIT_USAGE
    assert not file.exists()


def test_set_keeps_comments_and_order(file: Path) -> None:
    text = '# my settings\nnickname = "Anna"  # me\n\n[console]\n# at night\ntheme = "dark"\nbell = false\n'
    file.write_text(text)
    set_value(file, "console.theme", "light")
    set_value(file, "log.level", "debug")
    assert file.read_text().startswith(text.replace('"dark"', '"light"'))
    assert load(file, {}).text("log.level") == "debug"
    assert unset_value(file, "log.level")
    assert not unset_value(file, "log.level")
    assert not unset_value(file, "log.level.deeper")
    assert load(file, {}).origin("log.level") == Origin("default")


def test_unknown_setting_can_be_taken_out_but_not_set(file: Path) -> None:
    file.write_text("typo = 1\n")
    with pytest.raises(DokoError, match="no setting 'typo'"):
        set_value(file, "typo", "2")
    with pytest.raises(DokoError, match="no setting"):
        setting("console.thm")
    assert unset_value(file, "typo")
    assert file.read_text() == ""
    assert not unset_value(file.with_name("missing"), "typo")


def test_full_disk_keeps_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('nickname = "Anna"\n')

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DokoError, match="No space left"):
        set_value(file, "nickname", "Bert")
    assert file.read_text() == 'nickname = "Anna"\n'
    assert os.listdir(file.parent) == ["config.toml"]


def test_language_of_the_environment_that_we_do_not_have_is_passed_over(file: Path) -> None:
    assert load(file, {"DOKO_LANG": "fr"}).get("language") == "auto"
    assert load(file, {"DOKO_LANG": "hu"}).get("language") == "hu"


def test_every_setting_of_the_console_can_be_configured(file: Path) -> None:
    """What the console knows is in the table of settings with the same default, and the choices are the same."""
    section = load(file, {}).section("console")
    for name in Settings.__slots__:
        one = SETTINGS[f"console.{name}"]
        if one.default != "auto":
            assert section[name] == getattr(Settings(), name)
        for choice in CHOICES.get(name, ()):
            assert one.kind.from_text(choice) == choice
    assert with_values(Settings(), section) == Settings()
