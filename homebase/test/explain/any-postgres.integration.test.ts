/**
 * `homebase explain --db-url` on plain Postgres servers, which have nothing of Supabase's: the bundled version, and each
 * that this machine has installed. Every verdict is compared with what the server itself returns to the caller.
 */
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { ExplanationData } from "../../src/explain/verdicts.ts";
import { installBinaries } from "../../src/postgres/cluster/binaries.ts";
import { Project } from "../cli/project.ts";
import { leasePorts } from "../port-lease.ts";
import { startSystemPostgres, systemPostgres } from "../system-postgres.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 240_000 });

const SCHEMA = `
create role authenticated;
create role owner login bypassrls;
grant authenticated to owner;
grant create on schema public to owner;
create schema private authorization owner;
set role owner;
grant usage on schema private to authenticated;
create table teams (id int primary key, open boolean not null);
create table members (team_id int references teams, person text, primary key (team_id, person));
create table notes (id int primary key, team_id int references teams, secret boolean);
insert into teams values (1, true), (2, false);
insert into members values (1, 'ana'), (2, 'ben');
insert into notes values (1, 1, false), (2, 2, false), (3, 1, true), (4, 1, null);
create function private.my_teams() returns setof int language sql stable security definer
begin atomic
  select team_id from public.members where person = current_setting('request.jwt.claims', true)::json ->> 'sub';
end;
alter table teams enable row level security;
alter table notes enable row level security;
create policy "open teams" on teams for select to authenticated using (open);
create policy "members read" on notes for select to authenticated using (team_id in (select private.my_teams()));
create policy "not secret" on notes as restrictive for select to authenticated using (not secret);
create policy "of open teams" on notes as restrictive for select to authenticated
  using (exists (select from teams t where t.id = notes.team_id));
grant select on teams, notes to authenticated;
`;

const servers = [{ version: "17, bundled", bin: join(installBinaries().folder, "bin") }, ...systemPostgres()];

describe.each(servers)("Postgres $version", ({ bin }) => {
  const port = 54_320 + leasePorts();
  const url = `postgresql://owner@127.0.0.1:${port}/postgres`;
  const project = new Project();
  let stop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    stop = await startSystemPostgres(bin, port, SCHEMA);
  });
  afterAll(async () => {
    await stop?.();
    await project.remove();
  });

  const explain = async (...words: string[]) => {
    const { code, stdout, stderr } = await project.run("explain", ...words, "--db-url", url);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const ask = (person: string, row: number) => [
    "GET",
    "/rest/v1/notes",
    "--claims",
    JSON.stringify({ sub: person, role: "authenticated" }),
    "--row",
    String(row),
  ];

  test.each(["ana", "ben", "eve"])("the verdict on each row is the server's own for %s", async (person) => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query("select set_config('request.jwt.claims', $1, false)", [
      JSON.stringify({ sub: person }),
    ]);
    await client.query("set role authenticated");
    const { rows } = await client.query<{ id: number }>("select id from notes");
    await client.end();
    const visible: number[] = [];
    for (const row of [1, 2, 3, 4]) {
      const told = JSON.parse(await explain(...ask(person, row), "--json")) as ExplanationData;
      if (told.tables[0]?.judged[0]?.groups[0]?.visible) visible.push(row);
    }
    expect(visible).toEqual(rows.map(({ id }) => id).sort());
  });

  test("names the part that hides a row, inside a function and behind another table", async () => {
    expect(await explain(...ask("ana", 3))).toContain(
      'Hidden: policy "not secret" wants secret to be false, and it is true.',
    );
    expect(await explain(...ask("ana", 4))).toContain(
      'Hidden: policy "not secret" wants secret to be false, and it is null.',
    );
    expect(await explain(...ask("ben", 2))).toContain(
      'there is 1 row, but you cannot see it, because policy "open teams" of teams wants open.',
    );
    expect(await explain(...ask("ana", 2))).toContain(
      "asks private.my_teams(), which wants a row of members with team_id = this row's team_id and person = you: " +
        "there is 1 row with this team_id (2), but not with person = you",
    );
  });
});
