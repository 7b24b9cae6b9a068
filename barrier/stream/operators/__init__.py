"""The operators of a plan, one file each: the formula and its source first, then the rule.

``select`` reads FROM and WHERE, for itself, for ``window``, which looks at a row's partition, and
for ``grouping``, whose rules make an ``aggregate`` of GROUP BY and DISTINCT; ``join`` filters,
projects and joins, ``outer_join`` keeps rows that meet nothing, ``semi_join`` those that meet any,
``union_all`` adds, ``scan`` reads a stored relation, ``constant`` rows that never change, and
``recompute`` runs whatever the others do not take. A new operator is a new file with a rule that
``build`` lists.
"""
