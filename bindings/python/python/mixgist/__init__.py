"""The gist of a mixture posterior: one point estimate from thousands of draws, with the evidence for it.

>>> import numpy as np, mixgist
>>> draws = mixgist.Draws(np.full((150, 2), 0.5), np.tile([0.0, 5.0], (150, 1)), np.ones((150, 2)))
>>> mixgist.summarize(draws).n_components
2
"""

from ._core import __version__
from ._draws import Draws
from ._measure import Measure
from ._summary import Summary, summarize
from ._warnings import MixgistWarning

__all__ = ["Draws", "Measure", "MixgistWarning", "Summary", "summarize", "__version__"]
