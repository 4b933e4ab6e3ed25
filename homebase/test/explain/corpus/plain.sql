-- the author
create policy "own" on things for all using (auth.uid() = author) with check (auth.uid() = author);
-- signed in
create policy "signed in" on things for select to authenticated using (true);
-- none but a restrictive one
create policy "restrict" on things as restrictive for select using (not locked);
-- none for the role
create policy "editors" on things for select to service_role using (true);
-- second factor
create policy "read" on things for select to authenticated using (true);
create policy "aal2" on things as restrictive for select to authenticated using ((select auth.jwt() ->> 'aal') = 'aal2');
-- second factor of those who have one
create policy "read" on things for select to authenticated using (true);
create policy "aal" on things as restrictive for select using (array[(select auth.jwt() ->> 'aal')] <@ (select case when count(id) > 0 then array['aal2'] else array['aal1', 'aal2'] end as aal from auth.mfa_factors where auth.uid() = user_id and status = 'verified'));
-- claims
create policy "tenant" on things for select using (org = ((auth.jwt() -> 'app_metadata' ->> 'org')::int));
-- a claim in an array
create policy "orgs" on things for select using (org = any (array(select jsonb_array_elements_text(auth.jwt() -> 'app_metadata' -> 'orgs')::int)));
-- a setting
create policy "setting" on things for select using (org = nullif(current_setting('app.org', true), '')::int);
-- a header
create policy "header" on things for select using (status = current_setting('request.headers', true)::json ->> 'x-status');
-- a time
create policy "from now" on things for select using (now() between publish_at and coalesce(expires_at, 'infinity'));
-- a pattern
create policy "mail" on things for select using (auth.jwt() ->> 'email' like '%@example.org');
-- an array that overlaps
create policy "labels" on things for select using (labels && array['open', 'free']);
-- jsonb contains
create policy "contains" on things for select using (meta @> '{"public": true}');
-- anonymous users
create policy "not anonymous" on things for select to authenticated using ((auth.jwt() ->> 'is_anonymous')::boolean is false);
-- writes by the author
create policy "read" on things for select using (true);
create policy "write" on things for insert to authenticated with check (author = auth.uid() and status in ('draft', 'review') and not locked);
create policy "change" on things for update to authenticated using (author = auth.uid() and not locked) with check (author = auth.uid());
create policy "remove" on things for delete to authenticated using (author = auth.uid());
-- writes by members
create policy "read" on things for select to authenticated using (org in (select app.my_orgs()));
create policy "write" on things for insert to authenticated with check (app.role_in(org) in ('admin', 'editor'));
create policy "change" on things for update to authenticated using (app.role_in(org) = 'admin') with check (app.role_in(org) = 'admin' and author is not null);
create policy "remove" on things for delete to authenticated using (exists (select 1 from app.members m where m.org = things.org and m.uid = auth.uid() and m.role = 'admin'));
-- a limit of rows
create policy "read" on things for select using (true);
create policy "few" on things for insert with check ((select count(*) from app.grants g where g.uid = auth.uid()) < 1 and author = auth.uid());
-- reading by followers
create policy "followers" on things for select using (exists (select 1 from app.follows f where f.followed = things.author and f.follower = auth.uid() and f.status = 'accepted'));
-- reading unless private
create policy "unless private" on things for select using (not (select p.private from app.profiles p where p.id = things.author) or author = auth.uid());
-- a division that raises
create policy "raises" on things for select using (10 / (min_age - min_age) > 1);
-- a long list
create policy "long" on things for select using (status in ('published', 'shared', 'archived', 'exported', 'reviewed', 'translated', 'corrected', 'illustrated', 'printed', 'delivered', 'withdrawn', 'restored', 'translated again', 'corrected again'));
-- a whole row
create policy "row" on things for select using (to_jsonb(things) ->> 'status' = 'published');
