"""Writes a language model of realistic shape with random weights: as much work for llama.cpp as a real one, and nobody's text.

`write(path, SHAPE)`; the weights are Q8_0, the vocabulary single bytes and words that no prompt holds, so that a byte of a
prompt is a token. What it writes is noise, never its own end, and the same each time.
"""

import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "fixtures"))

import gguf

Q8_0, BLOCK, BLOCK_BYTES = 8, 32, 34
FILE_TYPE = 7


class Shape(gguf.Shape):
    """The sizes of a model, and how many tokens it has."""

    def __init__(self, width: int, layers: int, inner: int, heads: int, kept_heads: int, words: int) -> None:
        super().__init__(width, layers, inner, heads, kept_heads)
        self.words = words


REALISTIC = Shape(width=512, layers=8, inner=1536, heads=8, kept_heads=4, words=32_000)  # 60 MB
TINY = Shape(width=64, layers=2, inner=128, heads=4, kept_heads=2, words=512)


def _noise(dice: random.Random, row: int, rows: int) -> bytearray:
    """Gives random weights as blocks of 32 numbers with one scale."""
    blocks = row * rows // BLOCK
    data = bytearray(dice.randbytes(blocks * BLOCK_BYTES))
    scale = struct.pack("<e", 0.2 / 128 * (64 / row) ** 0.5)
    data[0::BLOCK_BYTES] = scale[:1] * blocks
    data[1::BLOCK_BYTES] = scale[1:] * blocks
    return data


def _tensors(shape: Shape, tokens: int):
    """Gives every tensor: its name, its sizes with the row first, its type, its bytes."""
    dice = random.Random(7)
    width, head = shape.width, shape.width // shape.heads
    kept = head * shape.kept_heads
    yield "token_embd.weight", (width, tokens), Q8_0, _noise(dice, width, tokens)
    for layer in range(shape.layers):
        for name, row, rows in [
            ("attn_q", width, width),
            ("attn_k", width, kept),
            ("attn_v", width, kept),
            ("attn_output", width, width),
            ("ffn_gate", width, shape.inner),
            ("ffn_up", width, shape.inner),
            ("ffn_down", shape.inner, width),
        ]:
            yield "blk.%d.%s.weight" % (layer, name), (row, rows), Q8_0, _noise(dice, row, rows)
        for name in ("attn_norm", "ffn_norm"):
            yield "blk.%d.%s.weight" % (layer, name), (width,), 0, struct.pack("<%df" % width, *[1.0] * width)
    yield "output_norm.weight", (width,), 0, struct.pack("<%df" % width, *[1.0] * width)
    output = _noise(dice, width, tokens)
    # A special token weighs nothing, so that noise goes on until it is stopped.
    row = width // BLOCK * BLOCK_BYTES
    output[256 * row : (256 + len(gguf.SPECIALS)) * row] = bytes(len(gguf.SPECIALS) * row)
    yield "output.weight", (width, tokens), Q8_0, output


def write(path: Path, shape: Shape) -> None:
    """Writes the model."""
    words = ("word%d" % number for number in range(shape.words - 256 - len(gguf.SPECIALS)))
    tokens = [*gguf.byte_names(), *gguf.SPECIALS, *words]
    gguf.write(path, "random", shape, tokens, list(_tensors(shape, len(tokens))), form=FILE_TYPE)
