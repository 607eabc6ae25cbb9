"""The test suite: a package, so that test modules of two directories may have one name."""
