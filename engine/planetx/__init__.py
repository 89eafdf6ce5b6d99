"""The Search for Planet X: sky, facts, games from codes, the match and the solo opponent (clauses X1..X83)."""
