"""Arrays of weights, means and covariances of any accepted shape, as flat arrays of atoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._arrays import Floats, Integers, floats, integers

# Axes of one covariance, by form.
_TAILS = {"diagonal": 1, "spherical": 0, "sd": 1}


@dataclass(frozen=True)
class Atoms:
    """Atoms of all draws, draw after draw; draw m owns ``offsets[m]:offsets[m + 1]``."""

    dim: int
    offsets: Integers
    weights: Floats
    means: Floats
    covariances: Floats
    chains: Integers | None = None
    iterations: Integers | None = None


def dense(weights: Any, means: Any, covariances: Any, form: str) -> Atoms:
    """Draws of K atoms each: weights (M, K), or (chains, draws, K) as ArviZ has them."""
    w, mu, sigma = floats("weights", weights), floats("means", means), floats("covariances", covariances)
    if w.ndim not in (2, 3) or 0 in w.shape:
        raise ValueError(f"weights has shape {w.shape}, expected (draws, atoms) or (chains, draws, atoms)")
    mu = _means(mu, w.shape)
    sigma = _covariances(sigma, w.shape, mu.shape[-1], form)
    draws, atoms = int(np.prod(w.shape[:-1])), w.shape[-1]
    chains = iterations = None
    if w.ndim == 3:
        per_chain = w.shape[1]
        chains = np.repeat(np.arange(w.shape[0], dtype=np.int64), per_chain)
        iterations = np.tile(np.arange(per_chain, dtype=np.int64), w.shape[0])
    offsets = np.arange(0, (draws + 1) * atoms, atoms, dtype=np.int64)
    return Atoms(mu.shape[-1], offsets, w, mu, sigma, chains, iterations)


def flat(weights: Any, means: Any, covariances: Any, form: str, offsets: Any) -> Atoms:
    """Draws of differing size in flat arrays: weights (atoms,), means (atoms, d), …"""
    w, mu, sigma = floats("weights", weights), floats("means", means), floats("covariances", covariances)
    if w.ndim != 1:
        raise ValueError(f"weights has shape {w.shape}, with offsets it must be (atoms,)")
    mu = _means(mu, w.shape)
    sigma = _covariances(sigma, w.shape, mu.shape[-1], form)
    return Atoms(mu.shape[-1], integers("offsets", offsets).reshape(-1), w, mu, sigma)


def ragged(weights: Any, means: Any, covariances: Any, form: str) -> Atoms:
    """Draws of differing size as lists with one entry per draw."""
    for name, values in (("means", means), ("covariances", covariances)):
        if len(values) != len(weights):
            raise ValueError(f"{name} has {len(values)} draws, weights has {len(weights)}")
    parts: list[tuple[Floats, Floats, Floats]] = []
    for m, (w, mu, sigma) in enumerate(zip(weights, means, covariances)):
        try:
            w = floats("weights", w)
            if w.ndim != 1:
                raise ValueError(f"weights has shape {w.shape}, expected (atoms,)")
            mu = _means(floats("means", mu), w.shape)
            parts.append((w, mu, _covariances(floats("covariances", sigma), w.shape, mu.shape[-1], form)))
        except (TypeError, ValueError) as error:
            raise type(error)(f"draw {m}: {error}") from None
    dim = parts[0][1].shape[-1]
    for m, (_, mu, _) in enumerate(parts):
        if mu.shape[-1] != dim:
            raise ValueError(f"draw {m}: means have dimension {mu.shape[-1]}, draw 0 has {dim}")
    offsets = np.concatenate([[0], np.cumsum([len(w) for w, _, _ in parts])]).astype(np.int64)
    joined = [np.concatenate([part[i] for part in parts]) for i in range(3)]
    return Atoms(dim, offsets, joined[0], joined[1], joined[2])


def is_ragged(weights: Any) -> bool:
    """Whether these are lists of differing length, one per draw."""
    if isinstance(weights, np.ndarray) and weights.dtype != object:
        return False
    if not isinstance(weights, (list, tuple, np.ndarray)) or len(weights) == 0:
        return False
    return all(np.ndim(w) == 1 for w in weights) and len({len(w) for w in weights}) > 1


def expect_chains_alike(weights: Any) -> None:
    """Refuses a list of chains that differ in their number of atoms or draws, which no array holds."""
    if not isinstance(weights, (list, tuple)) or not all(isinstance(chain, (list, tuple, np.ndarray)) for chain in weights):
        return
    try:
        shapes = {np.shape(chain) for chain in weights}
    except ValueError:  # lists within lists that are no arrays: the array that is made of them says so
        return
    if len(shapes) > 1 and all(len(shape) == 2 for shape in shapes):
        told = " and ".join(f"({draws} draws, {atoms} atoms)" for draws, atoms in sorted(shapes))
        raise ValueError(
            f"weights is a list of chains of different shapes: {told}\n"
            "hint: make draws of each chain and join them: Draws.concat([Draws(...), Draws(...)])"
        )


def _means(means: Floats, lead: tuple[int, ...]) -> Floats:
    if means.shape == lead:
        return means[..., None]
    if means.shape[:-1] == lead and means.shape[-1] > 0:
        return means
    exchanged = means.shape[:-2] == lead[:-1] and means.shape[-1] == lead[-1]
    hint = "\nhint: are the last two axes exchanged? Then give np.swapaxes(means, -1, -2)" if exchanged else ""
    raise ValueError(f"means has shape {means.shape}, expected {_shape(*lead, 'd')} as weights has {lead}{hint}")


def _covariances(covariances: Floats, lead: tuple[int, ...], dim: int, form: str) -> Floats:
    tail = (dim,) * _TAILS.get(form, 2)
    accepted = [tail] + [(1,) * axes for axes in range(3) if dim == 1 or not tail]
    for shape in accepted:
        if covariances.shape == lead + shape:
            return covariances
    # One covariance that all atoms of a draw share.
    for shape in accepted:
        if len(lead) > 1 and covariances.shape == lead[:-1] + shape:
            shared = np.expand_dims(covariances, len(lead) - 1)
            return np.ascontiguousarray(np.broadcast_to(shared, lead + shape))
    hint = _other_form(covariances.shape, lead, dim, form)
    if not hint and tail and covariances.shape == lead[:-1] + tail + lead[-1:]:
        hint = f"\nhint: is the axis of the atoms the last one? Then give np.moveaxis(covariances, -1, {-1 - len(tail)})"
    raise ValueError(f"covariances has shape {covariances.shape}, expected {_shape(*lead, *tail)} for covariance_form={form!r}{hint}")


def _other_form(shape: tuple[int, ...], lead: tuple[int, ...], dim: int, form: str) -> str:
    """The forms that such a shape would fit."""
    forms = [other for other in ("covariance", "diagonal", "sd", "spherical") if other != form]
    fitting = [other for other in forms if shape == lead + (dim,) * _TAILS.get(other, 2)]
    return f"\nhint: this shape is that of covariance_form {' or '.join(map(repr, fitting))}" if fitting else ""


def _shape(*axes: object) -> str:
    return "(" + ", ".join(map(str, axes)) + ("," if len(axes) == 1 else "") + ")"
