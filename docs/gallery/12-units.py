"""# Minutes or seconds: what changes the estimate

The same draws with one coordinate in seconds instead of minutes. By default nothing changes. `stability` tries this and other choices, and says how far the estimate moves, in radii of the credible ball.

**What to look for:** the same draw is chosen in minutes and in seconds; and in the figure, which choices move the estimate by more than half a radius.
"""

# %%
import mixgist
import numpy as np

x = np.loadtxt(ROOT / "datasets/faithful.csv", delimiter=",", skiprows=1)
fit = mixgist.fit(x, seed=12, thin=8)
minutes = fit.draws
factor = np.array([60.0, 1.0])
seconds = mixgist.Draws(
    minutes.weights, minutes.means * factor, minutes.covariances * factor[:, None] * factor, offsets=minutes.offsets, chains=minutes.chains, iterations=minutes.iterations
)
print(mixgist.summarize(minutes).draw, mixgist.summarize(seconds).draw)
assert mixgist.summarize(minutes).draw == mixgist.summarize(seconds).draw

# %%
# With `units="none"` the coordinate with the larger numbers has more influence.
print(mixgist.summarize(minutes, units="none").draw, mixgist.summarize(seconds, units="none").draw)

# %%
# Which other choices change the estimate?
posterior = mixgist.Posterior(minutes)
card = posterior.stability()
print(card)
mixgist.figure(posterior.summary(), "stability", draws=minutes).write("stability.svg")
