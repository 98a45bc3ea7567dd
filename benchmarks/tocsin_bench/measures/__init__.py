"""Measurements with tables of their own: stage by stage, over sizes, beside a paper's table."""
