"""The words that options may be, for type checkers and editors. The core knows them too; a test holds these to those."""

from typing import Literal, Union

SlicedDistance = Literal["sw", "mix-sw", "mix-sw-frobenius", "smix-w"]
ExactDistance = Literal["exact-w", "exact-w-frobenius", "exact-w-affine", "mw", "energy", "energy-frobenius"]
DistanceName = Union[SlicedDistance, ExactDistance]
Scheme = Literal["balanced", "iid", "orthogonal", "qmc"]
UnitsName = Literal["sd", "whiten", "none"]
Pruning = Literal["off", "rounding"]
Loss = Literal["distance", "power"]
Route = Literal["auto", "pairs", "certified", "sweep", "blocks"]
Estimator = Literal["medoid", "free", "aligned"]
CovarianceForm = Literal[
    "covariance", "precision", "cholesky", "diagonal", "spherical", "sd", "cov", "full", "tied", "diag", "std", "chol"
]
CovarianceModel = Literal["full", "diagonal", "common", "diag", "tied"]
Algorithm = Literal["blocked", "slice", "marginal"]
ScaleChoice = Literal["auto", "fixed", "learned"]
PartitionLoss = Literal["binder", "vi", "omari", "nvi", "id", "nid", "generalized-binder", "generalized-vi"]
Omari = Literal["identical", "salso"]
Part = Literal["components", "how-many", "memberships", "conformal", "path", "representatives", "stability"]
Kind = Literal[
    "density",
    "contours",
    "pairs",
    "bands",
    "similarity",
    "map",
    "losses",
    "convergence",
    "path",
    "components",
    "memberships",
    "how-many",
    "axes",
    "representatives",
    "stability",
    "traces",
]
Format = Literal["npz", "npy", "csv", "parquet", "wide-csv", "stan-csv", "netcdf", "zarr", "bayesmix", "premium", "json"]
FrameLibrary = Literal["pandas", "polars"]
