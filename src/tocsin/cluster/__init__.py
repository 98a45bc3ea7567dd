"""Millions of edges in files and on clusters: parts of a job, answered by threads of this process or by Ray's workers.

    tocsin.cluster.answer_edges("edges.parquet", scene, robot, "answers.parquet")              # threads of this machine
    tocsin.cluster.answer_edges(..., workers=64, address="auto")                               # a Ray cluster
    tocsin.cluster.check_edges(scene, robot, Q0, Q1, workers=2)                                # arrays in, arrays out

`pip install 'tocsin[ray]'` brings Ray; without `workers=` it is not needed. Answers are, bit by bit, those of
`scene.check_edges` and `scene.first_contacts`.
"""

from tocsin.cluster.edges import answer_edges, check_edges
from tocsin.cluster.job import Job

__all__ = ["Job", "answer_edges", "check_edges"]
