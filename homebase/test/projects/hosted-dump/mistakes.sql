drop event trigger ensure_rls;
create or replace function private.is_owner(row_owner uuid) returns boolean language sql stable as 'select true';
