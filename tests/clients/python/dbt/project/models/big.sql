{{ config(materialized='table') }}
select * from {{ ref('sales') }} where euros > 5
