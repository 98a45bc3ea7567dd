"""A drone flies through a forest that is known as a point cloud alone, keeping 50 mm from every point of it."""

from importlib.metadata import distribution
from pathlib import Path

import numpy as np

import tocsin

files = Path(str(distribution("example-robot-data").locate_file("cmeel.prefix/share/example-robot-data/robots")))
drone = tocsin.Robot.from_urdf(files / "iris_description/robots/iris.urdf", base="free")

rng = np.random.default_rng(4)
trunks = [(x, y) for x in (0.6, 1.7, 2.8, 3.9) for y in (-1.2, 0.0, 1.2)] + rng.normal(0, 0.1, (12, 2))
angle, height = rng.uniform(0, 2 * np.pi, (12, 300)), rng.uniform(0.0, 1.6, (12, 300))
radius = 0.09 + 0.02 * rng.normal(size=(12, 300))
points = np.stack([trunks[:, :1] + radius * np.cos(angle), trunks[:, 1:] + radius * np.sin(angle), height], -1)
forest = tocsin.Body.from_points(points.reshape(-1, 3), 0.015, spacing=0.07, name="forest")
scene = tocsin.Scene(drone, forest)
scene.ignore(drone.name, drone.name)  # its rotors are close to each other by design

x = np.linspace(-0.6, 5.0, 18)
places = [tocsin.pose((a, 0.6 + 0.06 * np.sin(2 * a), 0.9), rpy=(0.2 * np.cos(2 * a), 0.1, 0)) for a in x]
rotors = np.linspace(0, 20, 18)[:, None] * np.ones(drone.n_config)
flight = drone.follow(rotors, base=places)
hit = scene.first_contact(flight, margin=0.05)
title = "A drone in a forest of points"
tocsin.save_page("drone.html", scene, flight, hit=hit, title=title)
tocsin.save_picture("drone.png", scene, flight, hit=hit, title=title)
