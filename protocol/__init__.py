"""What all four nodes of a table must agree on: the game, the hidden deal, the bytes, the log.

Everything below this package is sans-IO: no sockets, files, clocks, threads or randomness of its own.
"""
