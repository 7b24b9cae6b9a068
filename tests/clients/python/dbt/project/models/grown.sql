{{ config(materialized='incremental', unique_key='id') }}
select id, euros, sold from {{ source('shop', 'sale') }}
{% if is_incremental() %} where id > (select max(id) from {{ this }}) {% endif %}
