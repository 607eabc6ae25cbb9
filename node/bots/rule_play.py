"""Which card to play, by rules of thumb, on the masks of :mod:`node.bots.core`.

These two functions are the card play of the level ``beginner`` and the players inside every search: fast, decided by
integers, and a function of their arguments.  In short:

* lead the ace of a plain suit while its first round is still to come, shortest suit first; else Re and soloists lead
  trumps, Contra leads cheap cards of short suits;
* give many points to a trick that the own side surely wins, few to one that it surely loses;
* win a trick that is worth it: last with the richest card that wins, earlier with a high one;
* trump a plain suit with a fox or a ten when nobody will overtrump.
"""

from node.bots.core import LIFT, TRUMP, Layout

#: Power of HT in a normal game: a trump that only an equal one could have beaten.
_SAFE = LIFT + 12
#: Power from which a partner's trump is left alone: SQ in a normal game... the upper queens.
_HIGH = LIFT + 9


def lead(lay: Layout, hands: list[int], base: int, attack: bool, fresh: int) -> int:
    """The code of the card to lead from ``hands[base:base + 5]``.

    *attack*: the own side wants trumps drawn (Re); *fresh*: bit c is set while nobody has led class c.
    """
    fewest = 6
    best = -1
    for cls in lay.plain:
        mask = hands[base + cls]
        if mask & lay.ace[cls] and fresh >> cls & 1:
            number = mask.bit_count()
            if number < fewest:
                fewest = number
                best = cls
    if best >= 0:
        return 32 * best + hands[base + best].bit_length() - 1
    trumps = hands[base + TRUMP]
    if trumps and attack:
        low = trumps & (lay.jacks | lay.nine) or trumps & ~lay.rich
        if low:
            return 127 + (low & -low).bit_length()
    fewest = 999
    for cls in lay.plain:
        mask = hands[base + cls]
        if mask:
            number = 4 * mask.bit_count()
            if not fresh >> cls & 1:
                number += 6
            if mask & -mask & (lay.ten[cls] | lay.ace[cls]):
                number += 8
            if number < fewest:
                fewest = number
                best = cls
    if best >= 0:
        mask = hands[base + best]
        return 32 * best + (mask & -mask).bit_length() - 1
    low = trumps & ~lay.rich or trumps
    return 127 + (low & -low).bit_length()


def lead_alone(lay: Layout, hands: list[int], base: int, out: list[int], fresh: int) -> int:
    """As :func:`lead` for one who plays against three; *out*: per class the mask of what the others hold together.

    Which cards are still out is public, so a player may use it; who holds them is not.
    """
    trumps = hands[base + TRUMP]
    if trumps and out[TRUMP] and trumps.bit_length() + 1 | 1 >= out[TRUMP].bit_length() + 1 | 1:
        return 127 + trumps.bit_length()
    best = -1
    least = 99
    for cls in lay.plain:
        mask = hands[base + cls]
        if mask and mask.bit_length() + 1 | 1 >= out[cls].bit_length() + 1 | 1 and (out[cls] or not out[TRUMP]):
            number = mask.bit_count() if out[TRUMP] else -mask.bit_count()
            if number < least:
                least = number
                best = cls
    if best >= 0:
        return 32 * best + hands[base + best].bit_length() - 1
    return lead(lay, hands, base, True, fresh)


def discard(lay: Layout, hands: list[int], base: int, trumps: int) -> int:
    """The code of the card that is missed least, whatever was led; *trumps* are those that may be given too."""
    least = 999
    best = -1
    for cls in lay.plain:
        mask = hands[base + cls]
        if mask:
            low = (mask & -mask).bit_length() - 1
            number = 8 * lay.points[32 * cls + low] + 2 * mask.bit_count()
            if number < least:
                least = number
                best = 32 * cls + low
    if trumps:
        if least > 30:
            low = trumps & lay.nine or trumps & lay.jacks
            if low:
                return 127 + (low & -low).bit_length()
        if best < 0:
            low = trumps & ~lay.rich or trumps
            return 127 + (low & -low).bit_length()
    return best


