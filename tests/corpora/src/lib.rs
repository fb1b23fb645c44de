//! Nothing but a home for the test `replay`.
