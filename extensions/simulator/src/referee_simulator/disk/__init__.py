"""A disk that lies: it loses, reorders and tears what was not synced, fills up, fails, and kills at a call."""
