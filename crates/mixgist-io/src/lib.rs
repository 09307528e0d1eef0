//! Files of mixgist: one module a format, each turning bytes into the core's types and back.
