"""From an open table to four signatures under the same terms: a state machine without sockets, clock or randomness.

::

      opener                                        joiner
                                                      |  SEAT_REQUEST ->
      WAITING <- SEAT_REQUEST / SEAT_OFFER ->        ASKING --SEAT_REFUSE, no answer--> FAILED
         |  ^                                         |  SEAT_OFFER
         |  |                                        WAITING <-------------+
    four |  | LEAVE, no READY in time:                |  TERMS             | SEAT_OFFER (terms withdrawn)
    sit  v  | SEAT_OFFER to the others                v                    |
      CONFIRMING                                     CONFIRMING -----------+  (TERMS of a later round: again)
         |  own person agrees: READY to all three     |  own person agrees: READY to all three
         |  four READY: SEATED to all three           |  four READY: SEATED to all three
      SEATING                                        SEATING
         |  four equal SEATED                         |  four equal SEATED
       DONE (Setup)                                  DONE (Setup)

In every state before DONE: LEAVE of the opener, a contradiction or a time that runs out lead to FAILED, with a name,
words and, where one is to blame, his identity.

READY signs the hash of the terms, the hash of the member list, the round and the signer's nonce.  So an opener who
tells two joiners different things gets READYs that do not fit together, and one who sends different nonces makes
different SEATEDs: no node reaches DONE then.  READY and SEATED are said again whenever a link comes up, in DONE too, so
that a lost message or a new link never leaves one of the four behind.

Messages come with the peer whose link they arrived on (its identity is proven).  What a peer may not say in a state
raises ``Refusal`` and changes nothing; which message is handled where is the table in each class.
"""

from protocol.table.gathering.common import Gathering
from protocol.table.gathering.effects import (
    Announce,
    Ask,
    Dial,
    Done,
    Effect,
    Failed,
    GatheringView,
    SeatView,
    Send,
    State,
    Withdrawn,
)
from protocol.table.gathering.joiner import Joiner
from protocol.table.gathering.limits import ASK_SECONDS, CONFIRM_SECONDS, LINK_SECONDS, MAX_HELD, SEATING_SECONDS
from protocol.table.gathering.opener import Opener
from protocol.table.gathering.signed import DOMAIN_MEMBERS, DOMAIN_READY, members_hash, ready_bytes

__all__ = [
    "ASK_SECONDS",
    "CONFIRM_SECONDS",
    "DOMAIN_MEMBERS",
    "DOMAIN_READY",
    "LINK_SECONDS",
    "MAX_HELD",
    "SEATING_SECONDS",
    "Announce",
    "Ask",
    "Dial",
    "Done",
    "Effect",
    "Failed",
    "Gathering",
    "GatheringView",
    "Joiner",
    "Opener",
    "SeatView",
    "Send",
    "State",
    "Withdrawn",
    "members_hash",
    "ready_bytes",
]
