"""Tests of the game's rules, by rule number."""
