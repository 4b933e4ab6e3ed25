/** Owns random sets of policies: a schema of the shapes that projects have, and conditions that use all of it. */
import { seeded } from "../chaos/random.ts";

/** Reproducible choices. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seeded(seed);
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<Each>(choices: readonly [Each, ...Each[]] | readonly Each[]): Each {
    return choices[this.below(choices.length)] as Each;
  }
}

/** Members and their teams have row security of their own; a definer function, an invoker one and a view read them. */
export const SCHEMA = `
  create role gen_editors; create role gen_owner;
  grant gen_editors to authenticated; grant gen_owner to postgres; grant anon to gen_owner;
  create schema gen; create schema hidden;
  grant usage on schema gen to anon, authenticated, gen_owner; grant all on schema gen to gen_owner;
  create table gen.members (team int, who uuid, level int);
  create table gen.items (id int primary key, owner uuid, kind text, n int, team int, "odd AND name" bool);
  create view gen.seen_members with (security_invoker = true) as select * from gen.members;
  create view gen.all_members as select * from gen.members;
  grant select on all tables in schema gen to anon, authenticated, gen_owner;
  create function hidden.my_teams() returns setof int language sql stable security definer set search_path = ''
    begin atomic select m.team from gen.members m where m.who = (select auth.uid()); end;
  create function hidden.is_member(team int, at_least int) returns boolean language sql stable security definer
    set search_path = gen as $$ select exists (select 1 from members m where m.team = is_member.team and m.who = auth.uid() and m.level >= at_least) $$;
  create function gen.sees_member(wanted int) returns boolean language sql stable
    return exists (select 1 from gen.members m where m.team = wanted);
  create function gen.level_of(wanted int) returns int language plpgsql stable as $$
    begin return (select max(m.level) from gen.members m where m.team = wanted and m.who = auth.uid()); end $$;
  create function hidden.at_least(team int default 1, low int default null) returns boolean language sql stable
    security definer set search_path = gen as $$ select count(*) > 0 from members m where m.team = at_least.team
      and (m.level >= at_least.low or at_least.low is null) and m.who = auth.uid() $$;
  create function hidden.teams_of(low int default 0) returns setof int language plpgsql stable security definer as $$
    begin return query select m.team from gen.members m where m.who = auth.uid() and m.level >= low; end $$;
  create function gen.whole(item gen.items) returns boolean language sql immutable
    return item.n > 1 and item.kind is not null;
  alter table gen.members enable row level security;
  alter table gen.items enable row level security;
  insert into gen.members
    select team, format('00000000-0000-4000-8000-00000000000%s', who)::uuid, (team + who) % 3
    from generate_series(1, 4) team, generate_series(1, 3) who where (team * who) % 4 <> 0;
  insert into gen.items
    select i, case when i % 4 < 3 then format('00000000-0000-4000-8000-00000000000%s', i % 4 + 1)::uuid end,
      case i % 3 when 0 then 'a' when 1 then 'b' end, nullif(i % 5, 0), nullif(i % 6, 0), nullif(i % 3, 0) = 1
    from generate_series(1, 24) i;
`;

