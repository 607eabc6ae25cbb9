"""Games told by their tricks: first normal games by the card points of Re, then games with something special.

Each was found by playing random cards until what was wanted came out; ``test_games.py`` adds the points up by itself.
The games of ``BY_RE_POINTS`` have no special point of R26 but "against the old"; a key ending in ``+1`` is a game in
which the side with 240 points lost one trick of nines.
"""

from typing import Final

#: Card points of Re -> the twelve tricks, each "leader cards", players from forehand.
BY_RE_POINTS: Final = {
    "0": """
        1 HT HT CQ CQ
        1 SQ SQ C9 S9
        1 DQ HQ SA SA
        2 D9 CT CA CJ
        1 SJ HQ H9 S9
        2 DJ H9 C9 HJ
        1 HJ DQ SK HK
        2 CJ SK HK D9
        2 SJ CK ST DA
        2 DJ CK ST DA
        2 DT CT HA DK
        2 DT CA HA DK
    """,
    "29": """
        1 H9 H9 HJ HA
        3 HQ DJ CQ SJ
        1 HK ST SJ HA
        3 HT DA D9 DK
        3 HT DJ DT HJ
        3 DQ SQ DT CQ
        2 C9 CA CT CT
        3 CJ SQ SA CA
        4 SA S9 S9 D9
        3 DK HQ CK SK
        4 ST HK SK DA
        3 DQ CJ CK C9
    """,
    "30": """
        1 SA DA SA SK
        2 SJ DK DK CJ
        1 ST D9 DJ SK
        3 HA HK H9 HA
        3 HJ HQ CQ DT
        1 CK SQ DA C9
        2 CJ HT D9 C9
        3 HT CQ S9 DJ
        3 SJ ST S9 DQ
        2 SQ HJ CT CK
        2 DQ DT H9 CA
        2 HQ HK CT CA
    """,
    "59": """
        1 H9 HA HK HA
        2 HT D9 HT D9
        2 SQ DQ DQ SJ
        2 HQ DA SQ CQ
        1 H9 HK S9 CJ
        4 HJ CJ HQ CQ
        3 C9 HJ C9 CK
        4 DA CK SJ DK
        2 DJ DK DT CA
        2 DJ CT ST CA
        2 SK ST SK SA
        1 SA DT CT S9
    """,
    "60": """
        1 CQ DT CJ D9
        1 HQ CQ SJ DJ
        2 H9 HK H9 HJ
        1 DJ SQ DQ HJ
        2 CJ DK SJ CA
        2 DT SQ DQ ST
        3 HA HQ CT HA
        4 CK C9 CT CA
        3 CK HT C9 DK
        4 HT SK D9 DA
        4 SA SK S9 ST
        4 DA S9 HK SA
    """,
    "89": """
        1 CQ DJ CQ HT
        4 S9 SA SK ST
        1 SQ D9 HQ HJ
        1 DQ CJ DQ SQ
        4 C9 CA CT CA
        1 C9 CK H9 CT
        4 DK SJ CJ HJ
        2 HT DT DT SJ
        2 H9 HA HA DJ
        1 DK HQ D9 DA
        2 CK HK DA ST
        4 SA S9 HK SK
    """,
    "90": """
        1 SQ SQ D9 CJ
        1 HQ HQ SJ CQ
        4 S9 SA SK ST
        1 HJ DJ DQ DK
        3 H9 HK HK HA
        2 DJ CQ DA DQ
        3 C9 CK CK DT
        2 D9 CA HT CJ
        4 DT SJ HA CT
        1 HJ SK CT HT
        4 C9 DA S9 ST
        1 DK H9 SA CA
    """,
    "119": """
        1 HQ HJ D9 HT
        4 HQ D9 SQ HJ
        2 S9 SK ST SA
        1 DQ SQ SJ DQ
        2 C9 CT CK CA
        1 CJ CQ CJ DK
        2 HT CQ DJ SJ
        2 ST SK HA S9
        2 DT DK CK DJ
        1 DA HA DT HK
        1 CT CA HK H9
        2 SA DA H9 C9
    """,
    "120": """
        1 H9 HA HK HK
        2 CQ CJ D9 CQ
        2 SQ DQ HJ HQ
        2 HQ DT D9 SJ
        2 DQ HT DJ HJ
        3 C9 CK CT CJ
        2 SJ C9 SQ DJ
        4 S9 SA SK S9
        1 ST DT SK HT
        4 DA ST DK CA
        4 CA CT DK SA
        2 H9 HA DA CK
    """,
    "121": """
        1 HT D9 D9 HT
        1 CQ SJ SJ CQ
        1 S9 SK ST ST
        3 DJ DJ HJ SQ
        2 H9 H9 CA HK
        1 HQ DK HJ DA
        1 DQ DT HQ DK
        3 CT CA C9 C9
        4 SA S9 HK DQ
        3 HA SA CJ HA
        1 CJ DT SQ CT
        3 CK CK SK DA
    """,
    "150": """
        1 SA SA SK ST
        1 C9 CK CT HK
        3 DJ SJ SJ CJ
        2 HA C9 HQ HA
        4 HJ HQ DK DT
        1 DJ D9 CJ DA
        3 CK DA CA CA
        4 SQ S9 D9 CQ
        3 DQ DK CT HT
        2 HK HJ CQ SK
        4 HT S9 H9 DQ
        4 SQ ST H9 DT
    """,
    "151": """
        1 HT HT HJ D9
        1 CQ CQ DQ D9
        1 SQ HQ DJ DJ
        1 C9 CT CK C9
        2 CJ DT DT CA
        2 SJ DK SJ CA
        2 HJ CJ HQ HA
        4 CT CK DA H9
        2 DK SQ DQ HA
        3 SK S9 SK SA
        2 ST SA S9 H9
        3 HK DA HK ST
    """,
    "180": """
        1 SQ D9 HT DJ
        3 HQ HJ DQ SJ
        3 S9 SA SA SK
        4 H9 HK H9 HA
        3 DQ SQ CJ HQ
        4 CA C9 C9 CT
        4 CQ CJ DT SJ
        4 CK HJ CK CT
        1 DT CQ DJ DK
        2 DA D9 DA DK
        2 SK ST HT ST
        4 CA HK HA S9
    """,
    "181": """
        1 HT HQ HJ CQ
        1 CQ SJ HJ SQ
        1 DQ D9 SQ HQ
        3 HK H9 HA S9
        1 SJ DJ CJ DQ
        4 DJ DT CJ HT
        3 C9 CA C9 CK
        4 D9 DK DA SA
        2 CK CT CA ST
        4 DA SK CT SK
        4 DT H9 SA HA
        4 DK S9 ST HK
    """,
    "210": """
        1 CQ DJ D9 DK
        1 SQ CJ HT HJ
        3 SJ DT HQ DQ
        1 HQ SQ HT DT
        3 CQ C9 DQ DK
        3 CJ H9 HJ CT
        3 SJ S9 DJ CK
        3 DA SK DA S9
        3 SA ST D9 ST
        1 HA H9 HK CT
        1 CK C9 CA CA
        3 SK SA HK HA
    """,
    "211": """
        1 C9 CT CK CA
        4 HT DJ CQ HJ
        4 HT DJ D9 HQ
        4 CQ SJ HQ SQ
        4 SQ CJ CJ DK
        4 DQ DQ SJ DT
        4 HJ DT DA C9
        4 DA S9 DK H9
        4 CA H9 CK CT
        4 SA S9 SK SK
        4 HK HA HK ST
        1 ST D9 SA HA
    """,
    "240": """
        1 HT DK HT D9
        1 CQ ST CQ S9
        1 SQ C9 HQ CA
        1 SQ C9 DQ H9
        1 DT H9 DT HK
        1 HQ SK DQ CK
        1 CJ S9 CJ CK
        1 SJ HK SJ ST
        1 HJ SK DJ CT
        1 DJ CT DA HA
        1 DA CA DK HA
        1 D9 SA HJ SA
    """,
    "240+1": """
        1 SA HK SA ST
        1 ST HK HA SK
        1 CT CK CA CT
        3 HA H9 DA H9
        1 HT DK DA HJ
        1 HT DK CJ DJ
        1 CQ HJ CJ SJ
        1 SQ DJ DQ SJ
        1 HQ DT SQ SK
        3 CA CK DQ DT
        1 HQ D9 CQ C9
        3 C9 S9 S9 D9
    """,
}

