-- public, of the organisation, or the author's
create policy "read" on things for select using (public or app.is_member(org) or author = auth.uid());
-- a member by a subquery, or the author
create policy "read" on things for select using (author = (select auth.uid()) or exists (select 1 from app.members m where m.org = things.org and m.uid = (select auth.uid())));
-- public or shared with the caller
create policy "read" on things for select using (status = 'published' or id in (select g.item from app.grants g where g.uid = auth.uid()));
-- alternatives of a status and the author, and a restriction
create policy "read" on things for select using ((status = 'published' and publish_at <= now()) or author = auth.uid());
create policy "not blocked" on things as restrictive for select using (not exists (select 1 from app.blocks b where b.by_user = things.author and b.blocked = auth.uid()));
-- four alternatives
create policy "read" on things for select using (public or author = auth.uid() or app.role_in(org) = 'admin' or auth.jwt() ->> 'role' = 'service');
-- nested alternatives
create policy "read" on things for select using ((public and (status = 'published' or status = 'archived')) or (author = auth.uid() and not locked));
-- alternatives inside of a subquery
create policy "read" on things for select using (exists (select 1 from app.members m where m.org = things.org and (m.role = 'admin' or m.uid = things.author or m.role = 'owner') and m.uid = auth.uid()));
-- alternatives with IN lists
create policy "read" on things for select using (status in ('published', 'shared') or app.my_role() in ('editor', 'admin'));
-- several policies
create policy "public ones" on things for select using (public);
create policy "own ones" on things for select using (author = auth.uid());
create policy "of the organisation" on things for select using (org in (select app.my_orgs()));
-- several policies with two parts each
create policy "published" on things for select using (status = 'published' and publish_at < now());
create policy "team" on things for select using (org in (select app.my_orgs()) and not locked);
create policy "granted" on things for select using (exists (select 1 from app.grants g where g.item = things.id and g.uid = auth.uid() and g.level > 2));
-- a coalesce of alternatives
create policy "read" on things for select using (coalesce(public, false) or coalesce(author = auth.uid(), false));
-- a case with alternatives
create policy "read" on things for select using (case when locked then author = auth.uid() or app.has_role('moderator') else public or app.is_member(org) end);
-- the negation of alternatives
create policy "read" on things for select using (not (locked or status = 'deleted' or (status = 'draft' and author <> auth.uid())));
-- alternatives of arrays
create policy "read" on things for select using (auth.uid() = any (editors) or auth.uid() = author or 'public' = any (labels));
-- alternatives of jsonb
create policy "read" on things for select using ((meta ->> 'visibility') = 'all' or (meta -> 'readers') ? (auth.uid())::text);
-- all commands by alternatives
create policy "all" on things for all using (author = auth.uid() or app.role_in(org) in ('admin', 'owner')) with check (author = auth.uid() or app.role_in(org) in ('admin', 'owner'));
-- a role in the organisation or a global one
create policy "all" on things for all to authenticated using (app.role_in(org) = any (array['admin', 'editor']) or app.has_role('admin'));
