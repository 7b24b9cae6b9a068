"""The operators of a plan, one file each: the formula and its source first, then the rule.

``scan`` reads a stored relation, ``constant`` rows that never change, ``join`` filters, projects
and joins, ``aggregate`` groups (and makes rows distinct), ``union_all`` adds, ``recompute`` runs
whatever the others do not take. A new operator is a new file with a rule that ``build`` lists.
"""