#: Re (2, 4) wins with 132; a fox of its own is set off by a fox and Charlie of Contra.
ZERO: Final = """
    1 DQ SJ CQ DA
    3 HJ DT HT D9
    1 CQ DQ DK SJ
    1 C9 C9 CT CT
    3 DA HT DK SQ
    4 CA SA CK CA
    4 HK HA HK HA
    1 SK ST ST S9
    2 HQ DT HJ D9
    2 HQ DJ CJ SQ
    1 SK CK SA H9
    3 H9 CJ S9 DJ
"""

#: Player 1 holds both club queens, everybody is healthy; 146 points.
SILENT_WON: Final = """
    1 DT SJ SJ HQ
    4 HQ SQ DA HJ
    1 D9 HJ D9 CJ
    4 HT DK HT DJ
    4 HK DT HK H9
    1 SA SA ST ST
    1 CA CK C9 CT
    1 DJ CT DK DQ
    4 DQ CQ C9 DA
    1 SK S9 S9 SK
    1 CK HA CA CJ
    4 H9 CQ HA SQ
"""

#: Player 4 holds both club queens, everybody is healthy; 36 points, a trick of more than 40, foxes.
SILENT_LOST: Final = """
    1 SA SK ST S9
    1 CA C9 C9 CT
    1 CJ DK DJ DK
    1 DQ DQ CJ DT
    1 SJ HQ SJ HJ
    2 H9 H9 HQ HA
    4 ST SA CT DT
    3 DA HJ D9 HT
    2 HA D9 S9 HK
    3 SQ CQ DJ HT
    2 CK CA SK SQ
    1 HK CK DA CQ
"""

