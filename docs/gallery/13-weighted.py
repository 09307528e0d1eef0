"""# Weighted draws: importance sampling and SMC

Draws can have different weights. Here the draws come from a sampler with a prior that was too wide; importance weights correct this.

**What to look for:** the second mean without and with weights, and the effective number of draws.
"""

# %%
import mixgist
import numpy as np

rng = np.random.default_rng(13)
m = 2000
means = np.column_stack([rng.normal(0, 0.3, m), rng.normal(4, 0.6, m)])
weights = rng.dirichlet([30, 50], size=m)
variances = np.ones((m, 2))
log_ratio = -0.5 * ((means[:, 1] - 4.6) / 0.3) ** 2 + 0.5 * ((means[:, 1] - 4.0) / 0.6) ** 2
ratio = np.exp(log_ratio - log_ratio.max())

# %%
# Without and with the weights. The effective number of draws is smaller than 2,000 because the weights differ.
plain = mixgist.summarize(mixgist.Draws(weights, means, variances))
draws = mixgist.Draws(weights, means, variances, draw_weights=ratio)
weighted = mixgist.summarize(draws)
print("second mean without weights:", plain.means_.max().round(2), " with weights:", weighted.means_.max().round(2))
print("effective number of draws:", round(ratio.sum() ** 2 / (ratio**2).sum()))
assert abs(plain.means_.max() - 4.0) < 0.2 and abs(weighted.means_.max() - 4.6) < 0.2
print(weighted)
mixgist.figure(weighted, "density", draws=draws).write("density.svg")
