"""A safetensors file of one small tensor: a length, a header, and the numbers."""

import html
import json

import torch
from safetensors.torch import save

from .kit import CELL, Canvas, Drawing

NUMBERS = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def tensor_file() -> Drawing:
    """Draw the bytes of a file that holds one tensor of two rows, and how the tensor is found in it."""
    file = save({"w": NUMBERS})
    length = int.from_bytes(file[:8], "little")
    header = file[8 : 8 + length].decode()
    about = json.loads(header)["w"]
    begin, end = about["data_offsets"]
    canvas = Canvas(330)
    canvas.box(4, 8, 352, 44, "8 bytes: the length of the header", note=str(length), role="query")
    canvas.box(4, 60, 352, 84, f"{length} bytes: the header", role="key")
    cut = header.index('"data_offsets"')
    for y, words in ((106, header[:cut]), (128, header[cut:].replace(" ", "␣"))):
        style = {"text_anchor": "start", "class_": "code", "style": "font-size:13px"}
        canvas.add("text", html.escape(words, quote=False), x=16, y=y, **style)  # its underscore is no subscript
    canvas.box(4, 152, 352, 84, f"{end - begin} bytes: the numbers", role="value")
    cells = [f"{number:g}" for number in NUMBERS.flatten().tolist()]
    canvas.matrix(180 - 2 * 60, 188, [cells], "value", cell=60)
    canvas.line((180, 236), (180, 258))
    canvas.text(112, 294, "w =")
    canvas.matrix(136, 262, [[f"{n:g}" for n in row] for row in NUMBERS.tolist()], "value", cell=44)
    canvas.note(232, 262 + CELL + 5, "row after row")
    return canvas.finish(
        "The bytes of a safetensors file",
        f"First 8 bytes with the length of the header, {length}. Then the header, which says that 'w' has numbers of 4"
        f" bytes, the shape 2 by 2, and the bytes {begin} to {end} of what follows. Then the numbers 1, 2, 3 and 4,"
        " which fill the matrix row after row.",
    )
