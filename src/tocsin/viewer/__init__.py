"""Pictures of answers: in a browser with a server, as one HTML page without one, and as a PNG without a screen.

All three are faces of one `Film`, which is computed once from a scene, motions and their `FirstContact`. `report` is
for the file of a safety engineer: what was proven of a program, on paper.
"""

from tocsin.viewer.film import Film, shoot
from tocsin.viewer.page import save_page
from tocsin.viewer.picture import save_picture
from tocsin.viewer.report import save_report
from tocsin.viewer.server import view

__all__ = ["Film", "save_page", "save_picture", "save_report", "shoot", "view"]
