{{ config(materialized='materialized_view') }}
select country, count(*) as n, sum(euros) as euros from {{ ref('sales') }} group by country
