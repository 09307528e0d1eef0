"""Partition first."""

import numpy as np
import pytest

import mixgist


@pytest.fixture(scope="module")
def labels():
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1, 2], 10)
    rows = []
    for _ in range(80):
        row = rng.permutation(3)[truth]
        row[rng.integers(0, 30, 2)] = rng.integers(0, 4, 2)
        rows.append(row)
    return np.array(rows)


def binder(a, b):
    return np.mean((a[:, None] == a) != (b[:, None] == b))


def test_the_estimate_beats_every_draw(labels):
    for loss in ("vi", "binder"):
        estimate = mixgist.partition(labels, loss, seed=1)
        assert estimate.n_clusters == 3 and estimate.sizes.tolist() == [10, 10, 10]
        of_draws = [mixgist.expected_losses(row, labels)[loss] for row in labels]
        assert estimate.expected_loss <= min(of_draws) + 1e-12
        assert estimate.expected_losses[loss] == pytest.approx(estimate.expected_loss)
    direct = np.mean([binder(estimate.labels_, row) for row in labels])
    assert estimate.expected_loss == pytest.approx(direct)


def test_missing_labels_are_no_cluster(labels):
    torn = labels.astype(object)
    for missing in (None, np.nan):
        torn[3, 4] = missing
        with pytest.raises(ValueError, match="labels has 1 missing entry, the first at \\[3, 4\\]"):
            mixgist.partition(torn)
    with pytest.raises(ValueError, match="labels has 80 masked entries"):
        mixgist.similarity(np.ma.masked_array(labels, mask=np.arange(30) == np.full((80, 1), 4)))
    unmasked = np.ma.masked_array(labels, mask=np.zeros_like(labels))
    assert np.array_equal(mixgist.similarity(unmasked), mixgist.similarity(labels))


def test_the_ball_holds_its_probability(labels):
    estimate = mixgist.partition(labels, ball=0.8)
    losses = mixgist.partition_losses(estimate.labels_, labels)
    inside = losses <= estimate.ball.radius * (1 + 1e-12)
    assert np.array_equal(np.flatnonzero(inside), estimate.ball.inside)
    assert estimate.ball.probability == pytest.approx(inside.mean()) and inside.mean() >= 0.8
    assert mixgist.partition_ball(estimate.labels_, labels, level=0.8).radius == estimate.ball.radius
    with pytest.raises(ValueError, match="metric"):
        mixgist.partition_ball(estimate.labels_, labels, "omari")


def test_strings_weights_and_similarity(labels):
    words = np.array(["a", "b", "c", "d"])[labels]
    assert np.array_equal(mixgist.partition(words).labels_, mixgist.partition(labels).labels_)
    weights = np.arange(80.0)
    similar = mixgist.similarity(labels, draw_weights=weights)
    direct = np.average(labels[:, :, None] == labels[:, None, :], axis=0, weights=weights)
    np.testing.assert_allclose(similar, direct, atol=1e-12)
    counts = mixgist.partition(labels).cluster_counts
    assert sum(counts.values()) == pytest.approx(1.0)


def test_bad_input(labels):
    with pytest.raises(ValueError, match="one of binder"):
        mixgist.partition(labels, "square")
    with pytest.raises(ValueError, match="needs its cost"):
        mixgist.partition(labels, "generalized-vi")
    with pytest.raises(ValueError, match="expected \\(draws, observations\\)"):
        mixgist.partition(labels[0])
    with pytest.raises(ValueError, match="not integers\nhint: .*for observations, fit a model first"):
        mixgist.partition(labels + 0.5)
    with pytest.raises(ValueError, match="hold no labels"):
        mixgist.partition(mixgist.Draws([[1.0]], [[0.0]], [[1.0]]))
    with pytest.raises(ValueError, match="ball is 0"):
        mixgist.partition(labels, ball=0.0)


def test_scikit_learns_name_for_the_number_of_clusters(labels):
    assert mixgist.partition(labels, n_clusters=2) == mixgist.partition(labels, clusters=2)
    assert mixgist.partition(labels, n_clusters=2).n_clusters == 2
    with pytest.raises(ValueError, match="n_clusters and clusters are the same option"):
        mixgist.partition(labels, clusters=2, n_clusters=3)
    with pytest.raises(ValueError, match="cannot both be given"):
        mixgist.partition(labels, max_clusters=2, n_clusters=3)


def test_an_estimate_says_what_the_command_line_says_and_is_read_again(tmp_path):
    estimate = mixgist.partition([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]], seed=2)
    said = str(estimate)
    assert said.startswith("clusters       2 of 4 observations: 2, 2") and "runs lead to this partition, seed 2" in said
    assert "runs lead to this partition" in estimate._repr_html_()
    estimate.write(tmp_path / "partition.json")
    again = mixgist.PartitionEstimate.read(tmp_path / "partition.json")
    assert again == estimate and str(again) == said and np.array_equal(again.labels_, estimate.labels_)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="other.json"):
        mixgist.PartitionEstimate.read(tmp_path / "other.json")


def test_chains_that_disagree_are_warned_of():
    chains = np.repeat([0, 1], 150)
    means = np.array([0.0, 4.0])[chains, None, None] + np.random.default_rng(2).normal(size=(300, 1, 1)) / 10
    draws = mixgist.Draws(np.ones((300, 1)), means, np.ones((300, 1, 1, 1)), chains=chains, labels=np.zeros((300, 5), int))
    with pytest.warns(mixgist.MixgistWarning, match="the chains disagree"):
        mixgist.partition(draws)
