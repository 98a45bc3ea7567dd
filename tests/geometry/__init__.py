"""Tests of shapes at rest."""
