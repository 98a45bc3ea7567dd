"""A shape at rest: meshes, primitives, hulls, boxes, hierarchies."""
