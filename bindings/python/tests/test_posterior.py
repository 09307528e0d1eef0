"""What can be said with confidence: balls, components, modes, stability."""

import inspect
import pickle
import warnings

import numpy as np
import pytest

import mixgist
from conftest import optional, posterior


@pytest.fixture(scope="module")
def two_modes():
    """Draws of one component (a third) and of two."""
    rng = np.random.default_rng(1)
    means = np.where(np.arange(300)[:, None] % 3 == 0, [0.0, 0.0], [-4.0, 4.0]) + 0.1 * rng.standard_normal((300, 2))
    return mixgist.Draws(np.full((300, 2), 0.5), means, np.ones((300, 2)))


@pytest.fixture(scope="module")
def free(draws, observations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mixgist.MixgistWarning)
        return mixgist.summarize(draws, observations, estimate="free", candidate=draws[7], slices=200)


def test_a_free_estimate_is_better_than_every_draw(free, draws, observations):
    assert free.estimator == "free" and free.n_components <= 15
    assert free.floor <= free.expected_loss < free.medoid_judgement.expected_loss
    assert free.excess == pytest.approx(free.expected_loss / free.floor - 1.0)
    assert free.judgement.held_out.over_medoid < 0.0
    assert free.distances.shape == (120,)
    assert free.expected_loss == pytest.approx(free.distances.mean(), rel=1e-9)
    direct = mixgist.expected_losses(free, draws, data=observations, slices=200)
    assert direct["distance"] == pytest.approx(free.expected_loss, rel=1e-9)
    assert repr(free).startswith(f"Summary(free, from 120, {free.n_components} atom")
    assert "excess" in repr(free) and "best possible" in str(free)
    assert free.to_dict()["expected_loss"] == free.expected_loss
    assert free.medoid_expected_loss == pytest.approx(free.medoid_judgement.expected_loss, rel=1e-9)


def test_the_path_and_the_candidate(free, draws, observations):
    path = free.path
    assert np.array_equal(path.atoms, np.arange(1, 16))
    assert path.measures[path.chosen] == free.estimate
    assert path.expected_loss[path.chosen] == free.expected_loss
    assert (path.excess >= 0.0).all() and path.held_out.shape == path.held_out_se.shape == (15,)
    assert path.over_best.min() == 0.0
    own = free.candidate_judgement
    direct = mixgist.expected_losses(draws[7], draws, data=observations, slices=200)
    assert own.expected_loss == pytest.approx(direct["distance"], rel=1e-9)
    assert own.excess > free.excess
    assert pickle.loads(pickle.dumps(free)).path.atoms.tolist() == path.atoms.tolist()


def test_a_given_number_of_atoms(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mixgist.MixgistWarning)
        two = mixgist.summarize(draws, estimate="free", atoms=2, slices=60)
        plain = mixgist.summarize(draws, slices=60)
    assert two.n_components == 2 and two.path.atoms[two.path.chosen] == 2
    assert plain.path is None and plain.candidate_judgement is None
    assert plain.judgement == plain.medoid_judgement and plain.excess >= 0.0


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"estimate": "mean"}, ValueError, "one of: medoid, free"),
        ({"atoms": 3}, ValueError, 'add estimate="free"'),
        ({"estimate": "free", "atoms": 0}, ValueError, "atoms is 0, must be at least 1"),
        ({"estimate": "free", "atoms": "some"}, ValueError, "atoms is 'some'"),
        ({"estimate": "free", "order": 1}, ValueError, "needs order 2"),
        ({"estimate": "free", "distance": lambda atoms: atoms.means.T}, ValueError, "needs a named distance"),
        ({"candidate": mixgist.Measure([1.0], [0.0], [1.0])}, ValueError, "the measure to judge has dimension 1"),
        ({"candidate": [1.0]}, TypeError, "candidate is a list"),
        ({"slcies": 10}, TypeError, "no option 'slcies'"),
    ],
)
def test_what_cannot_be_estimated(draws, options, error, message):
    with pytest.raises(error, match=message):
        mixgist.summarize(draws, **{"slices": 20, **options})


