"""Writes a language model of realistic shape with random weights: as much work for llama.cpp as a real one, and nobody's text.

`write(path, SHAPE)`; the weights are Q8_0, the vocabulary single bytes and words that no prompt holds, so that a byte of a
prompt is a token. What it writes is noise, never its own end, and the same each time.
"""

import random
import struct
from pathlib import Path

U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5
Q8_0, BLOCK, BLOCK_BYTES = 8, 32, 34
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


class Shape:
    """The sizes of a model."""

    def __init__(self, width: int, layers: int, inner: int, heads: int, kept_heads: int, words: int) -> None:
        self.width, self.layers, self.inner = width, layers, inner
        self.heads, self.kept_heads, self.words = heads, kept_heads, words


REALISTIC = Shape(width=512, layers=8, inner=1536, heads=8, kept_heads=4, words=32_000)  # 60 MB
TINY = Shape(width=64, layers=2, inner=128, heads=4, kept_heads=2, words=512)


def _bytes() -> list:
    """The visible characters that byte-level vocabularies write bytes as."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


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
    output[256 * row : (256 + len(SPECIALS)) * row] = bytes(len(SPECIALS) * row)
    yield "output.weight", (width, tokens), Q8_0, output


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _pack(kind: int, value: object) -> bytes:
    return _text(value) if kind == STRING else struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def write(path: Path, shape: Shape) -> None:
    """Writes the model."""
    tokens = [*_bytes(), *SPECIALS, *("word%d" % number for number in range(shape.words - 256 - len(SPECIALS)))]
    kinds = [1] * 256 + [3] * len(SPECIALS) + [1] * (len(tokens) - 256 - len(SPECIALS))
    end = tokens.index("<|im_end|>")
    keys = [
        ("general.architecture", STRING, "llama"),
        ("general.name", STRING, "random"),
        ("llama.context_length", U32, 1 << 16),
        ("llama.embedding_length", U32, shape.width),
        ("llama.block_count", U32, shape.layers),
        ("llama.feed_forward_length", U32, shape.inner),
        ("llama.attention.head_count", U32, shape.heads),
        ("llama.attention.head_count_kv", U32, shape.kept_heads),
        ("llama.attention.layer_norm_rms_epsilon", F32, 1e-6),
        ("llama.rope.dimension_count", U32, shape.width // shape.heads),
        ("llama.vocab_size", U32, len(tokens)),
        ("general.file_type", U32, 7),
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", STRING, tokens),
        ("tokenizer.ggml.token_type", I32, kinds),
        ("tokenizer.ggml.merges", STRING, ["Ā Ā"]),
        ("tokenizer.ggml.bos_token_id", U32, tokens.index("<|endoftext|>")),
        ("tokenizer.ggml.eos_token_id", U32, end),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
        ("tokenizer.chat_template", STRING, CHATML),
    ]
    tensors = list(_tensors(shape, len(tokens)))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for key, kind, value in keys:
        head += _text(key)
        if isinstance(value, list):
            head += struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(_pack(kind, item) for item in value)
        else:
            head += struct.pack("<I", kind) + _pack(kind, value)
    at = 0
    for name, sizes, kind, data in tensors:
        head += _text(name) + struct.pack("<I%dQIQ" % len(sizes), len(sizes), *sizes, kind, at)
        at += len(data) + -len(data) % 32
    with open(path, "wb") as out:
        out.write(head + bytes(-len(head) % 32))
        for _, _, _, data in tensors:
            out.write(data)
            out.write(bytes(-len(data) % 32))
