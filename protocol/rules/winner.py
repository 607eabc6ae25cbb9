"""Who has won a hand (R21..R23).

>>> winner((0, 0), (120, 120), (6, 6)).value, winner((0, 1), (120, 120), (6, 6)).value
('kontra', 're')
>>> winner((2, 0), (151, 89), (9, 3)).value, winner((2, 0), (150, 90), (9, 3)).value
('re', 'kontra')
>>> print(winner((2, 2), (130, 110), (7, 5)))          # both called no 90, both missed it
None
"""

from protocol.rules.calls import Side

#: Level of a side -> card points that its highest Absage promises; black is about tricks.
TARGET = {2: 151, 3: 181, 4: 211}


def keeps(level: int, points: int, tricks: int) -> bool:
    """Does a side with these card points and tricks keep its highest Absage (level 2..5)?"""
    return tricks == 12 if level == 5 else points >= TARGET[level]


def winner(levels: tuple[int, int], points: tuple[int, int], tricks: tuple[int, int]) -> Side | None:
    """The side that won, ``None`` if nobody did.

    All pairs are (Re, Contra): *levels* as in :mod:`protocol.rules.calls`, card *points*, number of *tricks*.
    """
    re_level, kontra_level = levels
    if re_level < 2 and kontra_level < 2:  # R21
        need = 120 if kontra_level == 1 and re_level == 0 else 121
        return Side.RE if points[0] >= need else Side.KONTRA
    if re_level >= 2 and keeps(re_level, points[0], tricks[0]):
        return Side.RE
    if kontra_level >= 2 and keeps(kontra_level, points[1], tricks[1]):
        return Side.KONTRA
    if re_level >= 2 and kontra_level >= 2:  # R23
        return None
    return Side.KONTRA if re_level >= 2 else Side.RE  # R22: the counter-target is what the other side is short of
