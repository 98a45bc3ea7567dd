"""Tests of the advancement: no step passes a contact."""
