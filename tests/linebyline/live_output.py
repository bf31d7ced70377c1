"""Live models under test: their weights as the page reads them, and the node and scripts of the build."""

import base64
import re
from types import SimpleNamespace

import chapters
import numpy as np
from figure_output import FigureOutput


def unpack(model):
    """The weights as the page reads them."""
    data, offset, arrays = base64.b64decode(model["bytes"]), 0, {}
    for name, *shape in model["tensors"]:
        count = int(np.prod(shape))
        if len(shape) == 1:
            arrays[name] = np.frombuffer(data, "<f4", count, offset)
            offset += 4 * count
            continue
        codes = np.frombuffer(data, np.int8, count, offset).reshape(shape)
        scale = np.frombuffer(data, "<f4", shape[0], offset + count)[:, None]
        offset += count + 4 * shape[0]
        rows = codes.astype(np.float32) * scale
        arrays[name] = rows.T if ".w_" in name or name.endswith(".w") else rows
    assert offset == len(data)
    return arrays


def node_of(live, page_name):
    """The node that the book's build makes of the output, as MyST-NB calls for it."""
    data, metadata = live._repr_mimebundle_()
    output = SimpleNamespace(
        mime_type=live.mime_type, content=data[live.mime_type], output_metadata=metadata, cell_index=3, output_index=1
    )
    env = SimpleNamespace(docname=page_name, srcdir="")
    (node,) = FigureOutput.handle_mime(SimpleNamespace(renderer=SimpleNamespace(sphinx_env=env)), output, False)
    return node


def scripts_of(live, kind):
    """The scripts that a page names, in order: all of its kind's folder and the shared one, but one sort of block."""
    node = node_of(live, "book/toy")
    html = node.astext()
    assert list(node["files"]) == ["toy-figure-3-1.js"]
    key = re.search(r'data-key="(\w+)"', html)[1]
    assert f'data-weights="toy-figure-3-1.js?{key}"' in html
    web = chapters.ROOT / "book" / "_web"
    written = [path for folder in ("live", kind) for path in (web / folder).glob("*.js")]
    written.remove(web / "live" / ("post_norm.js" if "live/decoder.js" in html else "decoder.js"))
    sources = re.findall(r'<script defer src="([^"]+)">', html)
    assert sorted(sources) == sorted(f"../{path.relative_to(web).as_posix()}" for path in written)
    return sources
