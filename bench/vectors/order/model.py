"""An encoder of a few layers of attention, whose answer begins as the sum of the table.

A text's vector is the sum of its words' vectors, each times its worth and a factor that the layers
give it where it stands, and a further vector that they make of the whole. Both begin at nothing: an
untrained encoder is the table. `jax` is imported here alone, when an encoder is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

# layers that read order; words retrained, without order; and the questions' vectors turned alone
ORDER, WORDS, QUESTIONS = KINDS = ("order", "words", "questions")

Parameters = dict[str, Array]
Batch = Mapping[str, Array]
Step = Callable[..., tuple[Array, Parameters, tuple[Parameters, Parameters]]]
_HEADS: Final = 4
_MARKS: Final = 4
_TINY: Final = 1e-6
_FORBIDDEN: Final = -1e4
_DECAY, _DECAY_SQUARED = 0.9, 0.99
_FEW: Final = 0.02


@dataclass(frozen=True)
class Shape:
    """The kind and the sizes of an encoder."""

    known: int  # words that have a vector of the encoder's own
    kind: str = ORDER
    dimensions: int = 256
    width: int = 128
    layers: int = 1
    longest: int = 48


@dataclass(frozen=True)
class Losses:
    """The weights of a batch's loss, as for the table."""

    scale: float = 20.0
    backward: float = 0.25
    signs: float = 0.3


def begin(shape: Shape, seed: int) -> Parameters:
    """An encoder that gives what the table gives."""
    random = np.random.default_rng(seed)

    def drawn(*sizes: int, by: float | None = None) -> Array:
        scale = 1 / math.sqrt(sizes[0]) if by is None else by
        return jnp.asarray(random.standard_normal(sizes, np.float32) * np.float32(scale))

    known, wide, width = shape.known + 1, shape.dimensions, shape.width
    if shape.kind == WORDS:
        return {"own": jnp.zeros((known, wide)), "gain": jnp.zeros(known)}
    if shape.kind == QUESTIONS:
        return {"turn": jnp.zeros((wide, wide)), "gain": jnp.zeros(known)}
    found = {
        "own": drawn(known, width, by=_FEW),
        "into": drawn(wide, width),
        "marks": drawn(_MARKS, width, by=_FEW),
        "places": drawn(shape.longest, width, by=_FEW),
        "sides": drawn(2, width, by=_FEW),
        "gain": jnp.zeros(width),
        "share": jnp.zeros(width),
        "out": jnp.zeros((width, wide)),
    }
    for layer in range(shape.layers):
        found[f"look{layer}"] = drawn(width, 3 * width)
        found[f"seen{layer}"] = drawn(width, width) / math.sqrt(shape.layers)
        found[f"wide{layer}"] = drawn(width, 2 * width)
        found[f"narrow{layer}"] = drawn(2 * width, width) / math.sqrt(shape.layers)
    return found


def encode(parameters: Parameters, table: Array, batch: Batch, side: int, shape: Shape) -> Array:
    """The vectors of a batch, of length one; `side` is 0 for questions and 1 for texts."""
    words = batch["words"]
    known = jnp.where((words < 0) | (words >= shape.known), shape.known, words)
    vectors = table[words].astype(jnp.float32)
    if shape.kind == ORDER:
        return _in_order(parameters, vectors, known, batch, side)
    if shape.kind == QUESTIONS and side:
        return _sum(vectors, batch["worth"], batch)
    if shape.kind == WORDS:
        vectors += parameters["own"][known]
    found = _sum(vectors, batch["worth"] * jnp.exp(parameters["gain"][known]), batch)
    return _unit(found + found @ parameters["turn"]) if shape.kind == QUESTIONS else found


def _sum(vectors: Array, worth: Array, batch: Batch) -> Array:
    return _unit((vectors * worth[..., None]).sum(1) + batch["rest"].astype(jnp.float32))


def _in_order(
    parameters: Parameters, vectors: Array, known: Array, batch: Batch, side: int
) -> Array:
    there = batch["words"] >= 0
    # vectors of words have a length of about one: it says how much a word tells
    scale = math.sqrt(vectors.shape[-1])
    hidden = vectors * scale @ parameters["into"] + parameters["own"][known]
    hidden += parameters["marks"][batch["marks"]] + parameters["sides"][side]
    hidden += parameters["places"][: there.shape[1]]
    layer = 0
    while f"look{layer}" in parameters:
        hidden += _attend(parameters, layer, _scaled(hidden), there)
        inner = jax.nn.gelu(_scaled(hidden) @ parameters[f"wide{layer}"])
        hidden += inner @ parameters[f"narrow{layer}"]
        layer += 1
    hidden = _scaled(hidden)
    plain = _sum(vectors, batch["worth"] * jnp.exp(hidden @ parameters["gain"]), batch)
    shares = jax.nn.softmax(jnp.where(there, hidden @ parameters["share"], _FORBIDDEN), axis=1)
    return _unit(plain + (hidden * shares[..., None]).sum(1) @ parameters["out"])


