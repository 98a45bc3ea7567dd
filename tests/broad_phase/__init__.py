"""Tests of culling: nothing that can touch is dropped."""
