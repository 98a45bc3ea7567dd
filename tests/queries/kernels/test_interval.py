"""The compiled call of the interval engine: the pipeline's own outcome on the buffers of a table."""

import tocsin
from plain import PLAIN
from tocsin.interval import pipeline
from tocsin.interval.swept_cull import NONE
from tocsin.motion.knots import stretches_of
from tocsin.queries.kernels.interval import ask

pytestmark = PLAIN


def test_the_call_is_the_pipeline_on_the_same_buffers():
    ball = tocsin.Body(tocsin.Sphere(0.5), name="ball")
    scene = tocsin.Scene(ball, tocsin.Body(tocsin.Box((1, 1, 1)), (3.0, 0.2, 0), name="crate"))
    prepared, configs, _ = scene.context.prepared(scene.context.tables(), (ball.move((0, 0, 0), (4, 0, 0)),))
    stretches, switches = stretches_of([1]), pipeline.Switches(pipeline.STAGE_BVH, NONE)
    terms = (configs, stretches, 0.0, 0.0, 1e-6, 100_000, switches)
    assert ask(prepared.table, *terms)[:5] == pipeline.solve(prepared.buffers, *terms)[:5]
