"""Exact arithmetic and exact chance: rational bounds, system entropy, categorical draws."""
