"""Cards from rest to rest: in splays, on piles, under one another."""
