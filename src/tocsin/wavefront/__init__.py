"""Many edges of one model at once, all in step: the search of a batch as a wavefront, for processors of many threads.

An edge is cut into slabs of time, a slab into the pairs of shapes whose swept boxes overlap. Such an item is looked at
from the middle of its time: it is free during all of it, or two leaves touch in the middle, or it is cut in half. The
items of a round are independent of each other, and whatever is left of them is the next round (`stages`). The functions
are written once, as kernels; `device` takes the same functions to CUDA.
"""
