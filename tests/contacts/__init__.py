"""Tests of contacts and distances."""
