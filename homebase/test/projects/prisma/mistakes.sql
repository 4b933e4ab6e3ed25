drop trigger on_auth_user_created on auth.users;
alter table public."User" disable row level security;
alter type public."Role" add value 'OWNER';
