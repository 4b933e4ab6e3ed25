/** Partitioned tables and children: whose policies decide, whichever of them a request or a function names. */
import { expect, test } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { ANA, BEN, Style } from "./asking.ts";

const PROJECT = `
create table public.visits (day date, id int, owner uuid, primary key (day, id)) partition by range (day);
create table public.visits_old partition of public.visits for values from ('2025-01-01') to ('2026-01-01');
create table public.visits_new partition of public.visits for values from ('2026-01-01') to ('2027-01-01') partition by list (id);
create table public.visits_new_1 partition of public.visits_new for values in (1, 2, 3);
insert into public.visits values ('2025-05-05', 1, '${ANA}'), ('2025-05-05', 2, '${BEN}'), ('2026-05-05', 1, '${ANA}'), ('2026-05-05', 2, '${BEN}');
alter table public.visits enable row level security;
create policy "own visits" on public.visits for select to authenticated using (owner = (select auth.uid()));
create policy "move own visits" on public.visits for update to authenticated using (owner = (select auth.uid()) and id <> 1);
alter table public.visits_old enable row level security;
create policy "nobody" on public.visits_old for select to authenticated using (false);
alter table public.visits_new_1 enable row level security;
create table public.plates (id int primary key);
insert into public.plates values (1), (2);
alter table public.plates enable row level security;
create policy "visited" on public.plates for select to authenticated
  using (exists (select from public.visits v where v.id = plates.id and v.day > '2026-01-01'));
create view public.recent with (security_invoker = true) as select day, id from public.visits where day > '2026-01-01';
create function public.all_visits() returns setof public.visits language sql stable as 'select * from public.visits';
create function public.visits_of(part text) returns setof int language plpgsql stable as
  $$ begin return query execute format('select v.id from public.%I v', part); end $$;
create function public.move_all() returns void language sql as $$ update public.visits set id = id where day > '2026-01-01' $$;
create table public.things (id int primary key, owner uuid);
create table public.cups (colour text) inherits (public.things);
insert into public.cups values (1, '${BEN}', 'red');
alter table public.things enable row level security;
create policy "own things" on public.things for select to authenticated using (owner = (select auth.uid()));
create function public.all_things() returns setof int language sql stable as 'select id from public.things';
`;

const style = await forThisFile(Style.of(PROJECT));
const as = { sub: ANA };
const OWN = `policy "own visits" wants owner = you, and owner is ${BEN}.`;

test("the whole table's policies decide where it is named: by a request, a view, a function, another policy", async () => {
  const asked = {
    visits: [`Hidden (2 rows, e.g. 2025-05-05,2): ${OWN}`],
    "visits?day=gt.2026-01-01": [`Hidden (1 row, e.g. 2026-05-05,2): ${OWN}`],
    recent: [`visits: Hidden (1 row, e.g. 2026-05-05,2): ${OWN}`],
    "rpc/all_visits": [`Hidden in "the body of all_visits" (2 rows, e.g. 2025-05-05,2): ${OWN}`],
    "rpc/visits_of?part=visits": [
      `Hidden in "select v.id from public.visits v" (2 rows, e.g. 2025-05-05,2): ${OWN}`,
    ],
    plates: [
      `Hidden (1 row, e.g. 2): policy "visited" wants a row of visits with id = this row's id and day > '2026-01-01': there is 1 row, but you cannot see it, because policy "own visits" of visits wants owner = you, and owner is ${BEN}.`,
    ],
  };
  for (const [path, hidden] of Object.entries(asked)) {
    const { status, sentences } = await style.ask({ path, as });
    expect([path, status, sentences.filter((one) => one.includes("Hidden"))]).toEqual([path, 200, hidden]);
  }
});

test("a partition's own policies decide where it is named", async () => {
  const { rows, text } = await style.ask({ path: "rpc/visits_of?part=visits_old", as });
  expect(rows).toEqual([]);
  expect(text).toContain(
    'Hidden in "select v.id from public.visits_old v" (2 rows, e.g. 2025-05-05,1): policy "nobody" wants false.',
  );
});

test("an update of the whole table by a function is not reached because of the whole table's policies", async () => {
  const { status, text } = await style.ask({
    method: "POST",
    path: "rpc/move_all",
    as,
    body: {},
    replay: true,
  });
  expect(status).toBe(204);
  expect(text).toContain(`(1 row, e.g. 2026-05-05,2): ${OWN}`);
  expect(text).toMatch(/Not reached by UPDATE in .*policy "move own visits" wants id <> 1/);
  expect(text).not.toContain("visits_new_1");
});

test("rows of a child are hidden by the policies of the table above that is named", async () => {
  const { rows, text } = await style.ask({ path: "rpc/all_things", as });
  expect(rows).toEqual([]);
  expect(text).toContain(`policy "own things" wants owner = you, and owner is ${BEN}.`);
});
