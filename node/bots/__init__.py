"""Computer players: the policy interface, the ladder of levels, the sampler and search, the league and the audit."""
