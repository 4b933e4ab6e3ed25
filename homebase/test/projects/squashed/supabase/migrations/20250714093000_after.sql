-- What was written after the squash relies on an ordinary search_path.
alter table clubs enable row level security;
create policy "anyone reads" on clubs for select using (true);
alter table members add column badge citext;
create function club_total(club clubs) returns bigint language sql stable as 'select app.total(club.id)';
grant usage on schema app to anon, authenticated;
