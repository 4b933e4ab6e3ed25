/** Owns the database that generated requests ask, and its relationships as the generator and the naive writer see them. */

export const SCHEMA = `
create table public.clients (id int primary key, name text, city text default 'Kassel', since date);
create table public.projects (id int primary key, name text, client_id int references clients,
  budget numeric(8,2) default 100, tags text[], doc jsonb default '{}', done boolean default false);
create table public.users (id int primary key, name text, boss_id int references users, age int2);
create table public.tasks (id int primary key, title text, project_id int references projects on delete cascade,
  author_id int references users, reviewer_id int references users, points int8, due timestamptz, span int4range);
create table public.members (user_id int references users, project_id int references projects on delete cascade,
  role text default 'guest', primary key (user_id, project_id));
create table public.profiles (user_id int primary key references users, bio text, secret text default 'hush');
create view public.big_projects with (security_invoker) as select * from projects where budget > 50;
create function public.urgent(projects) returns setof tasks language sql stable
  as 'select * from tasks where project_id = $1.id and points > 3';
create function public.owner(projects) returns setof clients rows 1 language sql stable
  as 'select * from clients where id = $1.client_id';
create function public.found(minimum numeric default 0) returns setof projects language sql stable
  as 'select * from projects where budget >= minimum';
create function public.cities() returns table (city text, n bigint) language sql stable
  as 'select city, count(*) from clients group by city';
create function public.first_client(wanted int) returns clients language sql stable as 'select * from clients where id = wanted';
create function public.plus(a int, b int default 10) returns int language sql immutable as 'select a + b';
create function public.letters(word text) returns setof text language sql stable as $$ select regexp_split_to_table(word, '') $$;
create function public.both(out one int, out two text) language sql stable as $$ select 1, 'one' $$;
insert into clients select n, (array['Ada', 'Bob', null, 'Ärger "x"', 'a,b(c)'])[1 + n % 5], (array['Kassel', 'Berlin', null])[1 + n % 3],
  date '2020-01-01' + n from generate_series(1, 8) n;
insert into projects select n, 'p' || n, nullif(n % 9, 0), (array[10, 20.5, 99.99, null, 150])[1 + n % 5],
  (array['{a,b}', '{}', null, '{"x y","q\\"r"}'])[1 + n % 4]::text[], (array['{"a":1,"b":{"c":"deep"}}', '{"a":null}', '{}', '{"a":[1,2]}'])[1 + n % 4]::jsonb,
  n % 3 = 0 from generate_series(1, 14) n;
insert into users select n, (array['Uma', 'Vic', 'Wim', null])[1 + n % 4], nullif(n / 2, 0), 20 + n * 7 % 30 from generate_series(1, 7) n;
insert into tasks select n, (array['write', 'read', 'Read twice', null, 'ünï*code%'])[1 + n % 5], nullif(n % 15, 0), nullif(n % 8, 0), nullif(n * 3 % 8, 0),
  (array[1, 2, 5, null, 9007199254740993])[1 + n % 5], timestamptz '2024-02-01 10:00+00' + n * interval '7 hours',
  case when n % 4 > 0 then int4range(n, n + n % 4) end from generate_series(1, 30) n;
insert into members select u, p, (array['guest', 'lead', null])[1 + (u + p) % 3] from generate_series(1, 7) u, generate_series(1, 14) p where (u * p) % 3 = 1;
insert into profiles select n, 'bio ' || n from generate_series(1, 7, 2) n;
alter table tasks enable row level security;
create policy some_tasks on tasks to anon using (project_id % 2 = 1) with check (points < 6);
create policy all_tasks on tasks to service_role using (true) with check (true);
revoke select on profiles from anon;
grant select (user_id, bio) on profiles to anon;
revoke all on members from anon;
revoke delete on clients from anon;
`;

export type Kind = "int" | "big" | "number" | "text" | "date" | "bool" | "array" | "doc" | "range" | "time";

