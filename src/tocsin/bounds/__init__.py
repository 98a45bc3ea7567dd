"""What holds during an interval: rounding, intervals, Taylor models, motion bounds."""
