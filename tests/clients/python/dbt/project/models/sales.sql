select s.id, s.city, c.country, s.euros, s.sold
from {{ source('shop', 'sale') }} s join {{ ref('cities') }} c on c.city = s.city
