"""A release: one version everywhere, all files that are published, their sums and signatures."""
