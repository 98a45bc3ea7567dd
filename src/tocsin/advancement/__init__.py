"""Conservative advancement: bounds on distance, steps in time, the engine."""
