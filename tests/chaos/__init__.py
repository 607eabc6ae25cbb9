"""Crashes and chaos: enumerated kills, damaged stores and seeded bad networks.  What was run is in RESULTS.md."""
