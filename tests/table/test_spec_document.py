"""A second implementation in small: entries of the frozen match made again from SPEC.md's text alone.

Nothing of the program is imported here: hashes, msgpack, Ed25519, X25519 and ChaCha20-Poly1305 from libraries, the
group from :mod:`tests.table.plain_group`.  Each test names the part of SPEC.md that it follows.
"""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import msgpack
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tests.table.plain_group import BASE, Element, Q, add, combine, decode, encode, expand_message_xmd, mul, neg
from tests.table.plain_group import one_way_map as point_of

raw = bytes.fromhex
N = 48
KINDS = {"COMMIT": 1, "KEYS": 2, "KEYOK": 3, "SHUF": 6, "DECKOK": 7, "TEST": 8, "TESTOPEN": 9}
KINDS |= {"SHARES": 16, "BID": 17, "NAME": 18, "MARRY": 19, "PLAY": 20, "CALL": 21, "TRICK": 22}
KINDS |= {"RESULT": 24, "SETTLE": 25}


@cache
def frozen(name: str = "hand") -> Any:
    return json.loads((Path(__file__).parent / "data" / f"{name}.json").read_text())


# --- section 1, section 12: notation ------------------------------------------------------------------------------


def u8(n: int) -> bytes:
    return n.to_bytes(1, "big")


def u16(n: int) -> bytes:
    return n.to_bytes(2, "big")


def u32(n: int) -> bytes:
    return n.to_bytes(4, "big")


def lp(x: bytes) -> bytes:
    return u16(len(x)) + x


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def scalar(data: bytes) -> int:
    value = int.from_bytes(data, "little")
    assert len(data) == 32
    assert value < Q
    return value


def le(value: int) -> bytes:
    return (value % Q).to_bytes(32, "little")


def h2s(message: bytes, ctx: bytes) -> int:
    return int.from_bytes(expand_message_xmd(message, b"HashToScalar-" + ctx, 64), "little") % Q


def h2g(message: bytes, ctx: bytes) -> Element:
    return point_of(expand_message_xmd(message, b"HashToGroup-" + ctx, 64))


def minus(a: Element, b: Element) -> Element:
    return add(a, neg(b))


def total(points: list[Element]) -> Element:
    return combine(*((1, point) for point in points))


def pieces(data: bytes) -> list[bytes]:
    assert len(data) % 32 == 0
    return [data[at : at + 32] for at in range(0, len(data), 32)]


def points_of(data: bytes) -> list[Element]:
    return [decode(piece) for piece in pieces(data)]


# --- sections 7, 9, 11: what a file says about the match ----------------------------------------------------------


