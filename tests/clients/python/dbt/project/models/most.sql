select country from {{ ref('passing') }} order by n desc, country limit 1
