"""Tests of the node's own things: files, identity, store, settings, log, commands."""
