"""Commands of a single game: a package for each, named like the game; its `app` becomes `referee NAME`."""
