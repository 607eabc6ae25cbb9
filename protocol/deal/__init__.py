"""The deal: hidden hands without a host (SPEC.md, "The deal").

Everything here is pure: randomness comes in as ``rand(n) -> bytes``, there is no clock, no network, no store.  Points
are 32 ``bytes``, scalars ``int``; what arrives from a peer is ``bytes`` and is checked before anything looks inside.
Every refusal is a :class:`protocol.refusal.Refusal` with the code that SPEC.md names.
:class:`~protocol.deal.shares.DealFault` alone means that this program is at fault.

A proof stands at a :class:`~protocol.deal.hashing.Place` (match, roster, deal, seat of the *prover*, ``extra``).

=============  ============================================================  =======================================
message        made by                                                       checked by
=============  ============================================================  =======================================
COMMIT         ``keys.make_keys(place, noise_keys, rand)`` -> ``OwnKeys``    length only (``keys.COMMITMENT_SIZE``)
               (``.commitment``)
KEYS           ``OwnKeys.body``                                              ``keys.check_commitment``,
                                                                             ``keys.read_keys``, ``keys.open_box``
                                                                             (own box), all four:
                                                                             ``keys.joint_key``
KEYOK, DECKOK  ``hashing.hash_entries(entry hashes)``                        equal bytes
SHAREBAD       -                                                             -
SHAREOPEN      ``OwnKeys.ephemerals[j]``                                     ``keys.open_disputed``
SHUF           ``shuffle.prepare`` ahead, ``shuffle.shuffle``                ``shuffle.verify_shuffle`` (first deck:
                                                                             ``deck.initial_deck``)
TEST           ``duel.make_test``                                            ``duel.check_test``
TESTOPEN       ``duel.make_testopen``                                        ``duel.check_testopen`` (over
                                                                             ``duel.sums_of``), ``duel.allowed``
SHARES         ``shares.make_shares``                                        ``shares.check_shares``, then
                                                                             ``shares.hand_pairs``, ``read_hand``,
                                                                             ``joint_coin``
SUB            ``shares.make_items(Kind.SUB, sub-share, S, points)``         ``shares.check_items``, ``add_subs``
PLAY           ``play.make_open``; ``void.make_void`` where                  ``play.check_open``; ``void.judge_follow``
               ``void.void_due``
CALL           ``claims.make_re`` / ``claims.make_kontra``                   ``claims.judge_call``
MARRY          ``claims.make_marriage``                                      ``claims.check_marriage``
BID (duel)     ``duel.make_healthy``                                         ``duel.check_healthy``
=============  ============================================================  =======================================
"""
