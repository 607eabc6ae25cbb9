"""The game itself: what may be done, what it leads to, and what it is worth.

Pure and deterministic; knows cards and nothing else.  ``hand`` is the front door; the rules are numbered as in
``protocol/RULES.md``:

* ``contracts`` R3..R6 trumps and who wins a trick        * ``winner`` R21..R23 who won the hand
* ``bidding`` R8..R10, ``tricks`` R12..R14                * ``score`` R24..R28 what it is worth
* ``calls``, ``calling`` R16..R20                         * ``stakes`` R29..R35 money, ``match`` the run of hands
* ``state``, ``digest``, ``view`` what is known to whom   * ``record``, ``record_stream`` hands as text
"""
