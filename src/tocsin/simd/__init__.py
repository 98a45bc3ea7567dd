"""Several numbers in one register."""