def test_a_ball_holds_its_level(draws):
    found = mixgist.credible(draws, level=0.8, slices=100)
    inside = found.distances <= found.ball.radius * (1 + 1e-12)
    assert inside.mean() == pytest.approx(found.ball.probability.value) and inside.mean() >= 0.8
    assert np.sort(found.distances[inside])[-1] == pytest.approx(found.ball.farthest[0].distance)
    np.testing.assert_allclose(found.ball.distance_quantiles[2], np.median(found.distances), rtol=0.05)
    chosen = draws[found.to_dict()["estimate_draw"]]
    order = np.argsort(-chosen.weights, kind="stable")
    assert found.estimate == mixgist.Measure(chosen.weights[order], chosen.means[order], chosen.covariances[order])
    assert found.region is None and found.conformal is None


def test_a_region_around_a_hypothesis(draws):
    far = mixgist.Measure([1.0], [[50.0, 50.0]], [np.eye(2)])
    found = mixgist.credible(draws, hypothesis=far, radius=1.0, slices=100)
    assert found.region.probability.value == 0.0 and not found.region.inside_ball
    near = mixgist.credible(draws, hypothesis=draws[3], slices=100).region
    assert near.radius == pytest.approx(mixgist.credible(draws, slices=100).ball.radius)
    assert near.probability.value == pytest.approx((near.distances <= near.radius).mean())


def test_a_conformal_ball_counts_its_draws(draws):
    found = mixgist.credible(draws, conformal=True, level=0.9, slices=50).conformal
    assert found.coverage >= 0.9 and found.radius > 0.0 and not found.estimate_given
    n = found.calibration_draws
    assert found.rank == int(np.ceil(0.9 * (n + 1))) and found.coverage == pytest.approx(found.rank / (n + 1))
    few = mixgist.credible(draws[:10], conformal=True, level=0.99, slices=50).conformal
    assert few.radius is None and few.needed_draws > few.calibration_draws
    given = mixgist.credible(draws[:60], estimate=draws[100], conformal=True, level=0.9, slices=50).conformal
    assert given.estimate_given and given.fitted_draws == 0
    summary = mixgist.summarize(draws, slices=50)
    # With the same options the ball is around the summary's estimate, and the conformal one around an estimate from half of the draws.
    again = mixgist.credible(draws, estimate=summary, conformal=True, slices=50)
    assert again.estimate == summary.estimate and not again.conformal.estimate_given
    with pytest.raises(ValueError, match="made from these draws.*\nhint: leave out estimate"):
        mixgist.credible(draws, estimate=summary, conformal=True, slices=60)
    other = mixgist.credible(draws[:60], estimate=summary, conformal=True, level=0.9, slices=50)
    assert other.conformal.estimate_given and other.estimate_source == "given Summary"


