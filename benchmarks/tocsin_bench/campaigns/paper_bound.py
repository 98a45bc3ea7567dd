"""The motion bound as printed [CATCH 6, eq. 8, eq. 9, eq. 10]: to be measured against, not used by queries.

For link i at the end of a chain of joints 1..i and a unit vector n of the world,

    mu = |v_1 . n| + |n x w_1| L_1 + sum over j = 2..i of ( |v_j| + (|n x w_1| + sum over k = 2..j of |w_k|) L_j )

bounds the integral over [0, 1] of |dp/dt . n| for every point p of the link: n . (w x L) = L . (n x w), the world keeps
w_1, and a rotation keeps lengths. `motion_bound` is what the library uses.

Where the printed equation needs care:

- its sums end at j = i - 1. Taken literally that leaves out the joint of link i itself, the case j = i of
  [CATCH eq. 8, eq. 9] (a two-link chain of which only the second joint turns would have mu = 0); the sum here ends at
  i;
- L_j is the arm that joint j swings. [CATCH 6] measures it from "the centre of rotation of link j" to the origin of the
  link. Joints here turn their link about the link's own origin, so the arm of joint j is the origin of link j + 1 seen
  from link j, T_(j+1)(t), and for j = i the point itself: at most its reach. As T_(j+1) moves on a straight line, its
  length is greatest at one of the two ends [CATCH eq. 9];
- |n x w_1| L_1 stands for the first joint only because its axis is fixed in the world. It is not so for later joints,
  for which no direction survives: that is why the bound loosens with every link;
- it bounds the path over the whole of [0, 1] from the lengths at the ends of [0, 1]; a bound for a shorter stretch
  takes that stretch's ends and is multiplied by its duration.
"""

import math

from tocsin.compiler.jit import kernel
from tocsin.motion.joints import UP


@kernel
def _origin_distance(joint, t):
    """Return |T(t)|, the distance of the link's origin from the parent's."""
    tau = t - joint["begin"]
    x = joint["origin"][0] + tau * joint["velocity"][0]
    y = joint["origin"][1] + tau * joint["velocity"][1]
    z = joint["origin"][2] + tau * joint["velocity"][2]
    return math.sqrt(x * x + y * y + z * z)


@kernel
def paper_bound(joints, n, reach, t0, t1):
    """Return [CATCH eq. 10] for the last link of a chain of joints, per unit of time, during [t0, t1]; rounded up.

    `n` is a unit vector of the world, `reach` the greatest distance of a point of the link from the link's origin.
    n x w_1 and n . v_1 may cancel, so their rounding, below 4 units of |w_1| and |v_1|, is added; the rest only adds.
    """
    count = joints.shape[0]
    root = joints[0]
    v = root["velocity"]
    w = root["axis"]
    x = n[1] * w[2] - n[2] * w[1]
    y = n[2] * w[0] - n[0] * w[2]
    z = n[0] * w[1] - n[1] * w[0]
    turn = (math.sqrt(x * x + y * y + z * z) + 2.0**-50) * abs(root["rate"])
    mu = abs(v[0] * n[0] + v[1] * n[1] + v[2] * n[2]) + 2.0**-50 * (abs(v[0]) + abs(v[1]) + abs(v[2]))
    for j in range(count):
        if j > 0:
            v = joints[j]["velocity"]
            mu += math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
            turn += abs(joints[j]["rate"])
        arm = reach
        if j + 1 < count:
            arm = max(_origin_distance(joints[j + 1], t0), _origin_distance(joints[j + 1], t1))
        mu += turn * arm
    return mu * UP
