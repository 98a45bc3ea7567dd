"""Kernels of the renderer: triangles into a depth image, ground, creases, sunlight, and the colour of every pixel."""

# pyright: basic
# Kernels, and what calls them, have the types that Numba finds.
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tocsin.compiler.jit import kernel


class Pixels(NamedTuple):
    """What is seen in every pixel."""

    depth: np.ndarray
    """(height, width): the nearest 1/distance; 0: nothing."""
    owner: np.ndarray
    """(height, width): the triangle; -1: nothing, -2: the ground."""
    weights: np.ndarray
    """(height, width, 2): two barycentrics of the place on it."""


class Surface(NamedTuple):
    """Triangles in the world."""

    corners: np.ndarray
    """(n, 3, 3)"""
    normals: np.ndarray
    """(n, 3, 3), at the corners."""
    colours: np.ndarray
    """(n, 3)"""


class Eye(NamedTuple):
    """Where the camera is, and its axes: right, up, back."""

    place: np.ndarray
    frame: np.ndarray


class Sun(NamedTuple):
    """The direction to the sun, and what it sees: a depth image with its frame, centre and texels a metre."""

    toward: np.ndarray
    shade: np.ndarray
    frame: np.ndarray
    centre: np.ndarray
    scale: float


@kernel
def draw(screen, depth, owner, weights):
    """Fill `depth` with the nearest 1/w of each pixel, `owner` with its triangle, `weights` with two barycentrics.

    `screen` is (n, 3, 3): x and y in pixels and 1/w of each corner; 1/w is linear on the screen.
    """
    height, width = depth.shape
    for k in range(screen.shape[0]):
        x0, y0, w0 = screen[k, 0, 0], screen[k, 0, 1], screen[k, 0, 2]
        x1, y1, w1 = screen[k, 1, 0], screen[k, 1, 1], screen[k, 1, 2]
        x2, y2, w2 = screen[k, 2, 0], screen[k, 2, 1], screen[k, 2, 2]
        area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        if area == 0.0 or min(w0, w1, w2) <= 0.0:
            continue
        left, right = max(0.0, math.floor(min(x0, x1, x2))), min(width - 1.0, math.ceil(max(x0, x1, x2)))
        bottom, top = max(0.0, math.floor(min(y0, y1, y2))), min(height - 1.0, math.ceil(max(y0, y1, y2)))
        for py in range(int(bottom), int(top) + 1):
            for px in range(int(left), int(right) + 1):
                x, y = px + 0.5, py + 0.5
                b0 = ((x1 - x) * (y2 - y) - (x2 - x) * (y1 - y)) / area
                b1 = ((x2 - x) * (y0 - y) - (x0 - x) * (y2 - y)) / area
                b2 = 1.0 - b0 - b1
                if b0 < 0.0 or b1 < 0.0 or b2 < 0.0:
                    continue
                w = b0 * w0 + b1 * w1 + b2 * w2
                if w > depth[py, px]:
                    depth[py, px] = w
                    owner[py, px] = k
                    weights[py, px, 0] = b0 * w0 / w
                    weights[py, px, 1] = b1 * w1 / w


@kernel
def ray(frame, numbers, width, height, px, py):
    """Return the direction of the ray through a pixel; its part along the camera's axis is one."""
    focal = numbers[6]
    x, y = (px + 0.5 - 0.5 * width) / focal, (0.5 * height - py - 0.5) / focal
    return (
        x * frame[0, 0] + y * frame[1, 0] - frame[2, 0],
        x * frame[0, 1] + y * frame[1, 1] - frame[2, 1],
        x * frame[0, 2] + y * frame[1, 2] - frame[2, 2],
    )


@kernel
def lay_ground(depth, owner, eye, frame, numbers):
    """Put the ground into the depth image where nothing is nearer; its owner is -2."""
    ground = numbers[1]
    height, width = depth.shape
    if ground == -math.inf or eye[2] <= ground:
        return
    for py in range(height):
        for px in range(width):
            d = ray(frame, numbers, width, height, px, py)
            if d[2] < 0.0:
                w = d[2] / (ground - eye[2])
                if w > depth[py, px]:
                    depth[py, px] = w
                    owner[py, px] = -2


