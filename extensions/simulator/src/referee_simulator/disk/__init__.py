"""A disk that loses, reorders and tears unsynced data, fills up, fails, and kills at a call."""
