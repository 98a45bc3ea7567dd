"""Tests of bodies, robots and the tables of a scene."""