export const ITEM_LEAVES = [
  "owner = auth.uid()",
  "owner = (select auth.uid())",
  "kind = 'a'",
  "kind in ('a', 'x AND y')",
  "n > 2",
  "n is null",
  "n between 1 and 3",
  '"odd AND name"',
  "kind is distinct from 'b'",
  "current_user = 'authenticated'",
  "auth.role() = 'anon'",
  "true",
  "false",
  "null::boolean",
  "case when n > 1 then kind = 'a' when n = 1 and kind is null then null else false end",
  "team in (select m.team from gen.members m where m.who = auth.uid())",
  "team not in (select m.team from gen.members m where m.level > 1)",
  "exists (select 1 from gen.members m where m.team = items.team and m.who = auth.uid() and m.level > 0)",
  "exists (select 1 from gen.members m join gen.members o on o.who = m.who where m.team = items.team and o.level = n)",
  "team = any (array(select hidden.my_teams()))",
  "team in (select hidden.my_teams())",
  "hidden.is_member(team, 1)",
  "(select hidden.is_member(team, n))",
  "gen.sees_member(team)",
  "gen.level_of(team) >= 1",
  "gen.whole(items)",
  "exists (select 1 from gen.seen_members s where s.team = items.team)",
  "exists (select 1 from gen.all_members s where s.team = items.team and s.who = items.owner)",
  "(auth.jwt() ->> 'org') = kind",
  "hidden.at_least() = true",
  "hidden.at_least(team) is true",
  "hidden.at_least(team, n) is not true",
  "coalesce(hidden.at_least(team, low => 1), false)",
  "(hidden.at_least(team) and n > 1) = false",
  "team in (select hidden.teams_of())",
  "team = any (array(select t from hidden.teams_of(1) t))",
  "(select count(*) from gen.members m where m.team = items.team) > 0",
  "(select count(*) from gen.members m where m.team = items.team and m.level > 0) = 2",
  "(select count(m.level) from gen.members m where m.who = items.owner) >= 1",
  "case kind when 'a' then exists (select 1 from gen.members m where m.team = items.team) when 'b' then n > 1 and owner = auth.uid() else hidden.is_member(team, 0) end",
  "case when n = 1 then hidden.at_least(team) end",
  "coalesce(n > 1 or owner = auth.uid(), false)",
  "exists (select 1 from gen.members m where m.team = 2 and items.kind = 'a' and m.level > 0)",
  "kind in (select jsonb_array_elements_text(auth.jwt() -> 'app_metadata' -> 'kinds'))",
  "kind = current_setting('request.headers', true)::json ->> 'x-kind'",
  "kind = any (array['a', auth.jwt() ->> 'org'])",
  "(select max(m.level) from gen.members m where m.team = items.team) > 1",
];

export const MEMBER_LEAVES = [
  "who = auth.uid()",
  "level > 0",
  "team < 3",
  "true",
  "false",
  "who is null",
  "current_user = 'anon'",
];

const ROLES = ["public", "authenticated", "anon", "gen_editors", "authenticated, anon"];

/** One case: what is created, and who asks. */
export interface Case {
  sql: string;
  role: string;
  claims: Record<string, unknown>;
  headers: Record<string, string>;
}

export function randomCase(random: Random): Case {
  const policies: string[] = [];
  const add = (table: string, leaves: readonly string[], most: number) => {
    for (let at = random.below(most); at >= 0; at--) {
      const restrictive = random.below(4) === 0 ? "restrictive" : "permissive";
      const command = random.pick(["all", "all", "select", "select", "select", "update"]);
      policies.push(
        `create policy "${table} ${at}" on gen.${table} as ${restrictive} for ${command} to ${random.pick(ROLES)}
         using (${condition(random, leaves, 2)});`,
      );
    }
  };
  add("items", ITEM_LEAVES, 3);
  add("members", MEMBER_LEAVES, 2);
  const owner = random.pick(["postgres", "postgres", "postgres", "gen_owner"]);
  const role = random.pick(["authenticated", "authenticated", "anon", "gen_owner", "service_role"]);
  const user = random.below(4);
  return {
    sql: `${policies.join("\n")}
      alter table gen.items owner to ${owner};
      alter table gen.items ${random.below(2) === 0 ? "no " : ""}force row level security;
      grant select on gen.items, gen.members to anon, authenticated, service_role, gen_owner, postgres;
      grant usage on schema gen to service_role;`,
    role,
    headers: random.below(2) === 0 ? {} : { "x-kind": random.pick(["a", "b"]) },
    claims: {
      role,
      ...(random.below(2) === 0 ? {} : { app_metadata: { kinds: random.pick([["a"], [], ["a", "b"]]) } }),
      org: random.pick(["a", "b"]),
      ...(user === 0 ? {} : { sub: `00000000-0000-4000-8000-00000000000${user}` }),
    },
  };
}

export function condition(random: Random, leaves: readonly string[], depth: number): string {
  if (depth === 0 || random.below(3) === 0) return random.pick(leaves);
  if (random.below(4) === 0) return `not (${condition(random, leaves, depth - 1)})`;
  const members = Array.from(
    { length: 2 + random.below(2) },
    () => `(${condition(random, leaves, depth - 1)})`,
  );
  return members.join(random.below(2) === 0 ? " and " : " or ");
}
