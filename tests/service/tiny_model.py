"""A tiny translation model that really works: CTranslate2 weights, set by hand, that translate piece by piece.

The transformer has one layer and does one thing. Token and position are one-hot in separate parts of each vector, so
all vectors are alike to the layer norms. The decoder's attention compares positions and so looks at the piece it is to
translate; the attention's value is that piece's token; the last projection is the dictionary. A piece without an entry
is copied, so any other word passes through letter by letter. Past the last piece attention rests on the end of
sentence, which so comes out again and again, as it does in models that were trained.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import sentencepiece
from ctranslate2.specs import TransformerSpec

WORDS = {
    "the": "das",
    "house": "Haus",
    "is": "ist",
    "big": "groß",
    "and": "und",
    "water": "Wasser",
    "we": "wir",
}
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüß0123456789.,;:!?'-()[]"
SPECIAL = ("<unk>", "<s>", "</s>")
POSITIONS = 256
SHARP = 60.0


def build_argos(folder: Path, words: Mapping[str, str] = WORDS, *, pair: tuple[str, str] = ("en", "de")) -> Path:
    """Write an Argos package: one vocabulary of pieces for both languages."""
    (folder / "model").mkdir(parents=True)
    pieces = _pieces([*words, *words.values()])
    (folder / "sentencepiece.model").write_bytes(pieces)
    vocabulary = _vocabulary(pieces)
    _write(folder / "model", vocabulary, vocabulary, words, adds_eos=True)
    about = {"package_version": "1.0", "from_code": pair[0], "to_code": pair[1]}
    (folder / "metadata.json").write_text(json.dumps(about), "utf-8")
    return folder


def build_opus(
    folder: Path,
    words: Mapping[str, str] = WORDS,
    *,
    adds_eos: bool = False,
    tokens: Sequence[str] = (),
    mute: bool = False,
) -> Path:
    """Write an OPUS-MT conversion: pieces for each language; *tokens* such as `>>deu<<` come out as "deu:".

    A *mute* model ends every sentence at once.
    """
    folder.mkdir(parents=True)
    source, target = (
        _pieces(list(words)),
        _pieces([*words.values(), *(token[2:-2] + ":" for token in tokens)]),
    )
    (folder / "source.spm").write_bytes(source)
    (folder / "target.spm").write_bytes(target)
    entries = {**words, **{token: token[2:-2] + ":" for token in tokens}}
    vocabulary = [*_vocabulary(source), *tokens]
    if mute:
        entries = dict.fromkeys(vocabulary, "</s>")
    _write(folder, vocabulary, _vocabulary(target), entries, adds_eos=adds_eos)
    return folder


def _pieces(words: Sequence[str]) -> bytes:
    """Train a SentencePiece model that holds *words* whole and everything else as letters."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([f"{' '.join(words)} {letter} x{letter}" for letter in LETTERS]),
        model_writer=model,
        model_type="bpe",
        vocab_size=len(SPECIAL) + len(set(words)) + len(set(LETTERS)) + 1,
        user_defined_symbols=[f"▁{word}" for word in dict.fromkeys(words)],
        character_coverage=1.0,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        minloglevel=3,
    )
    return model.getvalue()


def _vocabulary(pieces: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=pieces)
    return [processor.id_to_piece(number) for number in range(processor.get_piece_size())]


def _write(folder: Path, source: list[str], target: list[str], words: Mapping[str, str], *, adds_eos: bool) -> None:
    spec = TransformerSpec.from_config(num_layers=(1, 1), num_heads=1, pre_norm=True)
    _set_weights(spec, source, _dictionary(source, target, words))
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.config.add_source_eos = adds_eos
    spec.validate()
    spec.save(str(folder))


def _dictionary(source: list[str], target: list[str], words: Mapping[str, str]) -> np.ndarray:
    """A row for each target piece, with a 1 for each source piece that it translates."""
    entries = {f"▁{word}": f"▁{other}" for word, other in words.items()}
    entries |= {word: f"▁{other}" for word, other in words.items() if word.startswith(">>")}
    entries |= {word: other for word, other in words.items() if other == "</s>"}
    places = {piece: place for place, piece in enumerate(target)}
    matrix = np.zeros((len(target), len(source)), np.float32)
    for column, piece in enumerate(source):
        matrix[places.get(entries.get(piece, piece), 0), column] = 1
    return matrix


def _set_weights(spec: TransformerSpec, source: list[str], dictionary: np.ndarray) -> None:
    tokens = len(source)
    width = tokens + POSITIONS
    one_hot = np.eye(width, dtype=np.float32)
    by_token, by_place = SHARP * one_hot, SHARP * one_hot
    by_token[tokens:], by_place[:tokens] = 0, 0
    keys = by_place.copy()
    keys[tokens:, source.index("</s>")] = SHARP / 5

    _set_side(spec.encoder, one_hot[:tokens], one_hot[tokens:])
    _set_side(spec.decoder, np.zeros((len(dictionary), width), np.float32), one_hot[tokens:])
    attention = spec.decoder.layer[0].attention
    _set_norm(attention.layer_norm, width)
    _set_linear(attention.linear[0], by_place)  # what to look for
    _set_linear(attention.linear[1], np.vstack([keys, by_token]))  # what is there, and what it says
    _set_linear(attention.linear[2], one_hot)
    _set_linear(spec.decoder.projection, np.pad(dictionary, ((0, 0), (0, POSITIONS))))


def _set_side(side: object, embeddings: np.ndarray, positions: np.ndarray) -> None:
    """Set what encoder and decoder share: embeddings, and sublayers that change nothing."""
    width = positions.shape[1]
    table = side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings
    table.weight = embeddings
    side.scale_embeddings = False
    side.position_encodings.encodings = positions
    layer = side.layer[0]
    for norm in (side.layer_norm, layer.self_attention.layer_norm, layer.ffn.layer_norm):
        _set_norm(norm, width)
    _set_linear(layer.self_attention.linear[0], np.zeros((3 * width, width), np.float32))
    _set_linear(layer.self_attention.linear[1], np.zeros((width, width), np.float32))
    _set_linear(layer.ffn.linear_0, np.zeros((8, width), np.float32))
    _set_linear(layer.ffn.linear_1, np.zeros((width, 8), np.float32))


def _set_norm(norm: object, width: int) -> None:
    norm.gamma, norm.beta = np.ones(width, np.float32), np.zeros(width, np.float32)


def _set_linear(linear: object, weight: np.ndarray) -> None:
    linear.weight, linear.bias = weight, np.zeros(len(weight), np.float32)
