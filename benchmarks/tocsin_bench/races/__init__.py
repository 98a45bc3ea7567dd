"""Races: one scene, one list of questions, our methods and the peers (`tocsin bench run NAME`)."""