class Match:
    """Hashes, keys and entries of a frozen match."""

    def __init__(self, name: str) -> None:
        file = frozen(name)
        self.file = file
        self.terms, self.roster = raw(file["terms"]), raw(file["roster"])
        self.players = []
        at = 0
        for _ in range(4):
            fixed, length = self.roster[at : at + 160], self.roster[at + 160]
            self.players.append((fixed[:32], fixed[32:64], fixed[64:128], fixed[128:160]))
            at += 161 + length
        assert at == len(self.roster)
        self.terms_hash = sha256(b"DOKO1-terms", self.terms)
        self.roster_hash = sha256(b"DOKO1-roster", self.roster)
        parts = [player[0] + player[3] for player in self.players]
        self.name = sha256(b"DOKO1-match", *parts)
        self.seats = file["seats"]
        self.deal_heads = [raw(head) for head in file["deal_heads"]]
        self.main_heads = [raw(head) for head in file["main_heads"]]

    def entries(self, kind: str) -> list[Any]:
        return [each for each in self.file["entries"] if each["kind"] == kind]

    def said(self, each: Any) -> Any:
        return msgpack.unpackb(raw(each["p"]), use_list=True)

    def fields(self, kind: str, seat: int) -> Any:
        return next(self.said(each)[8] for each in self.entries(kind) if each["seat"] == seat)

    def ctx(self, kind: str, seat: int, extra: bytes) -> bytes:
        place = sha256(lp(self.name), lp(self.roster_hash), u32(0), u8(seat), lp(extra))
        return b"DOKO1-" + kind.encode() + b"-" + place

    def x(self, seat: int) -> int:
        return sum(scalar(raw(sub)) for sub in self.seats[seat]["subs"].values()) % Q

    @property
    def last_deck(self) -> list[list[Element]]:
        return deck_of(self.fields("SHUF", 3)["deck"])

    @property
    def pairs(self) -> list[tuple[Element, Element]]:
        """Section 12, shares: (alpha, b) of all slots."""
        left = [slot[1] for slot in self.last_deck]
        for seat in range(4):
            slots = [s for s in range(N) if s // 12 != seat]
            for s, share in zip(slots, points_of(self.fields("SHARES", seat)["d"])[:36], strict=True):
                left[s] = minus(left[s], share)
        return [(slot[0], b) for slot, b in zip(self.last_deck, left, strict=True)]


def deck_of(data: bytes) -> list[list[Element]]:
    points = points_of(data)
    width = len(points) // N
    return [points[at : at + width] for at in range(0, len(points), width)]


@cache
def match(name: str = "hand") -> Match:
    return Match(name)


@cache
def pairs() -> list[tuple[Element, Element]]:
    return match().pairs


def payload(m: Match, chain: int, seat: int, seq: int, parent: bytes, kind: str, fields: dict[str, Any]) -> bytes:
    """Section 11."""
    said = [1, m.name, chain, 0, seat, seq, parent, KINDS[kind], fields]
    return bytes(msgpack.packb(said, use_bin_type=True))


def same(m: Match, each: Any, made: bytes) -> None:
    """The bytes, the hash and the signature of the file's entry."""
    assert made.hex() == each["p"]
    assert sha256(b"DOKO1-entry", made).hex() == each["hash"]
    key = Ed25519PrivateKey.from_private_bytes(raw(m.seats[each["seat"]]["signing"]))
    assert key.sign(b"DOKO1-sign" + made).hex() == each["s"]


# --- section 11: chains -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hand", "duel"])
def test_the_match_has_the_name_of_its_roster_and_all_have_signed_every_entry(name: str) -> None:
    m = match(name)
    assert m.name.hex() == m.file["match"]
    for each in m.file["entries"]:
        key = Ed25519PublicKey.from_public_bytes(m.players[each["seat"]][0])
        key.verify(raw(each["s"]), b"DOKO1-sign" + raw(each["p"]))
        said = m.said(each)
        assert (said[0], said[1], said[3], said[4], said[7]) == (1, m.name, 0, each["seat"], KINDS[each["kind"]])


@pytest.mark.parametrize("name", ["hand", "duel"])
def test_heads_from_entry_hashes(name: str) -> None:
    m = match(name)
    first = {
        0: sha256(b"DOKO1-main", m.name, m.terms_hash, m.roster_hash),
        1: sha256(b"DOKO1-deal", m.name, m.terms_hash, u32(0)),
    }
    heads = {chain: [head] for chain, head in first.items()}
    rounds: dict[int, list[bytes]] = {0: [], 1: []}
    alone = {"SHUF", "BID", "NAME", "MARRY", "PLAY"}
    for each in m.file["entries"]:
        if each["kind"] == "CALL":
            continue
        chain = m.said(each)[2]
        assert m.said(each)[6] == heads[chain][-1]
        rounds[chain].append(raw(each["hash"]))
        if each["kind"] in alone or len(rounds[chain]) == 4:
            heads[chain].append(sha256(heads[chain][-1], *rounds[chain]))
            rounds[chain] = []
    assert heads[1] == m.deal_heads
    assert heads[0] == m.main_heads
    keyok = sha256(*(raw(each["hash"]) for each in m.entries("KEYS")))
    barrier = sha256(*(raw(e["hash"]) for kind in ("KEYS", "KEYOK", "SHUF") for e in m.entries(kind)))
    assert {m.fields("KEYOK", seat)["hash"] for seat in range(4)} == {keyok}
    assert {m.fields("DECKOK", seat)["hash"] for seat in range(4)} == {barrier}


# --- section 12: the deal -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 2])
def test_commit_and_keys(seat: int) -> None:
    m = match()
    secret = m.seats[seat]
    others = [j for j in range(4) if j != seat]
    subs = [scalar(raw(secret["subs"][str(j)])) for j in others]
    points = [encode(mul(sub, BASE)) for sub in subs]
    x = sum(subs) % Q
    y = encode(mul(x, BASE))
    w = scalar(raw(secret["pop_nonce"]))
    c = h2s(b"".join(points) + y + encode(mul(w, BASE)), m.ctx("POP", seat, m.deal_heads[0]))
    boxes = []
    for j, sub, point in zip(others, subs, points, strict=True):
        ephemeral = X25519PrivateKey.from_private_bytes(raw(secret["ephemerals"][str(j)]))
        shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(m.players[j][1]))
        key = HKDF(algorithm=SHA256(), length=32, salt=b"", info=b"DOKO1-box").derive(shared)
        aad = m.name + u32(0) + u8(seat) + u8(j) + point
        box = ChaCha20Poly1305(key).encrypt(bytes(12), le(sub), aad)
        boxes.append([ephemeral.public_key().public_bytes_raw(), box])
    body = msgpack.packb([0, seat, points, le(c) + le(w + c * x), boxes, raw(secret["coin"])], use_bin_type=True)
    commit = {"hash": hashlib.sha512(lp(body)).digest()}
    same(m, m.entries("COMMIT")[seat], payload(m, 1, seat, 0, m.deal_heads[0], "COMMIT", commit))
    same(m, m.entries("KEYS")[seat], payload(m, 1, seat, 1, m.deal_heads[1], "KEYS", {"body": body}))


