"""Whole nodes as real processes on loopback TCP."""
