"""The second engine: equations and intervals instead of distances and steps [ARTICULATE 3.5].

Three stages, each of which can be switched off (`pipeline.solve`): 1, a dynamic hierarchy of swept boxes; 2, the swept
volumes of line-swept spheres; 3, oriented boxes and elementary equations, solved simultaneously over ever smaller
intervals of time.
"""
