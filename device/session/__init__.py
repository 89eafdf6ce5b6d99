"""What a table does from power-on to the next match: a pure reducer over keys, reports and time."""