@cache
def generators() -> tuple[Element, list[Element], list[Element]]:
    h = h2g(b"h", b"DOKO1-gen")
    hs = [h2g(b"h" + u16(j), b"DOKO1-gen") for j in range(1, N + 1)]
    return h, hs, [h2g(b"card" + u8(k), b"DOKO1-card") for k in range(24)]


@pytest.mark.parametrize(("name", "seat"), [("hand", 0), ("hand", 3), ("duel", 1)])
def test_a_shuffle_is_verified(name: str, seat: int) -> None:
    m = match(name)
    h, hs, cards = generators()
    y = combine(*((m.x(i), BASE) for i in range(4)))
    width = 2 if name == "duel" else 1
    if seat:
        before = deck_of(m.fields("SHUF", seat - 1)["deck"])
    else:
        before = [[BASE, add(cards[k // 2], y)] for k in range(N)]
    fields = m.fields("SHUF", seat)
    after = deck_of(fields["deck"])
    parts = pieces(fields["proof"])
    assert len(parts) == 4 * N + 4 + width
    c, ch = [decode(part) for part in parts[:N]], [decode(part) for part in parts[N : 2 * N]]
    k, s1, s2, s3, *s4 = (scalar(part) for part in parts[2 * N : 2 * N + 4 + width])
    sh = [scalar(part) for part in parts[2 * N + 4 + width : 3 * N + 4 + width]]
    sp = [scalar(part) for part in parts[3 * N + 4 + width :]]
    ctx = m.ctx("SHUF", seat, m.deal_heads[3 + seat])
    decks = [encode(point) for deck in (before, after) for slot in deck for point in slot]
    text = [lp(ctx), encode(BASE), encode(h), *map(encode, hs), encode(y), *decks, *map(encode, c)]
    seed = hashlib.sha512(b"".join(text)).digest()
    u = [h2s(seed + u32(i), ctx + b"u") for i in range(1, N + 1)]
    product = 1
    for factor in u:
        product = product * factor % Q
    t1 = combine((s1, BASE), (-k, minus(total(c), total(hs))))
    t2 = combine((s2, BASE), (-k, ch[-1]), (k * product, h))
    minus_ku = [-k * factor for factor in u]
    t3 = combine((s3, BASE), *zip(sp, hs, strict=True), *zip(minus_ku, c, strict=True))
    t4 = []
    for column in range(width):
        for side, anchor in ((0, BASE), (1, y)):
            new = [slot[2 * column + side] for slot in after]
            old = [slot[2 * column + side] for slot in before]
            t4.append(
                combine((-s4[column], anchor), *zip(sp, new, strict=True), *zip(minus_ku, old, strict=True))
            )
    th = [
        combine((sh[j], BASE), (sp[j], [h, *ch][j]), (-k, ch[j]))
        for j in range(N)
    ]  # fmt: skip
    said = seed + b"".join(encode(point) for point in (*ch, t1, t2, t3, *t4, *th))
    assert h2s(said, ctx + b"k") == k


def dleq(x: int, y: Element, cs: list[Element], r: int, ctx: bytes) -> tuple[list[bytes], bytes]:
    """The multiples and the proof."""
    ds = [mul(x, c) for c in cs]
    key = encode(y)
    seed = hashlib.sha512(lp(key) + lp(b"Seed-" + ctx)).digest()
    w = [
        h2s(lp(seed) + u16(n) + lp(encode(c)) + lp(encode(d)) + b"Composite", ctx)
        for n, (c, d) in enumerate(zip(cs, ds, strict=True))
    ]
    m, z = combine(*zip(w, cs, strict=True)), combine(*zip(w, ds, strict=True))
    said = [key, encode(m), encode(z), encode(mul(r, BASE)), encode(mul(r, m))]
    challenge = h2s(b"".join(lp(each) for each in said) + b"Challenge", ctx)
    return [encode(d) for d in ds], le(challenge) + le(r - challenge * x)


def test_shares() -> None:
    m = match()
    seat = 2
    barrier = m.fields("DECKOK", 0)["hash"]
    x = m.x(seat)
    points = [slot[0] for s, slot in enumerate(m.last_deck) if s // 12 != seat]
    points.append(h2g(b"coin" + barrier, b"DOKO1-coin"))
    r = scalar(raw(m.seats[seat]["shares_nonce"]))
    last = m.deal_heads[-1]
    ds, proof = dleq(x, mul(x, BASE), points, r, m.ctx("SHARES", seat, last))
    fields = {"deal_head": last, "d": b"".join(ds), "proof": proof}
    same(m, m.entries("SHARES")[seat], payload(m, 0, seat, 0, m.main_heads[0], "SHARES", fields))


def test_the_cards_and_the_coin() -> None:
    m = match()
    _, _, cards = generators()
    names = {encode(card): k for k, card in enumerate(cards)}
    for seat in range(4):
        x = m.x(seat)
        opened = [encode(minus(b, mul(x, alpha))) for alpha, b in pairs()[12 * seat : 12 * seat + 12]]
        assert [names[point] for point in opened] == m.file["hands"][seat]
    shares = [points_of(m.fields("SHARES", seat)["d"])[36] for seat in range(4)]
    coin = hashlib.sha512(encode(total(shares))).digest()
    assert int.from_bytes(coin, "little") % 4 == m.file["forehand"]


def test_plays_without_calls_or_void_proof() -> None:
    m = match()
    made = 0
    for seat in range(4):
        x = m.x(seat)
        plays = [each for each in m.entries("PLAY") if each["seat"] == seat]
        for each, nonce in list(zip(plays, m.seats[seat]["play_nonces"], strict=True))[:3]:
            said = m.said(each)
            if said[8]["calls"] or said[8]["void"] is not None:
                continue
            slot, parent = said[8]["slot"], said[6]
            ctx = m.ctx("PLAY", seat, parent)
            (d,), proof = dleq(x, mul(x, BASE), [pairs()[slot][0]], scalar(raw(nonce)), ctx)
            fields = {"trick": said[8]["trick"], "slot": slot, "d": d, "proof": proof, "void": None, "calls": []}
            same(m, each, payload(m, 0, seat, said[5], parent, "PLAY", fields))
            made += 1
    assert made >= 6


def inequality(m: Match, seat: int, extra: bytes, items: list[tuple[int, int]], proof: bytes) -> None:
    """Check a proof over (slot, type) pairs."""
    _, _, cards = generators()
    y = mul(m.x(seat), BASE)
    parts = pieces(proof)
    assert len(parts) == 1 + 3 * len(items)
    kappa = scalar(parts[0])
    said = encode(y) + u16(len(items))
    for n, (slot, k) in enumerate(items):
        alpha, b = pairs()[slot]
        t, sa, sy = decode(parts[3 * n + 1]), scalar(parts[3 * n + 2]), scalar(parts[3 * n + 3])
        a1 = combine((sy, minus(b, cards[k])), (-sa, alpha), (-kappa, t))
        a2 = combine((sy, y), (-sa, BASE))
        said += encode(alpha) + encode(b) + u8(k) + encode(t) + encode(a1) + encode(a2)
    assert h2s(said, m.ctx("NEQ", seat, extra)) == kappa


#: Types of each class in a normal game: clubs, spades, hearts, diamonds, trump (R3).
CLASS = [4 if k % 6 in (3, 4) or k == 13 or k >= 18 else k // 6 for k in range(24)]


def tricks(m: Match) -> list[list[tuple[int, int, int]]]:
    """(position, slot, card) of the cards of each trick."""
    out: list[list[tuple[int, int, int]]] = [[] for _ in range(12)]
    for each in m.entries("PLAY"):
        said, seat = m.said(each)[8], each["seat"]
        card = m.file["hands"][seat][said["slot"] - 12 * seat]
        out[said["trick"] - 1].append(((seat - m.file["forehand"]) % 4, said["slot"], card))
    return out


def test_void_proofs() -> None:
    m = match()
    gone: set[int] = set()
    opened = set()
    proven = set()
    cards = iter(card for trick in tricks(m) for card in trick)
    checked = 0
    for n, each in enumerate(m.entries("PLAY")):
        said, seat = m.said(each), each["seat"]
        for call, _ in said[8]["calls"]:
            inside = msgpack.unpackb(call, use_list=True)[8]
            if inside["open"]:
                opened.add(inside["open"][0])
        _, slot, card = next(cards)
        if n % 4 == 0:
            led = CLASS[card]
        closed = [s for s in range(12 * seat, 12 * seat + 12) if s not in gone | opened | {slot}]
        due = CLASS[card] != led and (seat, led) not in proven and bool(closed)
        assert (said[8]["void"] is not None) == due
        if due:
            proven.add((seat, led))
            if len(said[8]["void"]) < 1000:
                types = [k for k in range(24) if CLASS[k] == led]
                inequality(m, seat, said[6], [(s, k) for s in closed for k in types], said[8]["void"])
                checked += 1
        gone.add(slot)
    assert checked >= 2


def test_a_call_opens_a_club_queen_and_another_proves_to_hold_none() -> None:
    m = match()
    _, _, cards = generators()
    re, kontra, _ = m.entries("CALL")
    slot, d, proof = m.said(re)[8]["open"]
    extra = m.deal_heads[-1] + u32(m.said(re)[5])
    alpha, b = pairs()[slot]
    assert encode(minus(b, decode(d))) == encode(cards[3])
    c, z = scalar(proof[:32]), scalar(proof[32:])
    r = z + c * m.x(re["seat"])
    assert dleq(m.x(re["seat"]), mul(m.x(re["seat"]), BASE), [alpha], r, m.ctx("OPEN", re["seat"], extra)) == (
        [d],
        proof,
    )
    said, seat = m.said(kontra), kontra["seat"]
    assert said[8]["after"] == [raw(re["hash"])]
    first = tricks(m)[0]
    played = {slot for position, slot, _ in first[:1] if position == (seat - m.file["forehand"]) % 4}
    closed = [s for s in range(12 * seat, 12 * seat + 12) if s not in played]
    inequality(m, seat, m.deal_heads[-1] + u32(said[5]), [(s, 3) for s in closed], said[8]["neq"])


# --- section 11: receipts -----------------------------------------------------------------------------------------

#: Trumps of a normal game from the top (R3), and plain cards from the top.
TRUMPS = [13, 3, 9, 15, 21, 4, 10, 16, 22, 18, 19, 20, 23]


def best(cards: list[int]) -> int:
    """Index of the card that takes the trick (R6, R14)."""

    def power(card: int) -> int:
        if CLASS[card] == 4:
            return 100 - TRUMPS.index(card)
        return 50 - card % 6 if CLASS[card] == CLASS[cards[0]] else 0

    return max(range(len(cards)), key=lambda i: (power(cards[i]), -i))


def state_body(m: Match, count: int) -> bytes:
    """Section 11, receipts: the state after *count* tricks of a normal game of the default terms."""
    log = [(position, card) for trick in tricks(m)[:count] for position, _, card in trick]
    forehand = m.file["forehand"]
    queens, shown = [0] * 4, [0] * 4
    proven: list[int | None] = [None] * 4
    voids = 0
    calls = b""
    number = 0
    levels = [0, 0]
    steps = {"re": 1, "kontra": 1, "no90": 2, "no60": 3, "no30": 4, "black": 5}
    numbers = {"re": 0, "kontra": 1, "no90": 2, "no60": 3, "no30": 4, "black": 5}
    for n, each in enumerate(m.entries("PLAY")[: 4 * count]):
        position, card = log[n]
        for call, _ in m.said(each)[8]["calls"]:
            says = msgpack.unpackb(call, use_list=True)
            caller, fields = (says[4] - forehand) % 4, says[8]
            if proven[caller] is None:
                proven[caller] = 0 if fields["open"] else 1
            side = proven[caller]
            assert side is not None
            card_shown = 3 if fields["open"] else 255
            shown[caller] += fields["open"] is not None
            counted = steps[fields["what"]] > levels[side]
            levels[side] = max(levels[side], steps[fields["what"]])
            calls += bytes((caller, numbers[fields["what"]], side, card_shown, counted, n))
            number += 1
        led = CLASS[log[n - n % 4][1]]
        if CLASS[card] != led:
            voids |= 1 << (5 * position + led)
        if card == 3:
            queens[position] += 1
            shown[position] -= shown[position] > 0
            proven[position] = 0 if proven[position] is None else proven[position]
    known = [1 if side is None and voids >> (5 * p + 4) & 1 else side for p, side in enumerate(proven)]
    if sum(queens) + sum(shown) == 2:
        known = [1 if side is None else side for side in known]
    if known.count(0) == 2:
        known = [1 if side is None else side for side in known]
    if known.count(1) == 3:
        known = [0 if side is None else side for side in known]
    last = log[-4:]
    winner = last[best([card for _, card in last])][0]
    over = count == 12
    head = [0, 1, 0, 1, 4 if over else 3, 255 if over else winner, 0, 0]
    bids, names, marriage = [4, 0, 0, 0, 0], [0], [255, 255, 0]
    body = bytes([*head, *bids, *names, *marriage, len(log)])
    body += bytes(each for pair in log for each in pair) + bytes([number]) + calls
    body += bytes([*levels, 0, 0])
    for p in range(4):
        body += bytes([_none(proven[p]), _none(known[p]), shown[p]])
    return body + u32(voids)


def _none(value: int | None) -> int:
    return 255 if value is None else value


@pytest.mark.parametrize("count", [1, 2, 7, 12])
def test_receipts(count: int) -> None:
    m = match()
    digest = sha256(u16(11), b"DOKO1-state", state_body(m, count))
    for each in m.entries("TRICK")[4 * count - 4 : 4 * count]:
        said = m.said(each)
        fields = {"trick": count, "digest": digest, "rejoins": []}
        same(m, each, payload(m, 0, each["seat"], said[5], said[6], "TRICK", fields))


# --- section 13: settlement ---------------------------------------------------------------------------------------


def test_result_and_settlement() -> None:
    m = match()
    head = m.main_heads[-2]
    result = m.file["result"]
    document = msgpack.packb(
        [
            "doko-settlement/1",
            m.name,
            m.roster,
            m.terms,
            [[0, 1, m.file["forehand"], False, result, [], m.deal_heads[-1]]],
            result["points"],
            result["money"],
            result["kitty"],
            head,
        ],
        use_bin_type=True,
    )
    assert document.hex() == m.file["document"]
    signatures = []
    for each in m.entries("RESULT"):
        said = m.said(each)
        same(m, each, payload(m, 0, each["seat"], said[5], m.main_heads[-3], "RESULT", result))
    for each in m.entries("SETTLE"):
        key = Ed25519PrivateKey.from_private_bytes(raw(m.seats[each["seat"]]["signing"]))
        signatures.append(key.sign(b"DOKO1-settle" + document))
        fields = {"document": sha256(document), "signature": signatures[-1]}
        same(m, each, payload(m, 0, each["seat"], m.said(each)[5], head, "SETTLE", fields))
    rounds: dict[int, list[list[list[bytes]]]] = {0: [], 1: []}
    parents: dict[int, bytes] = {}
    for each in m.file["entries"]:
        if each["kind"] != "CALL":
            said = m.said(each)
            if parents.get(said[2]) != said[6]:
                rounds[said[2]].append([])
                parents[said[2]] = said[6]
            rounds[said[2]][-1].append([raw(each["p"]), raw(each["s"])])
    log = [[[0, rounds[1], []]], rounds[0]]
    file = b"doko-settlement/1\n" + msgpack.packb([document, signatures, log], use_bin_type=True)
    assert sha256(file + sha256(file)).hex() == m.file["settlement_sha256"]


def test_this_file_uses_nothing_of_the_program() -> None:
    for name in ("test_spec_document.py", "plain_group.py"):
        lines = (Path(__file__).parent / name).read_text().splitlines()
        imports = [line for line in lines if line.startswith(("import ", "from "))]
        assert imports
        assert not [line for line in imports if line.split()[1].split(".")[0] in ("protocol", "node")]
