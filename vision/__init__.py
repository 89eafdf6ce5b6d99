"""From camera frames to what lies on the table. Knows pieces and zones, not rules; imports no device."""
