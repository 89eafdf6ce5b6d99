"""Commands of a single game: a module for each, named like the game; its `app` becomes `referee NAME`."""
