"""What a question has done and may still do: its counts, and the budgets (accounts) to which they are charged.

`max_steps` caps the steps of a question, items taken up, and its tests of boxes, hulls and leaves, wherever these are
made: FIRST_TESTS and TESTS_A_STEP for each step. Without that, one item could open two whole trees, and two leaves
could creep towards each other for ever.

A pair of shapes that may get a chart (`broad_phase.charts`) has an account of its own, `own` tests in a window of time,
and nothing of it is charged to the question. A pair that has used it up, or that comes too close to say, gives up the
question until its chart is there (`uncharted`); from then on it is charged to the question like any other.

Claim: whether there are charts, and which, decides nothing but how long a question takes. Proof: a chart settles pairs
that are farther apart than margin + tolerance during a window of the slab, which is a record of its own like any other
pair (`start`, `until`), cut where nothing but the motion says. Let the search have all charts that it can have. One
that lacks some takes up, between the same items, items of pairs that these settle. Such an item finds no contact, since
that takes two points within margin + tolerance, and where it would end the search (the resolution of floating point, or
an account used up) the search is made again with the chart of its pair. All that it changes otherwise is its
own record: the order of the others' items is that of (time, pair, node, node), which are all different, their warm
starts are in their pairs' records, and their steps and tests are charged without its. So both end in the same way.
"""

from tocsin.compiler.jit import kernel, ticks

STEPS, NODE_TESTS, HULL_TESTS, LEAF_TESTS, VISITED = range(5)
"""Where the counts of a query are kept."""

CHARGED, SPARED, LIMIT = range(5, 8)
"""Further ones: steps charged to the question; tests that were not; tests, all told, at which the account at hand is
used up."""

PAUSE = 13
"""Tests charged to the question after which `is_free` pauses to look; 0: it does not."""

HASTE, UNTIL = 14, 15
"""Not counts, but what a question was told: not to wait for charts (1), since there is a deadline; and the processor's
`ticks` at which it ends, 0 for never. They stay from one question to the next, and other threads may write them."""

FIRST_TESTS, TESTS_A_STEP = 2**12, 4
"""Where meshes run close to each other, the first item takes thousands; then, on tori and robots, two to three are made
a step. The default cap, a million steps, is reached by tests alone within four seconds."""

OWN = 2**16
"""Tests on a pair's own account."""

MOST = 2**48
"""Steps beyond which a cap is none: the tests that it stands for would not fit an integer."""


@kernel
def read_ticks():
    """Return the processor's ticks, for Python."""
    return ticks()


@kernel
def clear(counts):
    """Begin to count."""
    for k in range(HASTE):
        counts[k] = 0


@kernel
def late(counts):
    """Has a question reached its deadline? It then ends as if its account were used up."""
    return counts[UNTIL] != 0 and ticks() >= counts[UNTIL]


@kernel
def tests(counts):
    """Return how many tests were made."""
    return counts[NODE_TESTS] + counts[HULL_TESTS] + counts[LEAF_TESTS]


@kernel
def charged(counts):
    """Return how many of them are charged to the question, when no step is under way."""
    return tests(counts) - counts[SPARED]


@kernel
def tests_left(max_steps, counts):
    """Return how many tests are left on the question's account."""
    return FIRST_TESTS + TESTS_A_STEP * min(max_steps, MOST) + counts[SPARED] - tests(counts)


@kernel
def exhausted(max_steps, counts):
    """Is the question's account used up?"""
    return counts[CHARGED] > max_steps or tests_left(max_steps, counts) <= 0


@kernel
def spent(counts):
    """Is the account at hand, or the time, used up?"""
    return tests(counts) >= counts[LIMIT] or late(counts)


@kernel
def may_step(pair, max_steps, counts):
    """Begin a step of a pair, on its own account or else the question's; return whether there is anything left on it.

    A pair that has its chart goes over from the one to the other, in the midst of a step too.
    """
    counts[STEPS] += 1
    pair["steps"] += 1
    if late(counts):
        return False
    left = tests_left(max_steps, counts)
    if pair["own"] > 0:
        counts[LIMIT] = tests(counts) + pair["own"] + (0 if pair["uncharted"] != 0 else max(left, 0))
        return True
    if pair["uncharted"] != 0:
        return False
    counts[CHARGED] += 1
    if counts[PAUSE] > 0:
        left = min(left, counts[PAUSE] - charged(counts))
    counts[LIMIT] = tests(counts) + left
    return counts[CHARGED] <= max_steps and left > 0


@kernel
def settle(pair, began, counts):
    """End a step that was begun after so many tests: take it off the pair's own account, if that has anything left."""
    if pair["own"] > 0:
        used = min(tests(counts) - began, pair["own"])
        counts[SPARED] += used
        pair["own"] -= used + 1