#: Re (1, 2) loses; a club jack lies in the last trick and does not win it; Re catches a fox in trick 7.
JACK_BEATEN: Final = """
    1 C9 CA C9 CT
    2 CQ D9 D9 CJ
    2 SA HT SA SK
    3 DT HQ DK DK
    4 HA HK H9 HA
    4 DA HJ DT DQ
    3 HJ DA SQ HT
    2 S9 DQ ST SK
    3 CK DJ CA CK
    4 H9 DJ S9 SJ
    3 SJ HK CQ HQ
    1 CT CJ SQ ST
"""

#: Re (3, 4) wins with 164; both foxes go to the side that played them.
FOX_IN_ONES_OWN: Final = """
    1 C9 CK SK CT
    4 CQ DJ DJ DA
    4 DA D9 DQ CQ
    3 HJ DK DK CJ
    2 CA DQ CT CK
    3 SQ HJ SJ D9
    3 CJ HQ HT SQ
    1 ST S9 ST DT
    4 HK HA C9 HA
    1 S9 SK DT H9
    3 SJ HK HQ SA
    1 SA CA HT H9
"""

#: Player 1 marries, takes the first three tricks and wins alone with 150.
MARRIAGE_ALONE_WON: Final = """
    1 SA SK SK SA
    1 DJ DT DA D9
    1 HQ HJ D9 DT
    1 CA CA C9 CT
    1 HT SJ HJ DQ
    1 CK CK C9 SJ
    4 DJ DA HT H9
    2 CJ S9 HQ DK
    4 DQ CQ SQ H9
    1 DK CJ ST SQ
    4 HK HK CT HA
    3 S9 HA CQ ST
"""

