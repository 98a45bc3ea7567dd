"""Tests of the readers: real files, files that lie, and files that are only a little wrong."""
