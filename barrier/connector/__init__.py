"""What brings rows in by itself: the generators of sources, and when how many of them are due.

``generator`` finds what makes the rows of a connector, ``datagen`` and ``nexmark`` make them as the
engine's queries, ``flow`` decides (pure) how many are due, ``pull`` has them written in an epoch.
"""