#: Re (1, 3) wins with 137 and loses two foxes.
NEGATIVE: Final = """
    1 H9 H9 HK SA
    3 CQ HJ CQ DJ
    3 HK CT HA ST
    1 C9 CA CK CA
    2 HQ HT DJ DT
    3 CJ SQ HT DK
    1 DA DQ CJ HQ
    4 S9 SK S9 SA
    3 SQ DT DQ SJ
    3 CK SK CT D9
    2 D9 DK SJ HA
    4 ST C9 HJ DA
"""

#: Player 3 marries, player 2 clears in trick 2 and is Re; Contra wins with 125 and a fox.
MARRIAGE_SPECIALS: Final = """
    1 DJ SQ CQ HQ
    3 D9 SJ CJ HT
    2 CT SA CA CK
    4 SQ DK DT DK
    4 CT CK HQ SK
    2 SK CJ ST SA
    3 HK H9 HK ST
    3 HA DA H9 DT
    4 CA HJ DQ DJ
    2 HJ DA HT D9
    4 C9 DQ S9 CQ
    3 HA C9 SJ S9
"""

#: Re (1, 2) catches both foxes in trick 10.
TWO_FOXES: Final = """
    1 SA ST S9 SA
    1 SJ HQ SQ D9
    3 CJ HT DJ CQ
    4 HJ DQ HQ DK
    2 HT DT SQ CQ
    2 C9 CK C9 CT
    1 DT D9 HJ DK
    3 CK SJ CT CA
    4 HA H9 H9 HK
    4 DA DJ CJ DA
    2 HA HK SK ST
    2 SK CA DQ S9
"""

#: Player 1 plays a diamonds solo and makes 151.
SOLO_151: Final = """
    1 SQ HJ HJ HT
    4 CJ D9 CJ DQ
    3 H9 HK HQ H9
    1 S9 SK ST SA
    4 CA C9 C9 CT
    4 SJ DA DK DJ
    4 CT HQ CK SA
    1 SJ DK DA DJ
    1 HT DQ D9 DT
    1 SQ CA S9 DT
    1 CQ HK ST CK
    1 CQ HA HA SK
"""

#: Re (3, 4) wins; trick 10 holds exactly 40 points; a fox in trick 1.
FORTY: Final = """
    1 DA SQ CJ CQ
    4 DA DK DQ CQ
    3 HJ SJ DQ SQ
    2 HT DJ CJ DK
    2 CK ST CA H9
    4 SA SK S9 ST
    4 DT HQ C9 DJ
    1 D9 C9 HJ SJ
    4 H9 HA CK HK
    1 DT CT HT CT
    3 SA SK HQ S9
    1 D9 CA HK HA
"""

#: Re (1, 2) loses with 114; Doppelkopf in trick 1, a fox each way, Charlie.
SPECIALS: Final = """
    1 SA SA DT ST
    3 DQ DK CQ HQ
    1 CK CT CT C9
    2 SQ HT DT D9
    3 HA HK HA H9
    3 HQ DJ DJ SQ
    2 S9 SJ SK HK
    3 H9 CK CA CQ
    2 HJ DA HJ HT
    1 D9 SJ CJ SK
    3 CA ST C9 DQ
    2 DA CJ S9 DK
"""

#: Player 4 marries, takes the first three tricks and loses with 113.
MARRIAGE_ALONE: Final = """
    1 HK H9 H9 SQ
    4 CK C9 CK C9
    4 SA SK SK S9
    4 HQ HJ HQ DA
    4 CJ HJ DQ HT
    3 DK HT SJ DT
    4 ST ST SA CT
    2 D9 D9 CQ SQ
    4 CA CT CA DJ
    3 DQ CJ S9 DK
    3 SJ DA HA DJ
    3 DT CQ HK HA
"""
