"""How distances are sorted into buckets: four for a small example, and the thirty-two of T5."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing

ROWS = ((4, 8, 12, 46, (0, 1, 2, 4, 8)), (32, 128, 144, 136, (0, 16, 32, 64, 128)))  # the last: where it ends, y, ticks
LEFT, LONG, HIGH = 10, 340, 32


def bucket_line() -> Drawing:
    """Draw the distances as a line, cut into buckets: near ones have a bucket each, and far ones share."""
    canvas = Canvas(206)
    for n_buckets, reach, end, y, ticks in ROWS:
        buckets = F.relative_buckets(1, end, n_buckets=n_buckets, max_distance=reach, bidirectional=False)
        buckets = buckets[0, ::-1]  # by distance
        unit = LONG / end
        canvas.text(LEFT, y - 14, f"{n_buckets} buckets", "bold", "start")
        for bucket in range(n_buckets):
            near, far = np.nonzero(buckets == bucket)[0][[0, -1]].tolist()
            place = {"x": LEFT + near * unit, "y": y, "width": (far + 1 - near) * unit, "height": HIGH}
            canvas.add("rect", **place, class_="cell weight", fill_opacity=(0.45, 0.15)[bucket % 2])
            if n_buckets == 4:
                canvas.text(place["x"] + place["width"] / 2, y + 21, f"R_{bucket}", size=13)
        for tick in ticks:
            canvas.note(LEFT + (tick + (n_buckets == 4) / 2) * unit, y + HIGH + 16, str(tick), anchor="middle")
    canvas.note(LEFT + LONG, 202, "distance", anchor="end")
    return canvas.finish(
        "Buckets of distances",
        "Two lines of distances, cut into buckets. With four buckets, the distances 0 and 1 have one each, 2 and 3"
        " share one, and all from 4 on share the last. With 32, the distances 0 to 15 have one each, and then the"
        " buckets get wider and wider, up to the last, which holds all from 113 on.",
    )
