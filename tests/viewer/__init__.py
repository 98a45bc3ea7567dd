"""Tests of the viewer: films, pictures, and pages in a real browser."""
