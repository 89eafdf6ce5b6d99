"""The judge: what was truly done, against what the referee made of it."""
