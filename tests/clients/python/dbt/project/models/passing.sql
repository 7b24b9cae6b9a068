{{ config(materialized='ephemeral') }}
select country, n from {{ ref('per_country') }}