export const TABLES: Record<string, { key: string; columns: Record<string, Kind> }> = {
  clients: { key: "id", columns: { id: "int", name: "text", city: "text", since: "date" } },
  projects: {
    key: "id",
    columns: {
      id: "int",
      name: "text",
      client_id: "int",
      budget: "number",
      tags: "array",
      doc: "doc",
      done: "bool",
    },
  },
  users: { key: "id", columns: { id: "int", name: "text", boss_id: "int", age: "int" } },
  tasks: {
    key: "id",
    columns: {
      id: "int",
      title: "text",
      project_id: "int",
      author_id: "int",
      reviewer_id: "int",
      points: "big",
      due: "time",
      span: "range",
    },
  },
  members: { key: "user_id", columns: { user_id: "int", project_id: "int", role: "text" } },
  profiles: { key: "user_id", columns: { user_id: "int", bio: "text", secret: "text" } },
};

/** What requests read: tables, and what functions give. */
export const SHAPES: typeof TABLES = {
  ...TABLES,
  cities: { key: "city", columns: { city: "text", n: "big" } },
  both: { key: "one", columns: { one: "int", two: "text" } },
};

export interface Relation {
  /** As requests name it, with its hint. */
  as: string[];
  /** The key that it has without an alias. */
  name: string;
  table: string;
  many: boolean;
  /** What it reads from, and the link, given the names of both sides. */
  from?: (parent: string) => string;
  link: (parent: string, child: string) => string;
}

const one = (table: string, column: string, to: string, as: string[]): Relation => ({
  as,
  name: table,
  table,
  many: false,
  link: (p, c) => `${c}.${to} = ${p}.${column}`,
});
const many = (table: string, column: string, to: string, as: string[]): Relation => ({
  ...one(table, to, column, as),
  many: true,
});
const through = (table: string, mine: string, other: string, as: string[]): Relation => ({
  as,
  name: table,
  table,
  many: true,
  link: (p, c) => `exists (select from public.members j where j.${mine} = ${p}.id and j.${other} = ${c}.id)`,
});

const OF_PROJECTS: Relation[] = [
  one("clients", "client_id", "id", ["clients", "clients!client_id", "clients!projects_client_id_fkey"]),
  many("tasks", "project_id", "id", ["tasks", "tasks!tasks_project_id_fkey", "tasks!project_id"]),
  many("members", "project_id", "id", ["members", "members!project_id"]),
  through("users", "project_id", "user_id", ["users", "users!members"]),
];
const COMPUTED: Relation[] = [
  {
    as: ["urgent"],
    name: "urgent",
    table: "tasks",
    many: true,
    from: (p) => `public.urgent(${p})`,
    link: () => "true",
  },
  {
    as: ["owner"],
    name: "owner",
    table: "clients",
    many: false,
    from: (p) => `public.owner(${p})`,
    link: () => "true",
  },
];

export const RELATIONS: Record<string, Relation[]> = {
  clients: [many("projects", "client_id", "id", ["projects", "projects!client_id"])],
  projects: [...OF_PROJECTS, ...COMPUTED],
  big_projects: [],
  users: [
    // Of a table that refers to itself, the table's name gives the children, the column's the parent.
    { ...one("users", "boss_id", "id", ["boss_id"]), name: "boss_id" },
    many("users", "boss_id", "id", ["users", "users!boss_id"]),
    one("profiles", "id", "user_id", ["profiles"]),
    many("tasks", "author_id", "id", ["tasks!author_id", "tasks!tasks_author_id_fkey"]),
    many("tasks", "reviewer_id", "id", ["tasks!reviewer_id"]),
    many("members", "user_id", "id", ["members"]),
    through("projects", "user_id", "project_id", ["projects", "projects!members"]),
  ],
  tasks: [
    one("projects", "project_id", "id", ["projects", "projects!tasks_project_id_fkey"]),
    one("users", "author_id", "id", ["users!author_id", "users!tasks_author_id_fkey"]),
    one("users", "reviewer_id", "id", ["users!reviewer_id", "users!tasks_reviewer_id_fkey"]),
  ],
  members: [
    one("users", "user_id", "id", ["users", "users!user_id"]),
    one("projects", "project_id", "id", ["projects"]),
  ],
  profiles: [one("users", "user_id", "id", ["users"])],
};
