"""Attacks on the enclosures of tocsin.bounds, with exact rationals and 50-digit arithmetic."""
