"""Coverage-guided fuzzing of everything that reads bytes of strangers; see ``python -m tests.fuzz --help``."""