@kernel
def darken(creases, depth):
    """Write a factor below one where neighbouring pixels are nearer to the eye: corners, gaps, contacts."""
    height, width = depth.shape
    steps = np.zeros((32, 2), dtype=np.int64)
    for i in range(32):
        radius, angle = (3.0, 6.0, 12.0, 20.0)[i // 8], (i % 8) * (math.pi / 4.0) + 0.3 * (i // 8)
        steps[i, 0] = round(radius * math.sin(angle))
        steps[i, 1] = round(radius * math.cos(angle))
    for py in range(height):
        for px in range(width):
            own = depth[py, px]
            if own <= 0.0:
                continue
            hidden = 0.0
            for i in range(32):
                y = min(max(py + steps[i, 0], 0), height - 1)
                x = min(max(px + steps[i, 1], 0), width - 1)
                nearer = depth[y, x] / own - 1.0
                if 0.0 < nearer < 0.12:
                    hidden += min(nearer / 0.012, 1.0)
            creases[py, px] = 1.0 - 0.6 * min(hidden / 17.6, 1.0)


@kernel
def sunlight(x, y, z, nx, ny, nz, shining):
    """How much of the sun a point sees: a shadow image with soft edges."""
    sun, shade, frame, centre, scale = shining
    n = shade.shape[0]
    # Lift the point off its own surface by about two texels, or the surface would shade itself.
    x += (2.5 * nx + sun[0]) / scale - centre[0]
    y += (2.5 * ny + sun[1]) / scale - centre[1]
    z += (2.5 * nz + sun[2]) / scale - centre[2]
    u = 0.5 * n + scale * (frame[0, 0] * x + frame[0, 1] * y + frame[0, 2] * z)
    v = 0.5 * n - scale * (frame[1, 0] * x + frame[1, 1] * y + frame[1, 2] * z)
    own = 2.0 + (frame[2, 0] * x + frame[2, 1] * y + frame[2, 2] * z) * scale / (0.5 * n)
    lit = 0.0
    for i in range(6):
        for k in range(6):
            a, b = int(u + 0.8 * (i - 2.5)), int(v + 0.8 * (k - 2.5))
            if not (0 <= a < n and 0 <= b < n) or own >= shade[b, a] - 1.0 / n:
                lit += 1.0 / 36.0
    return lit


@kernel
def line(x, blur):
    """How much of a pixel a grid line covers: x in cells, blur in cells a pixel."""
    away = abs(x - round(x)) / max(blur, 1e-9)
    return max(0.0, 1.0 - away / 1.8) * max(0.0, min(1.0, 1.5 - 3.0 * blur))


@kernel
def light(image, pixels, creases, surface, place, shining, look, numbers):
    """Write the colour of every pixel; `look` holds the colours top, bottom, paper, ink, shadow."""
    depth, owner, weights = pixels
    corners, normals, colours = surface
    eye, frame = place
    sun = shining.toward
    height, width = depth.shape
    sky_light, ground, cell = numbers[0], numbers[1], numbers[2]
    middle_x, middle_y, reach = numbers[3], numbers[4], numbers[5]
    for py in range(height):
        up = 1.0 - py / height
        up = up * up * (3.0 - 2.0 * up)
        for px in range(width):
            for c in range(3):
                image[py, px, c] = look[1, c] + up * (look[0, c] - look[1, c])
            k = owner[py, px]
            if k == -1:
                continue
            crease = creases[py, px]
            if k == -2:
                d = ray(frame, numbers, width, height, px, py)
                t = 1.0 / depth[py, px]
                x, y = eye[0] + t * d[0], eye[1] + t * d[1]
                fade = 1.0 - (math.hypot(x - middle_x, y - middle_y) / reach - 0.25) / 0.75
                fade = max(0.0, min(1.0, fade))
                fade = fade * fade * (3.0 - 2.0 * fade)
                blur_x = t / numbers[6] * (1.0 + abs(d[0] / d[2])) / cell
                blur_y = t / numbers[6] * (1.0 + abs(d[1] / d[2])) / cell
                fine = max(line(x / cell, blur_x), line(y / cell, blur_y))
                bold = max(line(x / cell / 5.0, blur_x / 5.0), line(y / cell / 5.0, blur_y / 5.0))
                grid = max(0.3 * fine, 0.62 * bold)
                lit = sunlight(x, y, ground, 0.0, 0.0, 1.0, shining)
                dim = min(0.75, (1.0 - lit) * 0.34 + (1.0 - crease) * 0.5)
                for c in range(3):
                    colour = look[2, c] + grid * (look[3, c] - look[2, c])
                    colour += dim * (look[4, c] - colour)
                    image[py, px, c] += fade * (colour - image[py, px, c])
                continue
            a, b = weights[py, px, 0], weights[py, px, 1]
            e = 1.0 - a - b
            x = a * corners[k, 0, 0] + b * corners[k, 1, 0] + e * corners[k, 2, 0]
            y = a * corners[k, 0, 1] + b * corners[k, 1, 1] + e * corners[k, 2, 1]
            z = a * corners[k, 0, 2] + b * corners[k, 1, 2] + e * corners[k, 2, 2]
            nx, ny, nz, vx, vy, vz = facing(a, b, e, normals[k], x, y, z, eye)
            lit = sunlight(x, y, z, nx, ny, nz, shining)
            shone = max(nx * sun[0] + ny * sun[1] + nz * sun[2], 0.0) * lit
            hx, hy, hz = vx + sun[0], vy + sun[1], vz + sun[2]
            shine = max((nx * hx + ny * hy + nz * hz) / math.sqrt(hx * hx + hy * hy + hz * hz), 0.0) ** 46 * lit
            rim = (1.0 - max(nx * vx + ny * vy + nz * vz, 0.0)) ** 4
            for c in range(3):
                low, high, warm = (0.42, 0.41, 0.42)[c], (0.66, 0.70, 0.78)[c], (1.0, 0.96, 0.9)[c]
                sky = (low + (high - low) * (0.5 + 0.5 * nz)) * sky_light * crease
                colour = colours[k, c] ** 2 * (sky + 0.82 * warm * shone * (0.6 + 0.4 * crease))
                colour += 0.14 * shine + 0.07 * rim * sky
                image[py, px, c] = math.sqrt(min(max(colour, 0.0), 1.0))


@kernel
def facing(a, b, e, normals, x, y, z, eye):
    """Return the normal of a point, turned towards the eye, and the direction to the eye."""
    nx = a * normals[0, 0] + b * normals[1, 0] + e * normals[2, 0]
    ny = a * normals[0, 1] + b * normals[1, 1] + e * normals[2, 1]
    nz = a * normals[0, 2] + b * normals[1, 2] + e * normals[2, 2]
    vx, vy, vz = eye[0] - x, eye[1] - y, eye[2] - z
    n = math.sqrt(nx * nx + ny * ny + nz * nz)
    v = math.sqrt(vx * vx + vy * vy + vz * vz)
    n = max(n, 1e-300)
    if nx * vx + ny * vy + nz * vz < 0.0:
        n = -n
    return nx / n, ny / n, nz / n, vx / v, vy / v, vz / v


@kernel
def overlay(image, depth, pixels, surface, eye, glass):
    """Blend a layer over the image where it is not hidden: as glass, denser at its rims, or as paint."""
    own_depth, owner, weights = pixels
    corners, normals, colours = surface
    height, width = depth.shape
    for py in range(height):
        for px in range(width):
            k = owner[py, px]
            if k < 0 or own_depth[py, px] < depth[py, px] * (1.0 + (4e-3 if glass else -2e-3)):
                continue
            alpha = 0.45
            if glass:
                a, b = weights[py, px, 0], weights[py, px, 1]
                e = 1.0 - a - b
                x = a * corners[k, 0, 0] + b * corners[k, 1, 0] + e * corners[k, 2, 0]
                y = a * corners[k, 0, 1] + b * corners[k, 1, 1] + e * corners[k, 2, 1]
                z = a * corners[k, 0, 2] + b * corners[k, 1, 2] + e * corners[k, 2, 2]
                nx, ny, nz, vx, vy, vz = facing(a, b, e, normals[k], x, y, z, eye)
                alpha = 0.16 + 0.62 * max(0.0, 1.0 - nx * vx - ny * vy - nz * vz) ** 1.8
            for c in range(3):
                image[py, px, c] += alpha * (colours[k, c] - image[py, px, c])
