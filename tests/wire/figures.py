"""The figures of SPEC.md section 15, computed by the program.  ``python -m tests.wire.figures`` prints them."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from protocol.table.gathering import members_hash, ready_bytes
from protocol.table.roster import Player, make_roster
from protocol.table.terms import make_terms, terms_hash
from protocol.wire import noise
from protocol.wire.address import Address
from protocol.wire.hello import hello_bytes
from protocol.wire.keys import sign_static
from protocol.wire.link import Invitation, make_link
from protocol.wire.messages import Member, Ping, encode
from protocol.wire.people import sign_addresses

NAMES = ("anna", "bert", "carl", "dora")


def figures() -> dict[str, str]:
    """Name and value (hex, the link as it is) in the order of SPEC.md."""
    keys = [Ed25519PrivateKey.from_private_bytes(bytes([16 + seat]) * 32) for seat in range(4)]
    statics = [
        X25519PrivateKey.from_private_bytes(bytes([32 + seat]) * 32).public_key().public_bytes_raw()
        for seat in range(4)
    ]
    identities = [key.public_key().public_bytes_raw() for key in keys]
    signatures = [sign_static(key.sign, static) for key, static in zip(keys, statics, strict=True)]
    token, handshake_hash = bytes(range(16)), bytes(range(32))
    terms = make_terms(table=bytes(range(16)))
    addresses = (Address("192.0.2.7", 4848), Address("2001:db8::1", 4848))
    players = tuple(
        Player(identities[seat], statics[seat], signatures[seat], bytes([48 + seat]) * 32, NAMES[seat])
        for seat in range(4)
    )
    members = [
        Member(
            identity=player.identity,
            static=player.static,
            static_signature=player.static_signature,
            nickname=player.nickname,
            addresses=(),
        )
        for player in players
    ]
    roster = make_roster(players)
    record = sign_addresses(keys[0].sign, identities[0], 1_900_000_000, addresses)
    ready = ready_bytes(bytes(range(16)), 1, terms_hash(terms), members_hash(members), 2, players[2].nonce)
    found: dict[str, bytes] = {
        "identity of seat 0": identities[0],
        "X25519 key of seat 0": statics[0],
        "static_signature of seat 0": signatures[0],
        "signature in HELLO, initiator": keys[0].sign(hello_bytes(True, handshake_hash)),
        "signature in HELLO, responder": keys[0].sign(hello_bytes(False, handshake_hash)),
        "PING with n = 300": encode(Ping(n=300)),
        "psk of the token": noise.invite_psk(token),
        "invite id of the token": noise.invite_id(token),
        "signature of the address record": record.signature,
        "terms": terms,
        "terms hash": terms_hash(terms),
        "members hash": members_hash(members),
        "roster hash": roster.hash,
        "match": roster.match_id,
        "signature in READY": keys[2].sign(ready),
    }
    link = make_link(Invitation(identities[0], token, 1_900_000_000, addresses))
    return {**{name: value.hex() for name, value in found.items()}, "link": link}


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}\n    {value}")
