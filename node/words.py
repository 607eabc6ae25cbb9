"""Fingerprints as words: a list of our own of 256 short English words, one a byte, easy to say over the telephone.

No two words share their first four letters, so a misheard ending does no harm.  The order is part of the fingerprint
and never changes.
"""

from typing import Final

_TEXT: Final = """
    acorn adobe agile album alley amber angle apple april arbor arena armor arrow aspen atlas attic
    autumn bacon badge baker bamboo banjo barrel basil beach beaver bell berry birch bishop blanket blossom
    boat bonfire bottle bracket bread bridge bronze brush bucket bugle burrow button cabin cable cactus camel
    candle canoe canvas carpet castle cedar cello chalk cherry chimney cider cinema circus clay clover coal
    cobalt cocoa comet copper coral cotton cradle crane crown crystal cuckoo cushion cypress daisy dance delta
    desert diamond dinner dolphin donkey dragon drum dune eagle earth easel echo elbow elm ember engine
    fabric falcon feather fern fiddle finger flame flute foggy forest fossil fountain fox frost galaxy garden
    garlic gate ginger giraffe glacier glove goat goblet granite grape gravel guitar hammer harbor harvest hazel
    hedge helmet heron hickory honey horn hotel husky icicle igloo inkwell iris island ivory ivy jacket
    jade jaguar jasmine jelly jewel jigsaw juniper kayak kernel kettle kiosk kitchen kite kiwi ladder lagoon
    lamp lantern laurel lava lemon lentil lilac lime linen lizard llama lobster lotus lunar lyric magnet
    mango maple marble meadow melon mill mint mirror moss motor mural mustard napkin nectar needle nest
    nickel nomad nutmeg oasis oboe ocean olive onion opal orbit orchid otter oven owl oyster paddle
    palace panther parrot pastry peach pebble pepper piano picnic pigeon pillow planet plum pocket pony poppy
    prairie puzzle quartz quill rabbit radish raft raven reef ribbon river robin rocket rose ruby saddle
    saffron salmon sand satin scarf shell silver sled snow spark spruce squirrel straw sunset swan tulip
"""
WORDS: Final = tuple(_TEXT.split())


def to_words(data: bytes) -> tuple[str, ...]:
    """One word a byte."""
    return tuple(WORDS[byte] for byte in data)
