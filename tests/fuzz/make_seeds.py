#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets anew: small whole files of every format, beside this script in seeds/.

Standard library alone, and libxxhash for the hashes of checkpoints; `make_seeds.py SGF`, with the path of the program, writes the mp4 file too. Inputs that ever broke something (broken/) are kept as
they were found, but for those of known shape, which are written here too.
"""

import ctypes
import gzip
import hashlib
import json
import pickle
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE.parent / "data"
ROOT = HERE.parent.parent


def put(place, name, content):
    folder = HERE / place
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(content, (dict, list)):
        content = json.dumps(content)
    (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def put_packed(place, name, content):
    put(place, name + ".gz", gzip.compress(content, 9, mtime=0))


def copy(target, *sources):
    for source in sources:
        folder = HERE / "seeds" / target
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / Path(source).name)


# --- weights ---------------------------------------------------------------------------------------------------------


def safetensors(tensors, metadata=None):
    header, data = {}, b""
    if metadata is not None:
        header["__metadata__"] = metadata
    for name, shape in tensors.items():
        size = 4
        for side in shape:
            size *= side
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += bytes(i % 251 for i in range(size))
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3(content):
    hash_of = ctypes.CDLL("libxxhash.so.0").XXH3_128bits
    hash_of.argtypes, hash_of.restype = [ctypes.c_char_p, ctypes.c_size_t], Hash128
    value = hash_of(content, len(content))
    return f"{value.high:016x}{value.low:016x}"


def hashed(tensors, metadata):
    """As sgf writes its checkpoints: see sgf/files/checkpoint_hashes.cpp."""
    data, sums, lines = safetensors(tensors), {}, []
    data = data[8 + struct.unpack("<Q", data[:8])[0]:]
    for name, shape in tensors.items():
        size = 4
        for side in shape:
            size *= side
        sums[name], data = xxh3(data[:size]), data[size:]
        lines.append(f"{len(name)} {name} F32 [{','.join(map(str, shape))}]\n")
    metadata = {**metadata, "sgf.tensor_hashes": json.dumps(sums, separators=(",", ":"), sort_keys=True)}
    text = "".join(f"{len(key)} {key} {len(value.encode())} {value}\n" for key, value in sorted(metadata.items()))
    metadata["sgf.header_hash"] = xxh3((text + "".join(sorted(lines))).encode())
    return safetensors(tensors, metadata)


DIT_CONFIG = json.loads((DATA / "wan/config.json").read_text())


def small_dit():
    d, f = 4, 8
    shapes = {
        "patch_embedding.weight": [d, 1, 1, 2, 2], "patch_embedding.bias": [d],
        "text_embedding.0.weight": [d, 3], "text_embedding.0.bias": [d],
        "text_embedding.2.weight": [d, d], "text_embedding.2.bias": [d],
        "time_embedding.0.weight": [d, 4], "time_embedding.0.bias": [d],
        "time_embedding.2.weight": [d, d], "time_embedding.2.bias": [d],
        "time_projection.1.weight": [6 * d, d], "time_projection.1.bias": [6 * d],
        "head.head.weight": [4, d], "head.head.bias": [4], "head.modulation": [1, 2, d],
        "blocks.0.modulation": [1, 6, d], "blocks.0.norm3.weight": [d], "blocks.0.norm3.bias": [d],
        "blocks.0.ffn.0.weight": [f, d], "blocks.0.ffn.0.bias": [f],
        "blocks.0.ffn.2.weight": [d, f], "blocks.0.ffn.2.bias": [d],
    }
    for part in ("self_attn", "cross_attn"):
        for name in "qkvo":
            shapes[f"blocks.0.{part}.{name}.weight"] = [d, d]
            shapes[f"blocks.0.{part}.{name}.bias"] = [d]
        for name in "qk":
            shapes[f"blocks.0.{part}.norm_{name}.weight"] = [d]
    return shapes


def weights():
    small = DATA / "weights"
    put("seeds/safetensors", "two.safetensors", safetensors({"a": [2, 3], "b.c": [1]}, {"format": "pt"}))
    put("seeds/safetensors", "empty.safetensors", safetensors({}))
    copy("safetensors", small / "dtypes.safetensors", small / "float4.safetensors")
    for name in ("state_dict", "nested", "views", "lone_tensor", "parameters", "with_settings", "zip64", "torchscript",
                 "streamed_zip", "protocol5", "evil", "deflated", "unknown_class"):
        copy("torch_zip", small / f"{name}.pt")
    for name in ("state_dict_legacy", "nested_legacy", "views_legacy", "evil_legacy"):
        copy("torch_legacy", small / f"{name}.pt")
    copy("weight_report", small / "with_settings.pt", small / "nested_legacy.pt")
    put("seeds/weight_report", "dit.safetensors", safetensors({"model." + k: v for k, v in small_dit().items()}))
    put("seeds/weight_report", "stamped.safetensors", safetensors(small_dit(), {
        "sgf.format_version": "1", "sgf.kind": "dit", "config": json.dumps(DIT_CONFIG),
        "sgf.study_training": json.dumps({"steps": 10, "config": "name: a"})}))
    put("seeds/weight_report", "umt5.safetensors", safetensors({
        "token_embedding.weight": [8, 4], "norm.weight": [4], "blocks.0.norm1.weight": [4], "blocks.0.norm2.weight": [4],
        "blocks.0.attn.q.weight": [4, 4], "blocks.0.attn.k.weight": [4, 4], "blocks.0.attn.v.weight": [4, 4],
        "blocks.0.attn.o.weight": [4, 4], "blocks.0.ffn.gate.0.weight": [8, 4], "blocks.0.ffn.fc1.weight": [8, 4],
        "blocks.0.ffn.fc2.weight": [4, 8], "blocks.0.pos_embedding.embedding.weight": [4, 2]}))
    put("seeds/weight_report", "vae.safetensors", safetensors({
        "encoder.conv1.weight": [2, 3, 3, 3, 3], "encoder.conv1.bias": [2], "decoder.conv1.weight": [2, 2, 3, 3, 3],
        "conv1.weight": [4, 4, 1, 1, 1], "conv2.weight": [2, 2, 1, 1, 1],
        "encoder.downsamples.0.residual.0.gamma": [2, 1, 1, 1],
        "encoder.downsamples.0.residual.2.weight": [2, 2, 3, 3, 3]}))
    put("seeds/weight_report", "vae_of_diffusers.safetensors", safetensors({
        "encoder.conv_in.weight": [2, 3, 3, 3, 3], "encoder.mid_block.attentions.0.to_qkv.weight": [6, 2, 1, 1],
        "decoder.conv_in.weight": [2, 2, 3, 3, 3], "quant_conv.weight": [4, 4, 1, 1, 1],
        "post_quant_conv.weight": [2, 2, 1, 1, 1], "encoder.down_blocks.0.norm1.gamma": [2, 1, 1, 1],
        "encoder.down_blocks.0.conv1.weight": [2, 2, 3, 3, 3],
        "decoder.up_blocks.0.resnets.1.conv2.weight": [2, 2, 3, 3, 3],
        "decoder.up_blocks.0.upsamplers.0.resample.1.weight": [1, 2, 3, 3]}))
    put("seeds/weight_report", "umt5_of_transformers.safetensors", safetensors({
        "shared.weight": [8, 4], "encoder.final_layer_norm.weight": [4],
        "encoder.block.0.layer.0.SelfAttention.q.weight": [4, 4],
        "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": [4, 2],
        "encoder.block.0.layer.1.DenseReluDense.wi_1.weight": [8, 4]}))
    put("seeds/checkpoint_file", "dit", safetensors({"a": [2]}, {"sgf.format_version": "1", "sgf.kind": "dit"}))
    put("seeds/checkpoint_file", "training", safetensors({}, {"sgf.format_version": "1", "sgf.kind": "training"}))
    put("seeds/checkpoint_file", "hashed", hashed({"a": [2], "b.c": [1, 3]},
                                                  {"sgf.format_version": "1", "sgf.kind": "training"}))
    put("seeds/checkpoint_file", "too_new", safetensors({}, {"sgf.format_version": "99", "sgf.kind": "dit"}))
    put("seeds/checkpoint_file", "of_others", safetensors({"a": [1]}, {"format": "pt"}))
    put("seeds/shard_index", "two.json", {"metadata": {"total_size": 24}, "weight_map": {
        "a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors",
        "c": "model-00002-of-00002.safetensors"}})
    put("seeds/shard_index", "elsewhere.json", {"weight_map": {"a": "../../etc/passwd"}})


def names():
    for i, name in enumerate(("generator_ema.model._fsdp_wrapped_module.blocks.12.self_attn.q.weight",
                              "transformer.blocks.0.attn1.to_q.weight", "condition_embedder.time_proj.weight",
                              "memory_blocks.0.ffn.0.weight", "model-00001-of-00003.safetensors",
                              "a red disc-0.mp4", "head.head.bias")):
        put("seeds/weight_names", f"{i}", name)


def loras():
    def pair(module, down=".lora_A.weight", up=".lora_B.weight"):
        return {module + down: [2, 4], module + up: [4, 2]}

    peft = "base_model.model.blocks.0.self_attn.q"
    put("seeds/lora_file", "peft.safetensors", safetensors(pair(peft)))
    put("seeds/lora_file", "longlive.safetensors", safetensors({
        **pair("generator_lora." + peft), **pair("critic_lora." + peft)}))
    put("seeds/lora_file", "diffusers.safetensors", safetensors(
        pair("transformer.blocks.0.attn1.to_q"), {"lora_adapter_metadata": '{"transformer.r": 2}'}))
    kohya = "lora_unet_blocks_0_ffn_2"
    put("seeds/lora_file", "kohya.safetensors", safetensors({
        **pair(kohya, ".lora_down.weight", ".lora_up.weight"), kohya + ".alpha": []}))
    comfy = "diffusion_model.blocks.0.self_attn.q"
    put("seeds/lora_file", "comfy.safetensors", safetensors({
        **pair(comfy), comfy + ".diff_b": [4], "diffusion_model.blocks.0.norm3.diff": [4]}))
    put("seeds/lora_file", "half.safetensors", safetensors({peft + ".lora_A.weight": [2, 4]}))
    put("seeds/adapter_config", "peft.json", {
        "peft_type": "LORA", "r": 4, "lora_alpha": 8, "use_rslora": True, "rank_pattern": {"self_attn.q": 2},
        "alpha_pattern": {"blocks.0.ffn.2": 1.5}, "init_lora_weights": True, "use_dora": False})
    for i, name in enumerate((peft + ".lora_A.default.weight", kohya + ".alpha", comfy + ".diff_b",
                              "transformer.condition_embedder.time_proj.lora.up.weight")):
        put("seeds/lora_names", f"{i}", name)
    put("seeds/model_index", "wan.json", {
        "_class_name": "WanPipeline", "transformer": ["diffusers", "WanTransformer3DModel"],
        "transformer_2": [None, None]})


def pickles():
    values = {"text": "b", "list": [1, 2.5, None, True], "nested": {"a": (1, 2, 3, 4)}, "long": 1 << 80, "bytes": b"ab"}
    for protocol in (0, 2, 4, 5):
        put("seeds/pickle", f"protocol{protocol}", pickle.dumps(values, protocol))
    shared = [1]
    put("seeds/pickle", "shared", pickle.dumps({"a": shared, "b": shared}, 2))
    storage = (b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQ")
    put("seeds/pickle", "tensor", b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n(" + storage +
        b"K\x00K\x02K\x03\x86K\x03K\x01\x86\x89ccollections\nOrderedDict\n)RtRs.")


# --- JSON, YAML and text ---------------------------------------------------------------------------------------------


def hashes(count):
    return [hashlib.sha256(bytes([i])).hexdigest() for i in range(count)]


def studies():
    left, right = hashes(2)
    study = hashlib.sha256(f"sgf compare, version 1\n{left} {right}\n".encode()).hexdigest()
    put("seeds/rater_answers", "one.json", {"sgf_compare": 1, "study": study, "rater": "Ann", "pairs": [
        {"left": left, "right": right, "answer": "left"}]})
    put("seeds/study_key", "one.json", {"sgf_compare_key": 1, "study": study, "names": ["A", "B"], "seed": 3, "pairs": [
        {"left": left, "right": right, "a_is_left": True, "caption": "a red disc", "a": "a/1.mp4", "b": "b/1.mp4"}]})
    copy("study_recipe", ROOT / "recipes/world-small/study.yaml")
    put("seeds/study_recipe", "small.yaml", "name: s\nchunkwise: {config: world-tiny, student: s.safetensors, "
        "teacher: t.safetensors, steps: 10, seeds: 2, sinks: [0, 3]}\nevaluation:\n  prompts: 40\n"
        "  segments: [1, 3]\n  horizons: [1, 3]\nanalysis: {resamples: 500, headline: [valid]}\n")
    put("broken/study_recipe", "largest_seeds.yaml", "name: s\nchunkwise: {seeds: 9223372036854775807}\n"
        "framewise: {seeds: 1}\n")
    recipe = (HERE / "targets/arm_file.cpp").read_text().split('R"(', 1)[1].split(')";', 1)[0]
    metrics = ("valid identity_error landmark_drift background_drift rerender_error hue_drift size_drift pattern_error "
               "presence count_right colour_error background_error motion motion_energy sharpness").split()
    scores = {metric: [[0.5, None]] for metric in metrics}
    arm = {"format": 1, "recipe_sha256": hashlib.sha256(recipe.encode()).hexdigest(), "arm": "chunkwise-sgf-1",
           "prompts": {"seed": 1, "first": 0, "count": 2}, "segments": [1], "config": "", "scores": scores,
           "seconds": 7, "device": "cpu", "sinks": [{"sink": 0, "scores": scores}], "recovery": [{"exit": 1}],
           "probe": [{"layer": "0"}], "weights": {"file": "w", "sha256": left},
           "training": {"steps": 10, "config": "", "exits_sha256": "e", "student_sha256": "s", "teacher_sha256": "t"}}
    put("seeds/arm_file", "whole.json", arm)
    put("seeds/arm_file", "scores.json", {**scores, "config": ""})
    put("broken/arm_file", "all_but_zero.json", {**scores, "valid": [[1e-310, 1]], "config": ""})


def manifests():
    order = {"format": "sgf ode pairs 1", "stage": "causal_ode", "teacher": "t", "data": "world", "negative_prompt": "",
             "dtype": "float32", "seed": 1, "guidance": 6.0, "steps": 48, "shift": 5.0, "timesteps": [1000.0, 500.0],
             "latent": [3, 4, 4, 4], "context": "blocks of 3", "count": 4, "per_shard": 4}
    shard = {"format": "sgf ode pairs 1", "file": "shard_000000.safetensors", "first": 0, "count": 4, "bytes": 8,
             "sha256": hashes(1)[0]}
    put("seeds/pair_manifest", "order.json", order)
    put("seeds/pair_manifest", "mark.json", shard)
    put("seeds/pair_manifest", "manifest.json", {"format": "sgf ode pairs 1", "order": order, "shards": [shard]})
    put("broken/pair_manifest", "largest_count.json", {**order, "count": (1 << 63) - 1, "per_shard": 1})
    put("broken/pair_manifest", "largest_both.json", {**order, "count": (1 << 63) - 1, "per_shard": (1 << 63) - 1})
    clips = {"format": "sgf clips 1", "vae": "v", "text_encoder": "t", "dtype": "bfloat16", "frames": 81, "height": 480,
             "width": 832, "fps": 16.0, "stride": 0, "latent": [21, 16, 60, 104], "text_len": 512, "text_dim": 4096,
             "negative_prompt": ""}
    video = {"format": "sgf clips 1", "name": "a.mp4", "bytes": 100, "changed": 1, "sha256": hashes(1)[0],
             "caption": "a cat", "clips": 1, "shard_bytes": 8, "shard_sha256": hashes(1)[0]}
    left_out = {**{k: video[k] for k in ("name", "bytes", "changed", "sha256", "caption")}, "name": "b.mp4",
                "problem": "too short"}
    put("seeds/clip_manifest", "mark.json", video)
    put("seeds/clip_manifest", "left_out.json", {"format": "sgf clips 1", **left_out})
    put("seeds/clip_manifest", "manifest.json", {"format": "sgf clips 1", "order": clips, "prompts_sha256": hashes(1)[0],
                                                 "videos": [video, left_out]})
    put("seeds/world_manifest", "two.json", {"world": "world-tiny", "seed": 7, "frames": 12, "fps": 16.0, "clips": [
        {"file": "clip_00000.mp4", "caption": "a slow red disc on a grey field"},
        {"file": "clip_00001", "caption": "a fast blue square on a grey field"}]})


def masked_crc32c(content):
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def event_record(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked_crc32c(length)) + payload + struct.pack("<I", masked_crc32c(payload))


def runs():
    put("seeds/metrics_log", "three.jsonl", '{"step":1,"critic_loss":0.25,"generator_loss":null,"non_finite":'
        '["generator_loss"]}\n{"step":2,"critic_loss":1e-7}\n{"step":30,"critic_loss":3}\n')
    put("seeds/metrics_log", "torn.jsonl", '{"step":1,"loss":0.25}\n{"step":2,"lo')
    history = {"norms": [0.5, 1.25, 0.7], "applied": 3, "skipped": 1, "skipped_in_a_row": 0}
    put("seeds/gradient_history", "short.json", history)
    put("seeds/gradient_history", "judging.json", {"norms": [0.5 + 0.25 * i for i in range(24)], "applied": 24,
                                                   "skipped": 9, "skipped_in_a_row": 9})
    put("seeds/gradient_history", "most.json", {"norms": [], "applied": 1 << 53, "skipped": 1 << 53,
                                                "skipped_in_a_row": 1 << 53})
    put("broken/gradient_history", "largest_count.json", {**history, "applied": (1 << 63) - 1})
    records = event_record(b"brain.Event:2") + event_record(b"") + event_record(bytes(range(40)))
    put("seeds/event_records", "three", records)
    put("seeds/event_records", "torn", records[:-9])
    source = {"given": "runs/teacher", "file": "/runs/teacher/checkpoints/step_00000010/generator.safetensors",
              "identity": hashes(1)[0], "step": 10}
    put("seeds/run_facts", "two_starts.json", [{"build": "0.1.0", "command": ["sgf", "train"]},
                                               {"sources": {"dmd.teacher": source, "train.start_from": source}}])
    put("seeds/checkpoint_mark", "whole.json", {"step": 10, "files": {"generator.safetensors": 8}})
    mark = {"files": {"generator.safetensors": 8}, "hashes": {"generator.safetensors": xxh3(b"12345678")}, "step": 10}
    put("seeds/checkpoint_mark", "hashed.json", {**mark, "hash": xxh3(json.dumps(mark, separators=(",", ":")).encode())})
    put("seeds/checkpoint_mark", "rotten.json", {**mark, "hashes": {"generator.safetensors": "0" * 32}})
    put("seeds/checkpoint_mark", "cut_off.json", {"step": 10, "files": {"generator.safetensors": 9, "ema": 1}})
    put("seeds/score_cache", "kept.json", {"key": {"metric": "dynamic_degree", "video": "sha"}, "value": {"score": 0.5}})
    put("seeds/score_cache", "another.json", {"key": {"metric": "other"}, "value": 1})
    copy("wan_config", DATA / "wan/config.json")
    put("seeds/wan_config", "whole.json", {"_class_name": "WanModel", "dim": 1536, "eps": 1e-06, "ffn_dim": 8960,
        "freq_dim": 256, "in_dim": 16, "model_type": "t2v", "num_heads": 12, "num_layers": 30, "out_dim": 16,
        "text_len": 512, "patch_size": [1, 2, 2], "text_dim": 4096, "qk_norm": True, "cross_attn_norm": True,
        "window_size": [-1, -1]})
    note = {"order": 1, "config": "name: a\n", "model": "m", "model_identity": hashes(1)[0], "wan": "", "seed": 7,
            "prompts": [{"at": 0.0, "prompt": "a red disc"}, {"at": 20.5, "prompt": "a blue one"}], "negative": "",
            "guidance": 1.0, "switch": "keep", "image": "", "video": "", "build": "0.1.0", "number": 0, "enlarge": 1,
            "crf": 16, "save_every": 0}
    put("seeds/video_note", "order.json", note)
    put("seeds/video_note", "loras.json", {**note, "order": 2, "loras": [{"file": "/a/lora.pt", "scale": 0.8, "identity": "ab"}]})
    put("seeds/video_note", "whole_config.json", {**note, "config": (ROOT / "presets/world-tiny.yaml").read_text()})
    places = {"pictures": {"pictures": 12, "bytes": 3456}, "latents": {"pictures": 3, "bytes": 0}}
    words = json.dumps(note) + "\n" + json.dumps(places)
    put("seeds/stream_words", "small", words)
    put("seeds/stream_words", "whole_config", json.dumps({**note, "config": (ROOT / "presets/world-tiny.yaml").read_text()}) +
        "\n" + json.dumps(places))
    put("broken/stream_words", "first_prompt_is_late", words.replace('"at": 0.0', '"at": 8.0'))
    put("broken/stream_words", "more_than_63_bits", words.replace("3456", str((1 << 64) - 1)))
    put("seeds/stream_state", "small", safetensors({"latents.counters": [3]}, {
        "sgf.format_version": "1", "sgf.kind": "stream", "order": json.dumps(note), "places": json.dumps(places)}))
    put("seeds/stream_state", "hashed", hashed({"latents.counters": [3]}, {
        "sgf.format_version": "1", "sgf.kind": "stream", "order": json.dumps(note), "places": json.dumps(places)}))
    put("seeds/video_lock", "order.json", note)
    put("seeds/video_lock", "whole_config.json", {**note, "config": (ROOT / "presets/world-tiny.yaml").read_text()})
    put("seeds/video_lock", "empty", "")
    put("seeds/video_lock", "of_others", "# This file is automatically @generated by Cargo.\nversion = 4\n")
    put("seeds/latent_note", "finished", safetensors({"latents": [1, 2, 1, 1]}, {"fps": "16", "note": json.dumps(note)}))
    put("seeds/latent_note", "cut_off", safetensors({"latents": [1, 2, 1, 1]}, {"note": "a"})[:60])
    put("seeds/prompt_book", "vbench.json", {"a.mp4": "a red disc"})
    put("seeds/prompt_book", "info.json", [{"prompt_en": "a red disc", "video_list": ["v/a.mp4", "v/b.mp4"]}])
    put("seeds/prompt_book", "generate.json", {"videos": [{"file": "a.mp4", "prompt": "a red disc"}]})
    put("seeds/prompt_book", "world.json", {"world": "world-tiny", "clips": [{"file": "a.mp4", "caption": "a disc"}]})
    put("seeds/eval_results", "vbench.json", {"scene": [0.55, [{"video_path": "a.mp4"}]], "color": 0.9,
                                              "overall consistency": [0.2]})
    put("seeds/eval_results", "ours.json", {"format": "sgf-eval 1", "protocol": "vbench", "labels": {
        "init": "TF init", "method": "SGF", "horizon": "60s", "setting": "sink"}, "totals": {
            "scene": {"value": 0.5}, "world_valid": {"value": 0.25}, "color": {"value": None}}})
    put("broken/eval_results", "protocol_is_a_number.json", {"protocol": 3, "totals": {"scene": {"value": 0.5}}})
    put("seeds/bench_lines", "two.jsonl", '{"item":"step","device":"cpu","dtype":"float32","shape":"x","p50_ms":2.0}\n'
        '{"item":"memory","bytes":7}\n')


def configs():
    for preset in ("tiny", "world-tiny", "wan-1.3b", "world-small-demo"):
        copy("config_yaml", ROOT / f"presets/{preset}.yaml")
        copy("config_tree", ROOT / f"presets/{preset}.yaml")
    put("seeds/config_yaml", "text.yaml", 'name: a\ndescription: "tab\\t quote \\" \\u2028 é"\nnegative_prompt: \'no\'\n'
        "train: {stage: dmd, steps: 3}\noptimiser: {learning_rate: 1.0e-5}\n")
    put("seeds/config_tree", "overrides", "model.dim=96\nrun.seed=7\nlr=1e-5\nmodel={dim: 3, patch_size: [1, 2, 2]}\n")
    put("seeds/config_tree", "refused", "a: &x 1\nb: *x\nc: !!str 3\n<<: {d: 1}\n---\ne: |\n  text\n")
    for flat in ("flat_world", "self_forcing_dmd", "self_gradient_forcing_chunkwise", "teacher_forcing", "causal_cd_framewise",
                 "causal_ode_chunkwise", "longlive_train_init", "longlive_inference", "longlive2_inference",
                 "self_forcing_plus_dmd", "self_forcing_14b_dmd", "wan_causal_ode", "reward_forcing"):
        copy("flat_config", DATA / f"configs/{flat}.yaml")
        copy("config_file", DATA / f"configs/{flat}.yaml")
    put_packed("broken/config_tree", "deep_override", b"a." * 50_000 + b"a=1\n")
    put("broken/flat_config", "empty_shape.yaml", "image_or_video_shape: []\n")
    put("broken/flat_config", "largest_sink.yaml", "real_name: x\nmodel_kwargs: {sink_size: 9223372036854775807}\n")
    put("broken/flat_config", "kwargs_is_text.yaml", "trainer: diffusion\nteacher_forcing: true\nmodel_kwargs: text\n")
    put("broken/flat_config", "least_frames.yaml", "image_or_video_shape: [1, -9223372036854775808, 1, 1, 1]\n")
    put("broken/flat_config", "infinite_time.yaml", "real_name: x\nts_schedule: false\nmin_score_timestep: 1.0e308\n")
    put("seeds/config_file", "based.yaml", "base: tiny\nname: a\ntrain: {stage: dmd}\n")
    put("seeds/config_file", "two_bases.yaml", "base: [tiny, wan-1.3b]\nname: a\n")
    put("seeds/config_file", "itself.yaml", "base: outside\n")


def texts():
    put("seeds/caption_beside", "plain.txt", "a red disc\n")
    put("seeds/caption_beside", "marked.txt", b"\xef\xbb\xbfein gr\xc3\xbcner Kreis\r\n")
    put("seeds/caption_beside", "empty.txt", "")
    put("seeds/caption_beside", "not_utf8.txt", b"caf\xe9")
    put("seeds/captions", "map.json", {"a.mp4": "a cat", "b.mp4": "a \"dog\", running"})
    put("seeds/captions", "list.json", [{"file": "a.mp4", "caption": "a cat"}, {"video": "b.mp4", "text": "a dog"}])
    put("seeds/captions", "lines.jsonl", '{"file_name":"a.mp4","prompt":"a cat"}\n{"path":"b","caption":" a dog "}\n')
    put("seeds/captions", "table.csv", 'file,id,caption\na.mp4,1,a cat\nb.mp4,2,"a ""dog"", running\nfast"\n')
    put("seeds/prompt_list", "three.txt", "\ufeffa red disc\r\n\r\n  a blue one, 黒い猫\nthe last\n")
    put("broken/prompt_list", "lone_return.txt", "a red disc\ra blue one\n")
    put("seeds/prompt_list", "script.txt", "# a change\n0:00 a red disc\n0:20.5 a dog runs into the sea\n1:02:03 end\n")
    put("seeds/world_caption", "one", "a fast red disc on a grey field")
    put("seeds/world_caption", "two", "a fast red disc and a slow blue square on a navy field")
    samples = [case["text"] for case in json.loads((DATA / "text/prompt_cleaning.json").read_text())["cases"]]
    for target in ("prompt_cleaning", "html_unescape", "mojibake", "nfc", "tokenizer_text"):
        for i, sample in enumerate(samples[::max(1, len(samples) // 24)]):
            put(f"seeds/{target}", f"{i:03}", sample.encode("utf-8", "surrogatepass"))
    put("seeds/html_unescape", "entities", "&eacute; &EACUTE; &#233; &#xe9 &notit; &amp;amp;lt; &#0; &#x80; &#1114112;")
    put("seeds/mojibake", "layers", "Ã©tÃ© â€œquotedâ€\u009d Ã\u0083Â© ðŸ˜€ l&apos;Ã la")
    put("seeds/nfc", "marks", "e\u0301 a\u0323\u0302 \u1100\u1161\u11a8 \u212b \u0f71\u0f72 \U0001d15e")
    put("seeds/shown_text", "plain", "a plain text")
    put("seeds/shown_text", "escapes", "\x1b[31mred\x1b]0;title\x07\r\n<b>'\"&\\ \u2028 é \x80".encode())
    copy("spiece_model", DATA / "text/plain_unigram.model")
    put("seeds/spiece_model", "smallest.model", smallest_spiece())
    for name, value in {"object": {"a": [1, -2.5e10, None, True], "b": {"c": "é\n\u2028"}}, "list": [[], {}, ""]}.items():
        put("seeds/strict_json", f"{name}.json", value)
    put("seeds/strict_json", "twice.json", '{"a":1,"a":2}')
    put("seeds/strict_json", "numbers.json", "[0,-0,1e5,1E-400,18446744073709551615,-9223372036854775808,1.5]")


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def message(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def smallest_spiece():
    def piece(text, score, kind):
        return message(1, message(1, text.encode()) + b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([kind]))

    pieces = [("<pad>", 0, 3), ("</s>", 0, 3), ("<unk>", 0, 2), ("\u2581", -2, 1), ("a", -3, 1), ("\u2581a", -1, 1),
              ("disc", -4, 4)]
    trie = struct.pack("<I", 1024) + bytes(1024) + b"x\0"
    return (b"".join(piece(*p) for p in pieces) + message(2, b"\x18\x01") + message(3, message(2, trie) + b"\x18\x01"))


# --- pictures and videos ---------------------------------------------------------------------------------------------


def png(width, height, depth, colour, rows, palette=b"", interlace=0, claim=None):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", *(claim or (width, height)), depth, colour, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + (chunk(b"PLTE", palette) if palette else b"") +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def pictures():
    put("seeds/png", "rgb.png", png(2, 2, 8, 2, b"\0abcdef\2ghijkl"))
    put("seeds/png", "filters.png", png(2, 5, 8, 2, b"".join(bytes([f]) + b"abcdef" for f in range(5))))
    put("seeds/png", "grey16.png", png(1, 1, 16, 0, b"\0ab"))
    put("seeds/png", "grey1.png", png(9, 1, 1, 0, b"\0\xaa\x80"))
    put("seeds/png", "palette4.png", png(3, 1, 4, 3, b"\0\x01\x20", b"abcdefghi"))
    put("seeds/png", "rgba.png", png(1, 1, 8, 6, b"\1abcd"))
    put("seeds/png", "interlaced.png", png(1, 1, 8, 2, b"\0abc", interlace=1))
    put("broken/png", "claims_eight_gigabytes.png", png(1, 1, 8, 2, b"", claim=(32768, 32768)))
    put("broken/png", "claims_the_largest_size.png", png(1, 1, 16, 6, b"", claim=(0x7fffffff, 0x7fffffff)))
    put("seeds/y4m", "ours.y4m", b"YUV4MPEG2 W3 H2 F16000:1000 Ip A1:1 C420jpeg XCOLORRANGE=LIMITED XSGF=0123456789abcdef\n" +
        b"FRAME\n0123456789")
    put("seeds/y4m", "two.y4m", b"YUV4MPEG2 W3 H2 F16:1 Ip A1:1 C420mpeg2 XYSCSS=420MPEG2\n" + b"FRAME\n0123456789" * 2)


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind + content


def boxes():
    head = box(b"ftyp", b"isom\0\0\2\0") + box(b"moov", box(b"mvhd", bytes(20)) + box(b"udta", box(b"meta", b"words")))
    fragment = box(b"moof", box(b"mfhd", bytes(4) + struct.pack(">I", 1)) +
                   box(b"traf", box(b"trun", bytes(4) + struct.pack(">I", 8)))) + box(b"mdat", b"pictures")
    put("seeds/mp4_boxes", "grown.mp4", head + fragment + fragment[:20])
    put("seeds/mp4_boxes", "long_size.mp4", box(b"ftyp", b"isom") + struct.pack(">I", 1) + b"moov" +
        struct.pack(">Q", 16 + 8) + box(b"uuid", b""))
    put("seeds/mp4_boxes", "to_the_end.mp4", box(b"ftyp", b"isom") + struct.pack(">I", 0) + b"moov" + box(b"trak", b""))


def videos(sgf):
    folder = HERE / "seeds/video_file"
    folder.mkdir(parents=True, exist_ok=True)
    run = [sgf, "generate", "--model", "world-small", "--seconds", "0.3", "--overwrite", "--out"]
    subprocess.run([*run, folder / "grown.mp4"], check=True, cwd=ROOT)
    video = (folder / "grown.mp4").read_bytes()
    root = str(ROOT.resolve()).encode()  # in the note, at a length that its box counts
    put("seeds/video_file", "grown.mp4", video.replace(root, b"/" + b"p" * (len(root) - 1)))
    put("seeds/video_file", "raw.y4m", b"YUV4MPEG2 W4 H2 F16:1 Ip A1:1 C420mpeg2\n" + b"FRAME\n0123456789ab" * 2)
    picture = b"\x21\xf9\x04\0\x0a\0\0\0\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0"
    put("seeds/video_file", "two.gif", b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff" + picture * 2 + b"\x3b")


# --- what is known to have broken something --------------------------------------------------------------------------


def known_breaks():
    deep_list = b"[" * 500_000 + b"]" * 500_000
    deep_object = b'{"a":' * 150_000 + b"1" + b"}" * 150_000
    for target in ("strict_json", "captions", "pair_manifest", "clip_manifest", "video_note", "rater_answers", "study_key",
                   "checkpoint_mark", "run_facts", "score_cache", "arm_file", "wan_config", "shard_index", "metrics_log",
                   "prompt_book", "eval_results", "bench_lines", "world_manifest", "gradient_history",
                   "adapter_config", "model_index"):
        put_packed(f"broken/{target}", "deep_list.json", deep_list)
        put_packed(f"broken/{target}", "deep_object.json", deep_object)
    put_packed("broken/pair_manifest", "deep_value.json",
               b'{"format":"sgf ode pairs 1","order":' + deep_object + b"}")
    put_packed("broken/pair_manifest", "deep_format.json", b'{"format":' + b"[" * 400_000 + b"]" * 400_000 + b"}")
    put_packed("broken/run_facts", "deep_sources.json", b'[{"sources":' + deep_object + b"}]")
    put_packed("broken/video_note", "deep_prompts.json", b'{"seed":1,"prompts":[{"prompt":"a","at":' + deep_object +
               b"}]}")
    put_packed("broken/arm_file", "deep_config.json", b'{"config":"","sinks":' + b"[" * 400_000 + b"]" * 400_000 + b"}")
    for target in ("config_yaml", "config_tree", "flat_config", "config_file", "study_recipe"):
        put_packed(f"broken/{target}", "deep_list.yaml", b"[" * 500_000 + b"]" * 500_000)
        put_packed(f"broken/{target}", "deep_mapping.yaml", b"{a: " * 200_000 + b"}" * 200_000)
    put_packed("broken/captions", "long_list.json",
               json.dumps([{"file": f"{i}.mp4", "caption": "a"} for i in range(25_000)]).encode())
    long_header = json.dumps({"__metadata__": {"sgf.format_version": "1", "config": "[" * 500_000}}).encode()
    put_packed("broken/weight_report", "deep_config.safetensors", struct.pack("<Q", len(long_header)) + long_header)


def main():
    weights()
    names()
    loras()
    pickles()
    studies()
    manifests()
    runs()
    configs()
    texts()
    pictures()
    boxes()
    if len(sys.argv) > 1:
        videos(sys.argv[1])
    known_breaks()


if __name__ == "__main__":
    main()