def test_components_have_intervals_that_the_draws_are_in():
    rng = np.random.default_rng(4)
    order = np.array([rng.permutation(3) for _ in range(120)])
    all_means = np.array([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]])[order] + 0.3 * rng.standard_normal((120, 3, 2))
    draws = mixgist.Draws(rng.dirichlet([50.0] * 3, 120), all_means, np.tile(np.eye(2), (120, 3, 1, 1)))
    found = mixgist.components(draws, slices=100)
    assert len(found) == 3
    np.testing.assert_allclose(found.existence, 1.0)
    for one in found.components:
        assert one.standing == "clear" and one.intervals.mean.low.shape == (2,)
        # The atoms of all draws that are nearest to it: 95 % of their means lie between the ends.
        nearest = np.linalg.norm(all_means - one.mean, axis=2).argmin(axis=1)
        means = all_means[np.arange(120), nearest]
        inside = (means >= one.intervals.mean.low) & (means <= one.intervals.mean.high)
        assert (np.abs(inside.mean(axis=0) - 0.95) < 0.03).all()
        np.testing.assert_allclose(one.intervals.mean.mean, means.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(one.intervals.mean_ellipse.center, means.mean(axis=0), atol=1e-9)
        assert one.intervals.covariance.median.shape == (2, 2)
    same = mixgist.components(draws, estimate=found.estimate)
    assert [one.weight for one in same.components] == [one.weight for one in found.components]
    assert same.estimate_source == "given Measure"


def test_two_modes_give_two_representatives(two_modes):
    found = mixgist.representatives(two_modes, slices=100, units="none")
    assert len(found) == 2 and found.tests[0].accepted and not found.tests[0].refused_by
    assert not found.tests[-1].accepted and found.tests[-1].refused_by
    np.testing.assert_allclose(found.weights, [2 / 3, 1 / 3])
    assert np.array_equal(found.assignment, np.where(np.arange(300) % 3 == 0, 1, 0))
    assert found.distances.shape == (2, 2) and found.distances[0, 1] > 1.0
    density = found[0].densities[0]
    assert np.trapezoid(density.values, density.axes[0]) == pytest.approx(1.0, abs=0.02)
    assert found[0].estimate == two_modes[found[0].draw] and found[0].labels is None
    assert found.tests[0].p_value <= found.false_alarm and not found[0].of_own_chains
    three = mixgist.representatives(two_modes, [[0.0], [4.0]], count=3, grid=0, slices=100)
    assert len(three) == 3 and not three.tests and not three[0].densities
    assert three[0].labels.shape == (2,)


def test_a_stability_card(draws):
    card = mixgist.stability(draws, slices=60)
    assert card.verdict in ("stable", "inside", "outside", "undecided") and card.advice and card.untried_chains == 0
    movements = [check.movement for check in card.checks if check.movement]
    assert card.radii.shape == (len(card.checks),) and len(movements) > 5
    finite = card.radii[np.isfinite(card.radii)]
    assert card.verdict == "undecided" or (card.verdict == "outside") == (finite.max() > 1.0)
    assert {check.choice for check in card.checks} >= {"slices", "seed", "units", "loss", "distance"}


def test_free_estimates_everywhere(draws):
    for function in (mixgist.credible, mixgist.components, mixgist.stability):
        found = function(draws, estimate="free", atoms=3, slices=40)
        assert len(found.estimate) == 3
    with pytest.raises(ValueError, match="leave out atoms"):
        mixgist.credible(draws, estimate=draws[0], atoms=3)


ANSWERS = [
    lambda draws: mixgist.credible(draws, conformal=True, hypothesis=draws[0], slices=20),
    lambda draws: mixgist.components(draws, slices=20),
    lambda draws: mixgist.representatives(draws, slices=20),
    lambda draws: mixgist.stability(draws, slices=20),
    lambda draws: mixgist.partition(np.arange(40).reshape(4, 10) % 3),
]


@pytest.mark.parametrize("ask", ANSWERS)
def test_answers_are_documents(ask, draws, tmp_path):
    answer = ask(draws)
    document = answer.to_dict()
    assert document["schema"].startswith("mixgist.")
    assert answer._repr_html_().count("<tr>") >= 2 and "<script" not in answer._repr_html_()
    assert repr(answer).startswith(type(answer).__name__ + "(") and len(repr(answer)) < 300
    assert pickle.loads(pickle.dumps(answer)) == answer and answer == ask(draws)
    answer.write(tmp_path / "answer.json")
    if hasattr(answer, "read"):
        back = type(answer).read(tmp_path / "answer.json")
        assert back == answer and str(answer)
    import json

    assert json.loads((tmp_path / "answer.json").read_text()) == document
    with pytest.raises(FileExistsError):
        answer.write(tmp_path / "answer.json")


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda d: mixgist.credible(d, level=1.5), "level"),
        (lambda d: mixgist.credible(d, radius=1.0), "give the hypothesis"),
        (lambda d: mixgist.credible(d, hypothesis=mixgist.Measure([1.0], [0.0], [1.0])), "the hypothesis has dimension 1"),
        (lambda d: mixgist.credible(d, estimate=mixgist.Measure([1.0], [0.0], [1.0])), "the estimate has dimension 1"),
        (lambda d: mixgist.credible(d, estimate=d), "estimate holds 120 draws"),
        (lambda d: mixgist.components(d, level=0.0), "level"),
        (lambda d: mixgist.components(d, overlap=2.0), "overlap"),
        (lambda d: mixgist.representatives(d, count=0), "count is 0"),
        (lambda d: mixgist.representatives(d, count=121), "121"),
        (lambda d: mixgist.stability(d, level=-1.0), "level"),
        (lambda d: mixgist.credible(d, distance="mw"), "one of: sw, mix-sw"),
    ],
)
def test_bad_questions(draws, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(draws)


def test_options_that_are_no_options(draws):
    with pytest.raises(TypeError, match="slices of your own are for the other questions"):
        mixgist.stability(draws, distance=lambda atoms: atoms.means.T)
    with pytest.raises(TypeError, match="options of the distance are slices, order"):
        mixgist.stability(draws, burn_in=3)


def test_signatures_show_every_option():
    for function in (mixgist.summarize, mixgist.distance, mixgist.credible, mixgist.stability):
        parameters = inspect.signature(function).parameters
        assert {"slices", "order", "units", "scheme", "directions", "prune", "seed"} <= parameters.keys()
        assert "options" not in parameters
        assert all(name in function.__doc__ for name in parameters), function


def test_wide_draws_have_marginal_densities():
    wide = mixgist.Draws(*posterior(60, 2, 4))
    found = mixgist.representatives(wide, count=1, grid=20, slices=20)
    assert [density.coordinates for density in found[0].densities] == [(0,), (1,), (2,), (3,)]


@pytest.mark.parametrize("name", ["credible", "components", "representatives", "stability"])
def test_what_limits_the_trust_is_warned_of(name):
    means = np.repeat([[0.0], [5.0]], 20, axis=0) + 0.1 * np.random.default_rng(0).standard_normal((40, 1))
    apart = mixgist.Draws(np.ones((40, 1)), means, np.ones((40, 1)), chains=np.repeat([0, 1], 20))
    with pytest.warns(mixgist.MixgistWarning) as caught:
        found = getattr(mixgist, name)(apart, slices=40, seed=3)
    assert {"few-draws", "chains-disagree"} <= {one.message.name for one in caught}
    document = found.to_dict()
    assert [one["name"] for one in document["warnings"]] == [one.message.name for one in caught]
    settings = document["settings"]
    assert (settings["slices"], settings["seed"], settings["loss"]) == (40, 3, "distance") and found.settings == settings
    with pytest.warns(mixgist.MixgistWarning, match="no draw of chain 1"):
        getattr(mixgist, name)(apart[:25].thinned(burn_in=5), slices=40)


def test_directions_exclude_what_they_replace(draws):
    for options in ({"slices": 5}, {"scheme": "iid"}):
        with pytest.raises(ValueError, match="directions that are given need no"):
            mixgist.credible(draws, directions={"sw_theta": [[1.0]]}, **options)


def test_threads_have_a_limit(draws):
    with pytest.raises(ValueError, match="threads is 100000, must be from 1 to 1024"):
        mixgist.credible(draws, slices=5, threads=100_000)


def test_a_posterior_answers_every_question_once(draws, observations):
    """The answers are those of the short forms, and the estimate is computed a single time."""
    options = {"slices": 60, "seed": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = mixgist.Posterior(draws, observations, **options)
        heard = []
        counted = mixgist.Posterior(draws, observations, progress=lambda *said: heard.append(said), **options)
        assert posterior.summary() is posterior.summary()
        assert posterior.summary().to_dict() == mixgist.summarize(draws, observations, **options).to_dict()
        assert posterior.ball() == mixgist.credible(draws, observations, **options)
        assert posterior.components() == mixgist.components(draws, observations, **options)
        assert posterior.representatives() == mixgist.representatives(draws, observations, **options)
        assert posterior.stability() == mixgist.stability(draws, observations, **options)
        assert counted.summary().to_dict() == posterior.summary().to_dict()
        np.testing.assert_array_equal(posterior.distances(), posterior.summary().distances)
        row = mixgist.distances_to_draws(draws[3], draws, data=observations, **options).values
        np.testing.assert_allclose(posterior.distances(draws[3]), row, rtol=1e-12)
    assert posterior.draws is draws and posterior.data is observations


def test_a_summary_of_the_same_draws_is_the_estimate(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = mixgist.summarize(draws, estimate="free", atoms=3, slices=40)
        same = mixgist.components(draws, estimate=summary, slices=40)
        assert same == mixgist.components(draws, estimate="free", atoms=3, slices=40)
        assert mixgist.stability(draws, estimate=summary, slices=40).estimate == summary.estimate
        other = mixgist.components(draws, estimate=summary, slices=41)
        assert other.estimate == summary.estimate and other.estimate_source == "given Summary"
        with pytest.raises(ValueError, match="found from these draws, but one was given"):
            mixgist.stability(draws, estimate=summary, slices=41)
        with pytest.raises(ValueError, match="found from these draws, but one was given"):
            mixgist.Posterior(draws, estimate=draws[0]).summary()


def test_components_are_a_sequence_and_answers_are_frames(draws, observations):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = mixgist.Posterior(draws, observations, slices=20)
        found = posterior.components()
        assert list(found) == found.components and found[0] is found.components[0]
        pandas = optional("pandas")
        answers = {
            len(posterior.summary().weights_): posterior.summary(),
            len(draws): posterior.ball(),
        }
        for rows, answer in answers.items():
            assert len(answer.to_frame()) == rows and isinstance(answer.to_frame(), pandas.DataFrame)
        assert len(found.to_frame()) == len(found) + len(found.groups)
        assert len(posterior.representatives().to_frame()) == len(posterior.representatives())
        card = posterior.stability()
        assert card.to_frame()["choice"].tolist() == [check.choice for check in card.checks]


def test_balls_over_slices_of_ones_own(draws):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        posterior = mixgist.Posterior(draws, distance=lambda atoms: atoms.means.T)
        ball = posterior.ball().ball
    inside = posterior.distances() <= ball.radius * (1 + 1e-12)
    assert inside.mean() == pytest.approx(ball.probability.value)


def test_questions_share_what_they_computed(draws, observations, monkeypatch):
    """The search for the medoid is what takes time: functions about the same draws, data and options make it once."""
    from mixgist import _core

    made = []
    native = _core.Posterior
    monkeypatch.setattr(_core, "Posterior", lambda *asked: made.append(asked) or native(*asked))
    fresh = draws[:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        summary = mixgist.summarize(fresh, observations, slices=40)
        parts = mixgist.components(fresh, observations, slices=40)
        mixgist.credible(fresh, observations, slices=40)
        mixgist.align(fresh, observations, slices=40)
        posterior = mixgist.Posterior(fresh, observations, slices=40)
        assert posterior.summary().to_dict() == summary.to_dict()
        assert len(made) == 1
        # It is what a question on its own answers.
        alone = mixgist.components(draws[:], observations, slices=40)
        assert alone.to_dict() == parts.to_dict() and len(made) == 2
        # Other options, other data and data that were changed in place are other questions.
        mixgist.summarize(fresh, observations, slices=41)
        changed = np.array(observations)
        first = mixgist.summarize(fresh, changed, slices=40)
        changed[:, 0] *= 3.0
        second = mixgist.summarize(fresh, changed, slices=40)
        assert second.to_dict() != first.to_dict()
        assert second.to_dict() == mixgist.summarize(draws[:], changed.copy(), slices=40).to_dict()
    assert len(fresh._kept) == 2


def test_every_call_warns_again(draws):
    fresh = draws[:12]
    for _ in range(2):
        with pytest.warns(mixgist.MixgistWarning, match="only 12 draws"):
            mixgist.summarize(fresh, slices=20)
