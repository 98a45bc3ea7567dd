"""The third engine: all contacts of a time step, by relative screw motion on the collision screen."""
