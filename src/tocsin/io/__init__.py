"""Files in: robots, meshes, scenes, problems and trajectories, each behind a door that trusts nothing it reads.

A reader either returns what the file says or raises one sentence that names the file and the element that is wrong.
Nothing is repaired in silence, nothing outside the folders that a description may use is opened, and sizes are looked
at before contents.

Readers are loaded when a file of their kind is first asked for: models name them (`_provided`).
"""
