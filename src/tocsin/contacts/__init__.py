"""What touches at the time of contact: features, points, normals."""
