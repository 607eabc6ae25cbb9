"""The table: the only place where rules, deal and wire meet."""