def feed(lay: Layout, hands: list[int], base: int, trumps: int) -> int:
    """The code of the card that brings a partner's trick most, whatever was led."""
    rich = trumps & lay.rich
    if rich:
        return 127 + rich.bit_length()
    most = -99
    best = -1
    for cls in lay.plain:
        mask = hands[base + cls]
        if mask:
            high = mask.bit_length() - 1
            number = 4 * lay.points[32 * cls + high] - mask.bit_count()
            if number > most:
                most = number
                best = 32 * cls + high
    if trumps and most < 14:
        low = trumps & lay.king or trumps & lay.jacks or trumps & lay.nine or trumps & ~lay.heart_ten or trumps
        return 127 + (low & -low).bit_length()
    return best


def low_trump(lay: Layout, trumps: int) -> int:
    """The code of the trump to lose."""
    low = (
        trumps & lay.nine
        or trumps & lay.jacks
        or trumps & lay.king
        or trumps & lay.queens
        or trumps & lay.rich
        or trumps
    )
    return 127 + (low & -low).bit_length()


def follow(
    lay: Layout,
    hands: list[int],
    base: int,
    led: int,
    power: int,
    ours: bool,
    behind: int,
    foes: int,
    value: int,
    fresh: int,
) -> int:
    """The code of the card to play on a trick that another player led, from ``hands[base:base + 5]``.

    *led*: the class; *power*: of the card that wins so far; *ours*: it is known to be the own side's; *behind*: players
    still to come, *foes* of them not known to be partners; *value*: card points on the table; *fresh*: as in
    :func:`lead`.
    """
    mask = hands[base + led]
    if led == TRUMP:
        if not mask:
            if ours and (not foes or power >= _SAFE):
                return feed(lay, hands, base, 0)
            return discard(lay, hands, base, 0)
        return _follow_trump(lay, mask, power, ours, behind, foes, value)
    if mask:
        high = mask.bit_length() - 1
        if power >= LIFT:
            if ours and (not foes or power >= _SAFE):
                return 32 * led + high
        else:
            if ours and (not foes or (fresh >> led & 1 and lay.ace[led] >> 2 * power & 1)):
                return 32 * led + high
            if high >> 1 > power and (not foes or (1 << high & lay.ace[led] and (fresh >> led & 1 or not ours))):
                return 32 * led + high
        return 32 * led + (mask & -mask).bit_length() - 1
    trumps = hands[base + TRUMP]
    if ours:
        if not foes or power >= _SAFE or (power < LIFT and fresh >> led & 1 and lay.ace[led] >> 2 * power & 1):
            return feed(lay, hands, base, trumps)
        if power >= _HIGH or value < 5:
            return discard(lay, hands, base, trumps)
    winning = trumps
    if power >= LIFT:
        shift = 2 * (power - LIFT + 1)
        winning = trumps >> shift << shift
    if not winning:
        return discard(lay, hands, base, trumps)
    if not foes or (power < LIFT and fresh >> led & 1):
        rich = winning & lay.rich
        if rich:
            return 127 + rich.bit_length()
        if not foes:
            if value < 3:
                return discard(lay, hands, base, trumps)
            return 127 + (winning & -winning).bit_length()
    if value < 4:
        return discard(lay, hands, base, trumps)
    best = winning & ~lay.rich or winning
    if power < LIFT and not fresh >> led & 1 and value >= 14 and best & lay.queens:
        best &= lay.queens
    return 127 + (best & -best).bit_length()


def _follow_trump(lay: Layout, trumps: int, power: int, ours: bool, behind: int, foes: int, value: int) -> int:
    """Trump was led and there are *trumps* to follow with."""
    if ours and (not foes or power >= _SAFE):
        rich = trumps & lay.rich
        if rich:
            return 127 + rich.bit_length()
        low = trumps & lay.king or trumps & lay.jacks or trumps & lay.nine or trumps & lay.queens or trumps
        return 127 + (low & -low).bit_length()
    shift = 2 * (power - LIFT + 1)
    winning = trumps >> shift << shift
    if not winning:
        return low_trump(lay, trumps)
    if not foes:
        rich = winning & lay.rich
        if rich:
            return 127 + rich.bit_length()
        low = winning & -winning
        if value < 4 and low > lay.jacks:
            return low_trump(lay, trumps)
        return 127 + low.bit_length()
    if ours and power >= _HIGH:
        return low_trump(lay, trumps)
    if value >= 14:
        return 127 + winning.bit_length()
    if value >= 7:
        return 127 + (winning & lay.queens or winning).bit_length()
    if behind == 1:
        middle = winning & lay.jacks or winning & lay.queens
        if middle:
            return 127 + middle.bit_length()
    return low_trump(lay, trumps)
