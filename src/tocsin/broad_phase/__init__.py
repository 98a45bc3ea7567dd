"""Which pairs can touch, and when at the earliest."""
