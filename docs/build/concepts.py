"""Figures of the concepts."""

# %%
import matplotlib
import mixgist
import numpy as np

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.patches import Ellipse

plt.rcParams.update({"svg.hashsalt": "mixgist", "svg.fonttype": "path", "font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "figure.facecolor": "white"})
SAVE = {"metadata": {"Date": None}, "bbox_inches": "tight"}
BLUE, ORANGE, GREY = "#3b5bdb", "#e8590c", "#868e96"

# %%
# What a slice sees: two mixtures with two atoms, from three directions.
means = {BLUE: np.array([[0.0, 0.0], [3.0, 2.2]]), ORANGE: np.array([[0.2, 2.2], [3.0, 0.0]])}
weights = np.array([0.5, 0.5])
figure, axes = plt.subplots(1, 4, figsize=(11, 2.7), gridspec_kw={"width_ratios": [1.3, 1, 1, 1]})
for color, centres in means.items():
    for centre in centres:
        axes[0].add_patch(Ellipse(centre, 1.3, 1.3, facecolor=color, alpha=0.35, edgecolor=color))
axes[0].set(xlim=(-1.4, 4.6), ylim=(-1.4, 3.6), aspect="equal", title="two mixtures", xticks=[], yticks=[])
for place, (angle, axis) in enumerate(zip((0, 90, 40), axes[1:]), 1):
    v = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    axes[0].annotate("", xy=1.4 * v + [1.5, 1.1], xytext=np.array([1.5, 1.1]), arrowprops={"arrowstyle": "->", "color": GREY})
    axes[0].text(*(1.65 * v + [1.5, 1.1]), str(place), color=GREY, ha="center", va="center")
    at = {color: np.sort(centres @ v) for color, centres in means.items()}
    cost = float(np.mean((at[BLUE] - at[ORANGE]) ** 2))
    for level, (color, points) in zip((0.25, -0.25), at.items()):
        axis.scatter(points, np.full(2, level), s=90, color=color, zorder=3)
    for a, b in zip(at[BLUE], at[ORANGE]):
        axis.plot([a, b], [0.25, -0.25], color=GREY, linewidth=1)
    axis.axhline(0, color="0.85", linewidth=1, zorder=0)
    axis.set(ylim=(-0.8, 0.8), xlim=(-1, 4.4), yticks=[], title=f"slice {place}: distance {np.sqrt(cost):.2f}", xlabel="place on the line")
    axis.spines["left"].set_visible(False)
figure.savefig("slices.svg", **SAVE)

# %%
# Draws of Old Faithful as points: multidimensional scaling of the exact sliced distances.
x = np.loadtxt(ROOT / "datasets/faithful.csv", delimiter=",", skiprows=1)
draws = mixgist.fit(x, seed=1, thin=40, chains=4).draws
summary = mixgist.summarize(draws)
distances = np.asarray(mixgist.distance_matrix(draws, slices=200).values)
losses = distances.mean(axis=1)
medoid = int(losses.argmin())
centring = np.eye(len(draws)) - 1 / len(draws)
values, vectors = np.linalg.eigh(-0.5 * centring @ distances**2 @ centring)
places = vectors[:, -2:][:, ::-1] * np.sqrt(values[-2:][::-1])

figure, axis = plt.subplots(figsize=(6, 3.8))
shown = axis.scatter(*places.T, c=losses, cmap="viridis_r", s=16)
axis.scatter(*places[medoid], marker="*", s=260, color=ORANGE, edgecolor="white", zorder=3, label="medoid")
axis.scatter(*places[-1], marker="X", s=90, color="black", edgecolor="white", zorder=3, label="last draw")
figure.colorbar(shown, label="expected loss")
axis.set(xticks=[], yticks=[], aspect="equal")
axis.legend(frameon=False, loc="best")
figure.savefig("medoid.svg", **SAVE)

# %%
# The floor below the losses of all draws.
free = mixgist.summarize(draws, estimate="free")
figure, axis = plt.subplots(figsize=(6, 3.2))
axis.hist(summary.expected_losses if summary.expected_losses is not None and np.isfinite(summary.expected_losses).all() else losses * summary.expected_loss / losses[medoid], bins=40, color="0.8")
for value, color, name in ((summary.expected_loss, ORANGE, "medoid"), (free.expected_loss, BLUE, "free estimate"), (summary.floor, "black", "floor: nothing lies below")):
    axis.axvline(value, color=color, linewidth=2, label=name)
axis.axvspan(0, summary.floor, color="black", alpha=0.06, linewidth=0)
axis.set(xlabel="expected loss", ylabel="number of draws", xlim=(0.8 * summary.floor, None))
axis.legend(frameon=False)
figure.savefig("floor.svg", **SAVE)
assert summary.floor < free.expected_loss < summary.expected_loss

# %%
# The ball around the medoid, and the density of what it holds.
radius = np.quantile(distances[medoid], 0.95)
inside = distances[medoid] <= radius
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6))
left.scatter(*places[~inside].T, s=16, color="0.8", label="outside")
left.scatter(*places[inside].T, s=16, color=BLUE, label="in the ball")
left.scatter(*places[medoid], marker="*", s=260, color=ORANGE, edgecolor="white", zorder=3, label="estimate")
left.set(xticks=[], yticks=[], aspect="equal")
left.legend(frameon=False)
grid = np.linspace(40, 100, 300)


def waiting(measure):
    sd = np.sqrt(measure.covariances[:, 1, 1])
    z = (grid[:, None] - measure.means[:, 1]) / sd
    return (measure.weights * np.exp(-0.5 * z * z) / (sd * np.sqrt(2 * np.pi))).sum(axis=1)


edge = np.flatnonzero(inside)[np.argsort(distances[medoid][inside])[-12:]]
for i in edge:
    right.plot(grid, waiting(draws[int(i)]), color=BLUE, alpha=0.35, linewidth=1)
right.plot([], [], color=BLUE, alpha=0.5, label="draws at the edge of the ball")
right.plot(grid, waiting(draws[medoid]), color=ORANGE, linewidth=2.5, label="estimate")
right.set(xlabel="waiting time (minutes)", ylabel="density", yticks=[], ylim=(0, 1.35 * right.get_ylim()[1]))
right.legend(frameon=False)
figure.savefig("ball.svg", **SAVE)
