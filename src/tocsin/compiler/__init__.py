"""How kernels are compiled, and kept between runs."""
