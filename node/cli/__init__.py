"""``doko ...``: one file a verb, registered by name in :mod:`node.cli.registry` and imported only when used."""
