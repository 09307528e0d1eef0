"""Distances by name and over slices of one's own."""

import numpy as np
import pytest

import mixgist


def test_between_draws_is_the_entry_of_the_matrix(draws):
    few = draws[:8]
    for name in ("sw", "mix-sw", "smix-w"):
        matrix = mixgist.distance_matrix(few, name, slices=40, seed=1, units="none")
        assert matrix.values.shape == matrix.standard_errors.shape == (8, 8)
        assert np.array_equal(matrix.values, matrix.values.T)
        one = mixgist.distance(few[2], few[5], name, slices=40, seed=1, units="none")
        assert one.value == pytest.approx(matrix.values[2, 5], rel=1e-9)
        row = mixgist.distances_to_draws(few[2], few, name, slices=40, seed=1, units="none")
        np.testing.assert_allclose(row.values, matrix.values[2], rtol=1e-9, atol=1e-12)
        condensed = mixgist.distance_matrix(few, name, slices=40, seed=1, units="none", condensed=True).values
        assert np.array_equal(condensed, matrix.values[np.triu_indices(8, 1)])


def test_exact_distances_have_no_error(draws):
    found = mixgist.distance(draws[0], draws[1], "mw")
    assert found.standard_error is None and found.value > 0.0
    assert mixgist.distance_matrix(draws[:4], "energy").standard_errors is None
    with pytest.raises(ValueError, match="exact, slices has no meaning"):
        mixgist.distance(draws[0], draws[1], "mw", slices=10)
    with pytest.raises(ValueError, match="has no order"):
        mixgist.distance(draws[0], draws[1], "mw", order=1)


def test_one_line_of_means_is_transport_on_the_line():
    a = mixgist.Measure([0.5, 0.5], [[0.0, 9.0], [4.0, 9.0]], np.tile(np.eye(2), (2, 1, 1)))
    b = mixgist.Measure([0.25, 0.75], [[1.0, 9.0], [4.0, 9.0]], np.tile(np.eye(2), (2, 1, 1)))
    # W_1 on the first coordinate: a quarter moves by 1, another by 4.
    found = mixgist.distance(a, b, lambda atoms: atoms.means[:, 0][None], order=1, units="none")
    assert found.value == pytest.approx(1.25) and float(found) == found.value


def test_units_scale_the_distance(draws):
    a, b = draws[0], draws[1]
    plain = mixgist.distance(a, b, lambda atoms: atoms.means.T, units="none")
    scaled = mixgist.distance(a, b, lambda atoms: atoms.means.T, units=[2.0, 2.0])
    assert scaled.value == pytest.approx(plain.value / 2.0, rel=1e-12)


def test_functions_that_cannot_be_used(draws):
    def fails(atoms):
        if len(atoms.means) > 2:
            raise RuntimeError("my own mistake")
        return atoms.means.T

    with pytest.raises(RuntimeError, match="my own mistake"):
        mixgist.distance_matrix(draws, fails)
    with pytest.raises(RuntimeError, match="my own mistake"):
        mixgist.summarize(draws, distance=fails)
    with pytest.raises(ValueError, match="expected \\(L, 2\\)"):
        mixgist.distance(draws[0], draws[1], lambda atoms: np.ones(5))
    with pytest.raises(ValueError, match="depend on its own atom"):
        mixgist.distance(draws[0], draws[1], lambda atoms: (atoms.means - atoms.means.mean(axis=0)).T)
    with pytest.raises(ValueError, match="NaN|nan|finite"):
        mixgist.distance(draws[0], draws[1], lambda atoms: np.full((3, len(atoms.means)), np.nan))
    with pytest.raises(ValueError, match="makes its own slices"):
        mixgist.distance(draws[0], draws[1], lambda atoms: atoms.means.T, slices=5)


def test_what_is_no_single_measure(draws):
    with pytest.raises(ValueError, match="single"):
        mixgist.distance(draws, draws[0])
    with pytest.raises(TypeError):
        mixgist.distance([1.0], draws[0])
    other = mixgist.Measure([1.0], [0.0], [1.0])
    with pytest.raises(ValueError, match="dimension"):
        mixgist.distance(draws[0], other)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_positions_that_are_no_numbers_are_named(draws, wrong):
    def slices(atoms):
        positions = np.vstack([atoms.means.T, atoms.means[:, 0]])
        positions[2, 7:8] = wrong
        return positions

    for ask in (lambda: mixgist.distance_matrix(draws[:4], slices), lambda: mixgist.summarize(draws[:4], distance=slices)):
        with pytest.raises(ValueError, match=f"returned {wrong} on slice 2 for atom 7 of 12, whose mean is .*: positions must be finite"):
            ask()


def test_results_of_slice_functions_of_a_wrong_kind(draws):
    with pytest.raises(TypeError, match="the result of the slice function has dtype"):
        mixgist.distance(draws[0], draws[1], lambda atoms: atoms.means.T.astype(str))
    with pytest.raises(TypeError, match="the result of the slice function is a NoneType"):
        mixgist.distance(draws[0], draws[1], lambda atoms: None)
    with pytest.raises(KeyError, match="mine"):
        mixgist.summarize(draws, distance=lambda atoms: {}["mine"])
    with pytest.raises(ValueError, match="expected \\(2, "):
        mixgist.distance_matrix(draws, lambda atoms: atoms.means.T if len(atoms.means) < 3 else np.ones((3, len(atoms.means))))
