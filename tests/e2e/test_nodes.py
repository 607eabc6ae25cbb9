"""Nodes started by hand: they play one match; what goes wrong is said in words; signals stop them in good order."""

import os
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from node.errors import EXIT_ENVIRONMENT, EXIT_NO, EXIT_PEER, EXIT_USAGE
from protocol.table.verify import verify
from tests.e2e.processes import NodeProcess, four_nodes, free_port


@contextmanager
def node(*args: str, data: Path) -> Iterator[NodeProcess]:
    process = NodeProcess(*args, data=data)
    try:
        yield process
    finally:
        process.close()


OPEN = ("table", "open", "--auto", "random", "--events", "--leash")


@pytest.mark.slow
def test_hand_started_nodes_play_the_same_match_and_leave_equal_settlements(tmp_path: Path) -> None:
    terms = ("--mode", "four-fixed", "--stake", "37", "--fee", "900", "--rules", "ddv")
    with four_nodes(tmp_path, level="beginner", terms=terms) as four:
        files = four.settlements()
        assert len(set(files)) == 1
        verdict = verify(files[0])
        assert verdict.problem == ""
        assert verdict.unsigned == ()
        assert len(verdict.hands) == 4
        assert sum(verdict.money) + verdict.kitty == 0
        assert verdict.terms is not None
        assert (verdict.terms.stake, verdict.terms.fee, verdict.terms.profile) == (37, 900, "ddv")
        assert [n.end() for n in four.nodes] == [0, 0, 0, 0]
        for number in range(1, 5):
            data = tmp_path / f"node{number}"
            with closing(sqlite3.connect(data / "doko.db")) as store:
                assert store.execute("SELECT count(*) FROM secrets").fetchone() == (0,)
                assert store.execute("SELECT state FROM matches").fetchall() == [("finished",)]
                assert store.execute("SELECT count(*) FROM ledger").fetchone() == (0,)  # no person: no money
                assert store.execute("SELECT count(*) FROM hands").fetchone() == (4,)


@pytest.mark.slow
def test_a_terminated_node_says_143_and_goes_on_after_resume(tmp_path: Path) -> None:
    with four_nodes(tmp_path) as four:
        four.nodes[2].wait_for(lambda line: line["event"] == "trick" and line["trick"] == 3)
        four.nodes[2].signal(signal.SIGTERM)
        assert four.nodes[2].end() == 143
        assert "Traceback" not in four.nodes[2].errors
        four.restart(2)
        for raw in four.settlements():
            assert verify(raw).problem == ""


@pytest.mark.slow
def test_an_interrupted_node_says_130(tmp_path: Path) -> None:
    with node(*OPEN, "--listen", "127.0.0.1:0", data=tmp_path) as one:
        one.event("listening")
        one.signal(signal.SIGINT)
        assert one.end() == 130
        assert one.errors == ""


@pytest.mark.slow
def test_a_child_on_the_leash_ends_with_its_parent(tmp_path: Path) -> None:
    with node(*OPEN, "--listen", "127.0.0.1:0", data=tmp_path) as one:
        one.event("listening")
        assert one.process.stdin is not None
        one.process.stdin.close()
        assert one.end() == 143


@pytest.mark.slow
def test_a_port_in_use_is_said_in_words(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with node(*OPEN, "--listen", f"127.0.0.1:{port}", data=tmp_path) as one:
            assert one.end() == EXIT_ENVIRONMENT
            assert str(port) in one.errors
            assert "--listen" in one.errors
            assert "Traceback" not in one.errors


@pytest.mark.slow
def test_a_second_node_on_one_data_directory_is_refused(tmp_path: Path) -> None:
    with node(*OPEN, "--listen", "127.0.0.1:0", data=tmp_path) as first:
        first.event("listening")
        with node(*OPEN, "--listen", "127.0.0.1:0", data=tmp_path) as second:
            assert second.end() == EXIT_ENVIRONMENT
            assert str(first.process.pid) in second.errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("table", "join", "no host", "--auto", "random"), EXIT_USAGE, "is no address"),
        (("table", "join", "127.0.0.1", "--auto", "grandmaster"), EXIT_USAGE, "beginner"),
        (("table", "open", "--auto", "random", "--listen", "nowhere:x"), EXIT_USAGE, "is no address"),
        (("table", "open", "--auto", "random", "--limit", "5", "--stake", "10"), EXIT_USAGE, "limit"),
        (("table", "open", "--auto", "random", "--fee", "9999"), EXIT_USAGE, "2500"),
        (("table", "resume"), EXIT_NO, "no open match"),
    ],
)
def test_bad_input_ends_with_words_and_a_code(args: tuple[str, ...], code: int, words: str, tmp_path: Path) -> None:
    with node(*args, data=tmp_path) as one:
        assert one.end() == code
        assert words in one.errors
        assert "Traceback" not in one.errors


@pytest.mark.slow
def test_nobody_at_the_address_is_said_in_words(tmp_path: Path) -> None:
    address = f"127.0.0.1:{free_port()}"
    args = ("table", "join", address, "--auto", "random", "--wait", "0", "--listen", "127.0.0.1:0")
    with node(*args, data=tmp_path) as one:
        assert one.end() == EXIT_PEER
        assert "nobody listens there" in one.errors


@pytest.mark.slow
def test_junk_and_slow_bytes_on_the_port_do_not_disturb_a_match(tmp_path: Path) -> None:
    with four_nodes(tmp_path) as four:
        port = int(four.nodes[1].lines[0]["address"].rpartition(":")[2])
        sockets = []
        for junk in (b"GET / HTTP/1.1\r\n\r\n", os.urandom(4096), b"\xff\xff", b"\x00\x06DOKO\x01\x00", b""):
            for _ in range(5):
                with suppress(OSError):
                    sock = socket.create_connection(("127.0.0.1", port), timeout=5)
                    sockets.append(sock)
                    sock.sendall(junk)
        slow = sockets[-1]
        try:
            for raw in four.settlements():
                assert verify(raw).problem == ""
                with suppress(OSError):
                    slow.sendall(b"\x00")
        finally:
            for sock in sockets:
                sock.close()
        assert all("Traceback" not in n.errors for n in four.nodes)
        assert [n.end() for n in four.nodes] == [0, 0, 0, 0]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs ulimit")
def test_a_full_disk_is_said_in_words_and_the_match_goes_on_once_there_is_room(tmp_path: Path) -> None:
    with four_nodes(tmp_path, full_disk=(2, 330)) as four:
        assert four.nodes[2].end() == EXIT_ENVIRONMENT
        assert "doko.db" in four.nodes[2].errors
        assert "Traceback" not in four.nodes[2].errors
        told = {line["event"] for line in four.nodes[2].lines}
        assert "deal-step" in told
        assert "settled" not in told
        four.restart(2)
        for raw in four.settlements():
            assert verify(raw).problem == ""


@pytest.mark.slow
def test_no_secret_and_no_card_stands_in_the_log_files(tmp_path: Path) -> None:
    with four_nodes(tmp_path) as four:
        four.settlements()
        assert [n.end() for n in four.nodes] == [0, 0, 0, 0]
    for number in range(1, 5):
        data = tmp_path / f"node{number}"
        text = (data / "log" / "doko.jsonl").read_text()
        assert "link up" in text
        identity = (data / "identity.json").read_text()
        keys = identity.partition('"keys": "')[2].partition('"')[0]
        assert len(keys) == 128
        for secret in (keys[:64], keys[64:]):
            assert secret[:16] not in text
        assert "play " not in text


