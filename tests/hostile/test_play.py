"""Attacks 39 to 50 (group E): cards."""

from protocol.refusal import Code
from tests.hostile.conftest import Live
from tests.hostile.stages import can_revoke, lead_to, playing


def test_attack_42_revoke_without_proof(live: Live) -> None:
    room = playing()
    scene = live(room, lead_to(room, can_revoke))
    forge = scene.forge
    slot = next(slot for slot, card in forge.cards.items() if card not in forge.led)
    scene.send(forge.play(slot))
    scene.refused(Code.VOID_MISSING)
