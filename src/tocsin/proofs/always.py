"""Two links in contact at *all* joint values of a box: two points that stay together, and boxes that cover it.

Claim. Let x be a point of a link, at rho_k from the axis of joint k of its chain in the middle of a box. Anywhere in
the box it is at most

    sum_k w_k rho_k + A / 2,    A = sum_k omega_k (a_k + 2 S_k),    omega_k = w_k if k turns, else 0,

from where it is in the middle (w_k alone, if k slides): a_k, S_k and the proof are those of `box_bounds.bend`, along
every direction at once. So two points, one of each link, are nowhere in the box farther apart than in the middle and
both of these together. If that is within the margin, and what a witness is allowed beyond it, the links touch at all
joint values of the box. A box of which it cannot be said is halved; a middle at which the two do not touch ends the
search.

Points are on surfaces, or in solids, and nothing is known of what lies inside a mesh. So boxes are small where links
touch far from the axes between them: such links are said to touch *sometimes*, with a witness.
"""

from tocsin import vec
from tocsin.compiler.jit import kernel
from tocsin.motion.joints import UP
from tocsin.proofs.approach import nearest
from tocsin.proofs.box_bounds import AXIS, ENTRY, FAR, ORIGIN, REVOLVE
from tocsin.proofs.boxes import APART, GIVEN_UP, TOUCHING, WITHIN, halve_box, place
from tocsin.proofs.search import HALF_BOX, MORE, TOGETHER, write

FILLED = 0.9
"""Of what a witness is allowed beyond the margin: what is left is for the point that is written down, and rounding."""


@kernel
def wander(x, rows, n_rows, losses):
    """Return how far a point may be, in a box, from where it is in the middle; add each entry's share of it."""
    below = total = 0.0
    for k in range(n_rows):
        straight = goes = rows[k, FAR]
        bent = 0.0
        if rows[k, REVOLVE] > 0.0:
            u = (rows[k, AXIS], rows[k, AXIS + 1], rows[k, AXIS + 2])
            arm = vec.sub(x, (rows[k, ORIGIN], rows[k, ORIGIN + 1], rows[k, ORIGIN + 2]))
            straight = rows[k, FAR] * vec.norm(vec.cross(u, arm))
            goes = straight + rows[k, FAR] * below
            bent = rows[k, FAR] * (goes + 2.0 * below)
        own = (straight + 0.5 * bent) * UP
        losses[int(rows[k, ENTRY])] += own
        total += own
        below += goes * UP
    return total


@kernel
def cover(asked, margin, found, words, most):
    """Return (outcome, looked at, used, how many): do two shapes touch at all joint values of the box cells[0]?

    `asked`: what `approach.distance_at` takes.
    TOUCHING: boxes cover it, of which the tree is in `words` and the two points in rows of `found`: the parts of both
    shapes, and where the points are in the frames of their links. APART: not in the middle of some box.
    """
    tables, links, joints, ends, entries, row, cells, work = asked
    rows_a, rows_b, losses, half = work[0], work[1], work[5], work[6]
    n = entries.shape[0]
    top, looked, used, count = 1, 0, 0, 0
    while top > 0:
        if looked >= most or count >= found.shape[0] or top + 2 >= cells.shape[0]:
            return GIVEN_UP, looked, used, count
        looked += 1
        top -= 1
        pose_a, pose_b, n_a, n_b = place(links, joints, ends, cells[top], entries, row, work)
        far, a, b, x, y = nearest(tables, ends, (pose_a, pose_b), work)
        allowed = margin * (1.0 + FILLED * WITHIN)
        if not far <= allowed or n_a < 0 or n_b < 0:
            return APART, looked, used, count
        for k in range(losses.shape[0]):
            losses[k] = 0.0
        x_all = vec.add(pose_a[1], vec.matvec(pose_a[0], x))
        y_all = vec.add(pose_a[1], vec.matvec(pose_a[0], y))
        goes = wander(x_all, rows_a, n_a, losses) + wander(y_all, rows_b, n_b, losses)
        if far + goes * MORE <= allowed:
            y_own = vec.tmatvec(pose_b[0], vec.sub(y_all, pose_b[1]))
            found[count, 0], found[count, 1] = a, b
            for c in range(3):
                found[count, 2 + c], found[count, 5 + c] = x[c], y_own[c]
            count += 1
            used = write(words, used, TOGETHER)
            continue
        k = halve_box(cells, top, entries, losses, half)
        if k < 0:
            return GIVEN_UP, looked, used, count
        used = write(words, write(words, used, HALF_BOX), entries[k])
        middle = 0.5 * (cells[top, k] + cells[top, n + k])
        for c in range(2 * n):
            cells[top + 1, c] = cells[top, c]
        cells[top + 1, n + k] = middle
        cells[top, k] = middle
        top += 2
    return TOUCHING, looked, used, count
