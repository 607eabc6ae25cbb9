"""Bytes on a link: strict msgpack, typed messages, the Noise channel, HELLO and invitation links.

Nothing here knows cards, rules or tables; everything is pure (bytes and times in, bytes and events out).
"""
