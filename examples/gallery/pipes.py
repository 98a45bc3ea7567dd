"""An arm among pipes, 38,000 triangles, by the second engine: equations and intervals, as in the 2004 paper."""

import tocsin
from tocsin_bench.scenes import arm_scenes

task = arm_scenes.task("pipes")
scene, arm = task.scene, task.arm
moves = arm_scenes.motions(task, degrees=60.0, count=12, seed=3)
move = max((m for m in moves if not scene.is_free(m)), key=lambda m: scene.first_contact(m).time)
hit = scene.first_contact(move, method="interval")
title = "An arm among pipes, by intervals"
tocsin.save_page("pipes.html", scene, move, hit=hit, title=title)
tocsin.save_picture("pipes.png", scene, move, hit=hit, title=title)
