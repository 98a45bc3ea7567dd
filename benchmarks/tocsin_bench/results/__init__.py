"""What becomes of a run: JSON lines, tables, plots, a page, a comparison of two, and what was to be reached."""
