-- With auto_expose_new_tables off, the API's roles get what is granted here and nothing else.
create type public.expense_state as enum ('draft', 'sent', 'paid');

create table public.expenses (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  amount numeric(12, 2) not null check (amount > 0),
  currency text not null default 'EUR' check (currency ~ '^[A-Z]{3}$'),
  state public.expense_state not null default 'draft',
  receipt text,
  created_at timestamptz not null default now()
);
create index expenses_owner_id_idx on public.expenses (owner_id, created_at desc);
alter table public.expenses enable row level security;

grant select, insert, update (amount, currency, state, receipt) on public.expenses to authenticated;

create policy "expenses: select own" on public.expenses
  for select to authenticated using ((select auth.uid()) = owner_id);
create policy "expenses: insert own" on public.expenses
  for insert to authenticated with check ((select auth.uid()) = owner_id);
create policy "expenses: update drafts" on public.expenses
  for update to authenticated using ((select auth.uid()) = owner_id and state = 'draft')
  with check ((select auth.uid()) = owner_id);
-- Anonymous users may try it out, and pay nothing.
create policy "expenses: permanent users send" on public.expenses as restrictive
  for update to authenticated using (true)
  with check (state = 'draft' or (select (auth.jwt() ->> 'is_anonymous')::boolean) is not true);
create policy "receipts: own folder" on storage.objects for all to authenticated
  using (bucket_id = 'receipts' and (storage.foldername(name))[1] = (select auth.uid()::text));
