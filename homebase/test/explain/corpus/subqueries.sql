-- a derived table
create policy "read" on things for select using (org in (select t.org from (select m.org, m.role from app.members m where m.uid = auth.uid() and m.active) t where t.role <> 'guest'));
-- exists over a derived table
create policy "read" on things for select using (exists (select 1 from (select m.org, count(*) as n from app.members m group by m.org) c where c.org = things.org and c.n > 2));
-- a common table expression
create policy "read" on things for select using (org in (with mine as (select m.org from app.members m where m.uid = auth.uid() and m.active) select mine.org from mine));
-- two common table expressions
create policy "read" on things for select using (exists (with mine as (select m.org from app.members m where m.uid = auth.uid()), pro as (select o.id from app.orgs o where o.plan = 'pro') select 1 from mine join pro on pro.id = mine.org where mine.org = things.org));
-- a recursive one
create policy "read" on things for select using (folder in (with recursive up as (select f.id, f.parent from app.folders f where f.owner = auth.uid() union all select f.id, f.parent from app.folders f join up on f.parent = up.id) select up.id from up));
-- grouped with having
create policy "read" on things for select using (org in (select m.org from app.members m where m.active group by m.org having count(*) > 1));
-- exists of a group
create policy "read" on things for select using (exists (select m.org from app.members m where m.org = things.org group by m.org having bool_or(m.uid = auth.uid() and m.role = 'admin')));
-- a count above a number
create policy "read" on things for select using ((select count(*) from app.members m where m.org = things.org and m.active) >= 3);
-- a maximum
create policy "read" on things for select using ((select max(g.level) from app.grants g where g.item = things.id and g.uid = auth.uid()) > 1);
-- a scalar subquery that is compared
create policy "read" on things for select using ((select m.role from app.members m where m.org = things.org and m.uid = auth.uid()) = 'admin');
-- a scalar subquery in a list
create policy "read" on things for select using ((select m.role from app.members m where m.org = things.org and m.uid = auth.uid()) in ('admin', 'owner'));
-- a scalar subquery with a limit
create policy "read" on things for select using ((select m.role from app.members m where m.org = things.org and m.uid = auth.uid() order by m.role limit 1) = 'admin');
-- a boolean from another table
create policy "read" on things for select using ((select f.shared from app.folders f where f.id = things.folder));
-- a comparison with another table's column
create policy "read" on things for select using (min_age <= (select p.age from app.profiles p where p.id = auth.uid()));
-- not in a subquery
create policy "read" on things for select using (author not in (select b.by_user from app.blocks b where b.blocked = auth.uid()));
-- all of a subquery
create policy "read" on things for select using (author <> all (select b.by_user from app.blocks b where b.blocked = auth.uid()));
-- an array of a subquery
create policy "read" on things for select using (org = any (array(select m.org from app.members m where m.uid = auth.uid() and m.role <> 'guest')));
-- two joins
create policy "read" on things for select using (exists (select 1 from app.members m join app.orgs o on o.id = m.org where m.org = things.org and m.uid = auth.uid() and o.plan = 'pro' and m.role in ('admin', 'owner')));
-- a left join
create policy "read" on things for select using (exists (select 1 from app.orgs o left join app.members m on m.org = o.id and m.uid = auth.uid() where o.id = things.org and (o.owner = auth.uid() or m.role = 'admin')));
-- subqueries in subqueries
create policy "read" on things for select using (org in (select o.id from app.orgs o where o.plan = 'pro' and o.id in (select m.org from app.members m where m.uid = auth.uid() and m.role = 'admin')));
-- exists in exists
create policy "read" on things for select using (exists (select 1 from app.orgs o where o.id = things.org and exists (select 1 from app.members m where m.org = o.id and m.uid = auth.uid() and m.role = 'owner')));
-- a union
create policy "read" on things for select using (id in (select g.item from app.grants g where g.uid = auth.uid() and g.level > 1 union select t.item from app.tags t where t.tag = 'open'));
-- an intersection
create policy "read" on things for select using (id in (select g.item from app.grants g where g.uid = auth.uid() intersect select t.item from app.tags t where t.tag = 'food'));
-- not exists with several conditions
create policy "read" on things for select using (not exists (select 1 from app.tags t where t.item = things.id and t.tag in ('secret', 'internal', 'draft')));
-- a lateral join
create policy "read" on things for select using (exists (select 1 from app.orgs o cross join lateral (select m.role from app.members m where m.org = o.id and m.uid = auth.uid() limit 1) r where o.id = things.org and r.role = 'admin'));
-- distinct
create policy "read" on things for select using (org in (select distinct on (m.uid) m.org from app.members m where m.uid = auth.uid() order by m.uid, m.org desc));
-- a row comparison
create policy "read" on things for select using ((org, author) in (select m.org, m.uid from app.members m where m.uid = auth.uid() and m.active));
-- a join to users
create policy "read" on things for select using (exists (select 1 from app.profiles p, app.members m where p.id = auth.uid() and m.uid = p.id and m.org = things.org and (p.role = 'admin' or m.role = 'admin')));
-- values
create policy "read" on things for select using (status in (select v.s from (values ('published'), ('shared')) v(s)));
-- unnest of a claim
create policy "read" on things for select using (org::text in (select jsonb_array_elements_text(auth.jwt() -> 'orgs')));
-- an aggregate of an array
create policy "read" on things for select using (org = any ((select array_agg(m.org) from app.members m where m.uid = auth.uid() and m.active)::int[]));
-- an exists with a window
create policy "read" on things for select using (id in (select r.item from (select g.item, row_number() over (partition by g.item order by g.level desc) as n, g.uid from app.grants g) r where r.n = 1 and r.uid = auth.uid()));
