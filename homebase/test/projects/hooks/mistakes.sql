create or replace function public.authorize(requested_permission public.app_permission) returns boolean language sql stable as 'select true';
grant execute on function public.custom_access_token_hook to authenticated;
revoke execute on all functions in schema hooks from supabase_auth_admin;
