//! From data to draws: mixing priors, component models and algorithms as three independent axes.
