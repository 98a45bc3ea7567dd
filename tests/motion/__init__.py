"""Tests of joints and chains."""
