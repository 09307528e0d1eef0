"""# Files in the layout of CmdStan

One CSV file for each chain, columns `theta.1`, `mu.1.1`, `L.1.1.1` and so on. CmdStan is not needed: the files are written here from the draws of the previous entry, with the columns and comments that CmdStan
writes.

**What to look for:** the names that are given to `from_cmdstan`. The answer is the same as in the previous entry.
"""

# %%
import mixgist
import numpy as np

stored = np.load(HERE / "data/numpyro.npz")


def columns(name, array):
    """CmdStan writes the first index fastest."""
    places = [place[::-1] for place in np.ndindex(*array.shape[1:][::-1])]
    return [".".join([name, *(str(i + 1) for i in place)]) for place in places], np.stack([array[(slice(None), *place)] for place in places], axis=1)


files = []
for chain in range(len(stored["w"])):
    parts = [columns(name, stored[key][chain]) for name, key in (("theta", "w"), ("mu", "mu"), ("L", "L"))]
    header = ["lp__", *(column for names, _ in parts for column in names)]
    values = np.column_stack([np.zeros(len(parts[0][1])), *(array for _, array in parts)])
    files.append(f"mixture_{chain + 1}.csv")
    with open(files[-1], "w") as out:
        out.write("# stan_version_major = 2\n# model = mixture_model\n# save_warmup = 0 (Default)\n" + ",".join(header) + "\n")
        np.savetxt(out, values, delimiter=",", fmt="%.10g")
print(open(files[0]).read()[:180], "…")

# %%
# Read them by the names of the Stan program. At the command line, `mixgist inspect mixture_1.csv` proposes these names.
draws = mixgist.Draws.from_cmdstan(files, weights="theta", means="mu", covariances="L", covariance_form="cholesky", data=stored["data"])
summary = mixgist.summarize(draws)
print(summary)
mixgist.figure(summary, "contours", draws=draws).write("contours.svg")
direct = mixgist.Draws(stored["w"], stored["mu"], stored["L"], covariance_form="cholesky")
assert np.allclose(draws.means, direct.means, rtol=1e-8) and np.allclose(draws.covariances, direct.covariances, rtol=1e-7)
