-- As the dashboard's webhooks are dumped: nothing creates the schema or pg_net.
create table public.orders (id bigint generated always as identity primary key, status text not null default 'open');
CREATE TRIGGER "notify" AFTER INSERT OR UPDATE ON "public"."orders" FOR EACH ROW
  EXECUTE FUNCTION "supabase_functions"."http_request"('http://127.0.0.1:9/functions/v1/orders', 'POST', '{"Content-type":"application/json"}', '{}', '1000');
create function public.ping() returns bigint language sql security definer set search_path = '' as $$
  select net.http_post(url := 'http://127.0.0.1:9/ping', body := '{}'::jsonb)
$$;
insert into public.orders default values;
