"""Commands of one game alone: a package for each, named as the game; its `app` becomes `referee NAME`."""
