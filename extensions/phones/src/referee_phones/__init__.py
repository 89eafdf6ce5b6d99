"""The pages in every pocket: one web app for phones, a tablet and a television, and what serves it."""
