-- a function that is not null
create policy "read" on things for select using (app.role_in(org) is not null);
-- a function of plpgsql that is not null
create policy "read" on things for select using (app.level_of(id) is not null);
-- a function compared
create policy "read" on things for select using (app.role_in(org) = 'admin');
-- a function in a list
create policy "read" on things for select using (app.role_in(org) in ('admin', 'owner', 'editor'));
-- a function above a number
create policy "read" on things for select using (app.level_of(id) >= 2);
-- a function of plpgsql
create policy "read" on things for select using (app.can_edit(id, org));
-- a function that is coalesced
create policy "read" on things for select using (coalesce(app.level_of(id), 0) > 0);
-- negated
create policy "read" on things for select using (not app.is_member(org) and not public);
-- is true
create policy "read" on things for select using (app.is_member(org) is true);
-- of the caller's profile
create policy "read" on things for select using (app.my_role() = 'editor');
-- of a claim
create policy "read" on things for select using (org = app.tenant());
-- a role by a claim
create policy "read" on things for select using (app.has_role('editor'));
-- by argument names
create policy "read" on things for select using (app.can_edit(org => org, item => id));
-- in a scalar subquery
create policy "read" on things for select using ((select app.is_member(org)));
-- a set that must not have it
create policy "read" on things for select using (org not in (select app.my_orgs()));
-- an array of a set
create policy "read" on things for select using (org = any (array(select app.my_orgs())));
-- exists of a set
create policy "read" on things for select using (exists (select 1 from app.my_orgs() o where o = things.org));
-- a null check with another part
create policy "read" on things for select using (auth.uid() is not null and app.role_in(org) is not null);
-- own role through lower
create policy "read" on things for select using (lower(app.my_role()) = lower(meta ->> 'role'));
-- by position
create policy "read" on things for select using (position(app.my_role() in coalesce(meta ->> 'roles', '')) > 0);
