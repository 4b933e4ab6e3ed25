-- The API's roles cannot read auth.mfa_factors: a function does it for them.
create function public.has_second_factor() returns boolean language sql stable security definer set search_path = '' as $$
  select exists (select from auth.mfa_factors where user_id = (select auth.uid()) and status = 'verified')
$$;
revoke execute on function public.has_second_factor() from public;
grant execute on function public.has_second_factor() to authenticated;
create policy "expenses: second factor" on public.expenses as restrictive to authenticated
  using ((select auth.jwt() ->> 'aal') = 'aal2' or not (select public.has_second_factor()));
