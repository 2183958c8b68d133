"""Converts what train.py wrote to one GGUF file that llama.cpp, and so `pytead-tui model use`, reads.

    python to_gguf.py FOLDER OUT.gguf [--type f16|q8_0] [--name NAME]

For models of the Qwen3 kind, which both of train.py's are unless BASE was another. Smaller types than q8_0 are made from
its file by llama.cpp's own llama-quantize.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import gguf
import numpy as np
from safetensors import safe_open

TYPES = {"f16": gguf.GGMLQuantizationType.F16, "q8_0": gguf.GGMLQuantizationType.Q8_0}
FILE_TYPES = {"f16": gguf.LlamaFileType.MOSTLY_F16, "q8_0": gguf.LlamaFileType.MOSTLY_Q8_0}
#: Where each tensor of a layer goes.
LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
OUTSIDE = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}


def main() -> None:
    """Reads the command line and converts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--type", choices=sorted(TYPES), default="q8_0")
    parser.add_argument("--name", default="")
    given = parser.parse_args()
    config = json.loads((given.folder / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "qwen3":
        sys.exit(f"{given.folder} holds a model of the kind {config.get('model_type')!r}; only qwen3 is known here.")
    writer = gguf.GGUFWriter(given.out, "qwen3")
    describe(writer, config, given.name or given.folder.name, FILE_TYPES[given.type])
    vocabulary(writer, given.folder, config)
    count = tensors(writer, given.folder, config, TYPES[given.type])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    sys.stderr.write(f"{given.out}: {count} tensors, {given.out.stat().st_size:,} bytes\n")


def describe(writer: gguf.GGUFWriter, config: dict, name: str, kind: gguf.LlamaFileType) -> None:
    """Writes the model's sizes."""
    writer.add_name(name)
    writer.add_file_type(kind)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    rope = config.get("rope_parameters") or config
    writer.add_rope_freq_base(float(rope["rope_theta"]))


def vocabulary(writer: gguf.GGUFWriter, folder: Path, config: dict) -> None:
    """Writes tokens, merges, the chat's form."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    added = {one["content"]: one for one in tokenizer["added_tokens"]}
    known = dict(tokenizer["model"]["vocab"])
    known.update({name: one["id"] for name, one in added.items()})
    names = [f"[PAD{number}]" for number in range(config["vocab_size"])]
    kinds = [gguf.TokenType.UNUSED] * len(names)
    for name, number in known.items():
        names[number] = name
        special = name in added and added[name]["special"]
        plain = gguf.TokenType.USER_DEFINED if name in added else gguf.TokenType.NORMAL
        kinds[number] = gguf.TokenType.CONTROL if special else plain
    merges = [one if isinstance(one, str) else " ".join(one) for one in tokenizer["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(names)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    end = known["<|im_end|>"]
    writer.add_eos_token_id(end)
    writer.add_eot_token_id(end)
    writer.add_pad_token_id(known["<|endoftext|>"])
    writer.add_add_bos_token(False)
    template = folder / "chat_template.jinja"
    if template.exists():
        writer.add_chat_template(template.read_text(encoding="utf-8"))


def tensors(writer: gguf.GGUFWriter, folder: Path, config: dict, kind: gguf.GGMLQuantizationType) -> int:
    """Writes the weights: matrices in the type asked for, the rest as they are."""
    count = 0
    for path in sorted(folder.glob("*.safetensors")):
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 - this is no mapping
                if name == "lm_head.weight" and config.get("tie_word_embeddings"):
                    continue
                values = file.get_tensor(name).float().numpy()
                if values.ndim == 1:
                    writer.add_tensor(place(name), values.astype(np.float32))
                elif kind == gguf.GGMLQuantizationType.F16:
                    writer.add_tensor(place(name), values.astype(np.float16))
                else:
                    writer.add_tensor(place(name), gguf.quantize(values, kind), raw_dtype=kind)
                count += 1
    if not count:
        sys.exit(f"{folder} holds no .safetensors file.")
    return count


def place(name: str) -> str:
    """Names a tensor as llama.cpp does."""
    if name in OUTSIDE:
        return OUTSIDE[name]
    found = re.fullmatch(r"model\.layers\.(\d+)\.(.+)\.weight", name)
    if found is None or found.group(2) not in LAYER:
        sys.exit(f"{name} is no tensor of a qwen3 model.")
    return f"blk.{found.group(1)}.{LAYER[found.group(2)]}.weight"


if __name__ == "__main__":
    main()
