"""Many texts through one service: plan, store, gate, run, outcome. Knows callables and texts, no clients or tables."""