def _attend(parameters: Parameters, layer: int, hidden: Array, there: Array) -> Array:
    count, length, width = hidden.shape
    looked = (hidden @ parameters[f"look{layer}"]).reshape(count, length, 3, _HEADS, -1)
    query, key, value = looked[:, :, 0], looked[:, :, 1], looked[:, :, 2]
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(width / _HEADS)
    shares = jax.nn.softmax(jnp.where(there[:, None, None, :], scores, _FORBIDDEN), axis=-1)
    found = jnp.einsum("bhqk,bkhd->bqhd", shares, value).reshape(count, length, width)
    return found @ parameters[f"seen{layer}"]


def _scaled(values: Array) -> Array:
    return values * jax.lax.rsqrt((values * values).mean(-1, keepdims=True) + _TINY)


def _unit(values: Array) -> Array:
    return values * jax.lax.rsqrt((values * values).sum(-1, keepdims=True) + _TINY)


def loss(queries: Array, texts: Array, exempt: Array, judged: Losses) -> Array:
    """The loss of a batch, all questions against all texts."""
    hard = jnp.where(texts > 0, 1.0, -1.0) / math.sqrt(texts.shape[1])
    signs = texts + jax.lax.stop_gradient(hard - texts)
    whole = _contrast(queries @ texts.T, exempt, judged)
    return (1 - judged.signs) * whole + judged.signs * _contrast(queries @ signs.T, exempt, judged)


def _contrast(cosines: Array, exempt: Array, judged: Losses) -> Array:
    scores = jnp.where(exempt, _FORBIDDEN, cosines * judged.scale)
    forward = jnp.diagonal(jax.nn.log_softmax(scores, axis=1)).mean()
    backward = jnp.diagonal(jax.nn.log_softmax(scores, axis=0)).mean()
    return -(1 - judged.backward) * forward - judged.backward * backward


def stepper(shape: Shape, judged: Losses) -> Step:
    """One step of Adam: parameters, moments, table, both sides, exempt, rate, time."""

    def judge(
        parameters: Parameters, table: Array, queries: Batch, texts: Batch, exempt: Array
    ) -> Array:
        vectors = (
            encode(parameters, table, queries, 0, shape),
            encode(parameters, table, texts, 1, shape),
        )
        return loss(*vectors, exempt, judged)

    def step(
        parameters: Parameters,
        moments: tuple[Parameters, Parameters],
        table: Array,
        sides: tuple[Batch, Batch],
        exempt: Array,
        rate: float,
        time: int,
    ) -> tuple[Array, Parameters, tuple[Parameters, Parameters]]:
        value, slopes = jax.value_and_grad(judge)(parameters, table, *sides, exempt)
        return value, *adam(parameters, moments, slopes, rate, time)

    compiled: Step = jax.jit(step)
    return compiled


def adam(
    parameters: Parameters,
    moments: tuple[Parameters, Parameters],
    slopes: Parameters,
    rate: float,
    time: int,
) -> tuple[Parameters, tuple[Parameters, Parameters]]:
    """The parameters and moments after one step."""
    first = {
        name: _DECAY * moments[0][name] + (1 - _DECAY) * slope for name, slope in slopes.items()
    }
    second = {
        name: _DECAY_SQUARED * moments[1][name] + (1 - _DECAY_SQUARED) * slope * slope
        for name, slope in slopes.items()
    }
    found = {}
    for name, value in parameters.items():
        root = jnp.sqrt(second[name] / (1 - _DECAY_SQUARED**time)) + _TINY
        found[name] = value - rate * first[name] / (1 - _DECAY**time) / root
    return found, (first, second)


def encoder(shape: Shape) -> Callable[..., Array]:
    """A compiled `encode` for each side."""

    def run(parameters: Parameters, table: Array, batch: Batch, side: int) -> Array:
        return encode(parameters, table, batch, side, shape)

    compiled: Callable[..., Array] = jax.jit(run, static_argnums=3)
    return compiled
