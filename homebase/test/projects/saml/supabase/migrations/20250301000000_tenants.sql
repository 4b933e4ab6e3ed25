-- A tenant is an identity provider: rows belong to the connection that a session has come through.
create table public.tenants (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  sso_provider_id uuid unique references auth.sso_providers (id) on delete set null
);
create table public.reports (
  id bigint generated always as identity primary key,
  tenant uuid not null references public.tenants on delete cascade,
  title text not null
);
alter table public.tenants enable row level security;
alter table public.reports enable row level security;

create function public.my_provider() returns uuid language sql stable set search_path = '' as $$
  select (amr ->> 'provider')::uuid
  from jsonb_array_elements((select auth.jwt() -> 'amr')) amr
  where amr ->> 'method' = 'sso/saml'
  limit 1
$$;
create policy "own tenant" on public.tenants for select to authenticated
  using (sso_provider_id = (select public.my_provider()));
create policy "own reports" on public.reports for select to authenticated
  using (tenant in (select id from public.tenants));
create policy "single sign-on only" on public.reports as restrictive to authenticated
  using ((select auth.jwt() #>> '{app_metadata,provider}') like 'sso:%');

create function public.join_tenant() returns trigger language plpgsql security definer set search_path = '' as $$
begin
  if new.is_sso_user and new.raw_user_meta_data ->> 'department' is null then
    new.raw_user_meta_data := coalesce(new.raw_user_meta_data, '{}') || '{"department": "none"}';
  end if;
  return new;
end $$;
create trigger join_tenant before insert on auth.users for each row execute function public.join_tenant();
