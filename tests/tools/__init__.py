"""Tools for whoever works on the project; run as ``python -m tests.tools.NAME``."""
