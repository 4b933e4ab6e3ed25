/** Tests of explaining writes without running them; each is also run as the caller, to hold the explanation against. */
import { beforeAll, expect, test } from "vitest";
import { explain, sentenceTexts } from "../../src/explain/index.ts";
import { quoteLiteral } from "../../src/postgres/quoting.ts";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { PROJECT, USERS } from "./project.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
beforeAll(async () => {
  await backend.sql(PROJECT);
});

async function sentences(
  method: string,
  path: string,
  body: unknown,
  name: keyof typeof USERS = "ana",
  replay = false,
) {
  const claims = { sub: USERS[name], role: "authenticated" };
  const asked = { method, path, role: "authenticated", claims };
  return sentenceTexts(
    await explain(db, body === undefined ? asked : { ...asked, body: JSON.stringify(body) }, { replay }),
  );
}

/** The rows that a statement changes for a user, or Postgres's code; it is rolled back. */
async function run(sql: string, name: keyof typeof USERS = "ana"): Promise<number | string> {
  const claims = quoteLiteral(JSON.stringify({ sub: USERS[name], role: "authenticated" }));
  try {
    await db.query(
      `begin; set local role authenticated; select set_config('request.jwt.claims', ${claims}, true)`,
    );
    return (await db.query(sql)).rowCount ?? 0;
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await db.query("rollback");
  }
}

test("an insert is judged with its values and the table's defaults", async () => {
  const note = "Generated columns have no new value here: length.";
  expect(await run("insert into tasks (team_id, title) values (1, 'Bake') returning id")).toBe(1);
  expect(await sentences("POST", "/rest/v1/tasks", { team_id: 1, title: "Bake" })).toEqual([
    "Row security lets authenticated INSERT this row of tasks.",
    note,
  ]);
  expect(await run("insert into tasks (team_id, state) values (1, 'locked')")).toBe("42501");
  expect(await sentences("POST", "/rest/v1/tasks", { team_id: 1, state: "locked" })).toEqual([
    `Refused with 403, code 42501: policy "own tasks" wants state <> 'locked', and state is locked.`,
    note,
  ]);
});

test("of several rows the refused ones are told", async () => {
  const told = await sentences("POST", "/rest/v1/tasks", [
    { team_id: 1, owner_id: USERS.ana },
    { team_id: 1, owner_id: USERS.ben },
  ]);
  expect(told[0]).toBe(
    `Refused with 403, code 42501 (1 row): policy "own tasks" wants owner_id = you, and owner_id is ${USERS.ben}.`,
  );
});

test("an insert whose row cannot be read is refused with a representation only", async () => {
  const ben = `'${USERS.ben}'`;
  expect(
    await run(`insert into team_members values (1, '00000000-0000-4000-8000-0000000000a3', 'guest')`),
  ).toBe(1);
  expect(
    await run(
      `insert into team_members values (1, '00000000-0000-4000-8000-0000000000a3', 'guest') returning role`,
    ),
  ).toBe("42501");
  const [lets, returned] = await sentences("POST", "/rest/v1/team_members", {
    team_id: 1,
    user_id: "00000000-0000-4000-8000-0000000000a3",
    role: "guest",
  });
  expect(lets).toBe("Row security lets authenticated INSERT this row of team_members.");
  expect(returned).toMatch(
    /^Refused with return=representation.*policy "people see themselves" wants user_id = you/,
  );
  expect(await run(`insert into team_members values (2, ${ben}, 'x')`)).toBe("42501");
  const [refused] = await sentences("POST", "/rest/v1/team_members", {
    team_id: 2,
    user_id: USERS.ben,
    role: "x",
  });
  expect(refused).toMatch(/^Refused with 403, code 42501: policy "invite" asks private.is_admin\(\)/);
});

test("an update does nothing to rows that it may not reach, and is refused for what it may not make of others", async () => {
  expect(await run("update tasks set title = 'x' where id = 2")).toBe(0);
  expect((await sentences("PATCH", "/rest/v1/tasks?id=eq.2", { title: "x" }))[0]).toBe(
    `Not updated, without an error: policy "own tasks" wants owner_id = you, and owner_id is ${USERS.ben}.`,
  );
  expect(await run("update tasks set title = 'x' where id = 3")).toBe(0);
  expect((await sentences("PATCH", "/rest/v1/tasks?id=eq.3", { title: "x" }))[0]).toBe(
    `Not updated, without an error: policy "locked stay" wants state = 'open', and state is locked.`,
  );
  expect(await run("update tasks set state = 'locked' where id = 1")).toBe("42501");
  expect((await sentences("PATCH", "/rest/v1/tasks?id=eq.1", { state: "locked" }))[0]).toMatch(
    /^Refused with 403, code 42501: policy "own tasks" wants state <> 'locked', and state is locked/,
  );
  expect(await run("update tasks set title = 'x' where id = 1")).toBe(1);
  expect((await sentences("PATCH", "/rest/v1/tasks?id=eq.1", { title: "x" }))[0]).toBe(
    "Row security lets authenticated UPDATE rows of tasks.",
  );
});

test("a delete without a policy, one that is allowed, and one that meets nothing", async () => {
  expect(await run("delete from notes where id = 1")).toBe(0);
  expect(await sentences("DELETE", "/rest/v1/notes?id=eq.1", undefined)).toEqual([
    'Not deleted, without an error (1 row): notes has row security and no policy that lets authenticated DELETE ("members read notes" is for SELECT).',
  ]);
  expect(await run("delete from tasks where id = 1")).toBe(1);
  expect(await sentences("DELETE", "/rest/v1/tasks?id=eq.1", undefined)).toEqual([
    "Row security lets authenticated DELETE rows of tasks.",
  ]);
  expect(await sentences("DELETE", "/rest/v1/tasks?id=eq.99", undefined)).toEqual([
    "No row of tasks meets the request's filters, whoever asks.",
  ]);
});

test("a grant comes first, a trigger is named, and nothing is run", async () => {
  expect(await sentences("DELETE", "/rest/v1/tags?id=eq.1", undefined)).toEqual([
    expect.stringContaining("may not DELETE from tags, before any policy: the answer is 403"),
  ]);
  await backend.sql(`
    create table public.fired (at timestamptz);
    create function public.fire() returns trigger language plpgsql as $$
      begin insert into public.fired values (now()); return new; end $$;
    create trigger "Fire it" before insert on public.tasks for each row execute function public.fire()`);
  const before = await backend.sql("select last_value, is_called from public.tasks_id_seq");
  expect(await sentences("POST", "/rest/v1/tasks", { team_id: 1 })).toContain(
    "Trigger Fire it may change the row before it is checked; it was not run.",
  );
  expect(await backend.sql("select * from public.fired")).toEqual([]);
  expect(await backend.sql("select last_value, is_called from public.tasks_id_seq")).toEqual(before);
});

test("with replay the row is the one that triggers make, and nothing of it stays", async () => {
  await backend.sql(`
    create function public.lock_it() returns trigger language plpgsql as $$
      begin new.state := 'locked'; return new; end $$;
    create trigger locks before insert or update on public.tasks for each row when (new.title = 'Lock')
      execute function public.lock_it()`);
  const before = await backend.sql("select id, state, title from public.tasks order by id");
  const refused = `Refused with 403, code 42501: policy "own tasks" wants state <> 'locked', and state is locked.`;
  const row = { team_id: 1, title: "Lock" };
  expect(await run("insert into tasks (team_id, title) values (1, 'Lock')")).toBe("42501");
  expect(await sentences("POST", "/rest/v1/tasks", row)).not.toContain(refused);
  expect(await sentences("POST", "/rest/v1/tasks", row, "ana", true)).toEqual([refused]);
  expect(await run("update tasks set title = 'Lock' where id = 1")).toBe("42501");
  expect(await sentences("PATCH", "/rest/v1/tasks?id=eq.1", { title: "Lock" }, "ana", true)).toEqual([
    refused.replace(/\.$/, "; and policy \"locked stay\" wants state = 'open', and state is locked."),
  ]);
  expect(await backend.sql("select id, state, title from public.tasks order by id")).toEqual(before);
  expect((await sentences("POST", "/rest/v1/teams", { id: 1 }, "ana", true)).join("\n")).toMatch(
    /Run again without row security, it raises code 23505 \(duplicate key .*\): its rows are judged by their values\./,
  );
});

test("an upsert has to meet the rules of INSERT, SELECT and UPDATE", async () => {
  const upsert = async (body: unknown, resolution = "merge") => {
    const claims = { sub: USERS.ana, role: "authenticated" };
    const headers = { prefer: `resolution=${resolution}-duplicates` };
    const asked = { method: "POST", path: "/rest/v1/shelf", role: "authenticated", claims, headers };
    return sentenceTexts(await explain(db, { ...asked, body: JSON.stringify(body) }));
  };
  await backend.sql(`
    create table public.shelf (id int primary key, owner_id uuid, state text default 'open');
    insert into public.shelf values (1, '${USERS.ana}', 'open'), (2, '${USERS.ben}', 'open'), (3, '${USERS.ana}', 'locked');
    alter table public.shelf enable row level security;
    create policy "all read open" on public.shelf for select to authenticated using (state <> 'secret');
    create policy "all add" on public.shelf for insert to authenticated with check (true);
    create policy "own, unless locked" on public.shelf for update to authenticated
      using (owner_id = (select auth.uid()) and state <> 'locked') with check (owner_id = (select auth.uid()))`);
  const write = (
    id: number,
    owner: string,
    state: string,
    action = "do update set owner_id = excluded.owner_id, state = excluded.state",
  ) => run(`insert into shelf values (${id}, '${owner}', '${state}') on conflict (id) ${action}`);
  const row = (id: number, owner_id: string, state: string) => ({ id, owner_id, state });

  expect(await write(9, USERS.ana, "open")).toBe(1);
  expect(await upsert(row(9, USERS.ana, "open"))).toEqual([
    "Row security lets authenticated INSERT this row of shelf.",
  ]);
  expect(await write(9, USERS.ana, "secret")).toBe("42501");
  expect((await upsert(row(9, USERS.ana, "secret")))[0]).toMatch(
    /^Refused with 403, code 42501: policy "all read open" wants state <> 'secret'/,
  );
  expect(await write(1, USERS.ana, "done")).toBe(1);
  expect(await upsert([row(1, USERS.ana, "done"), row(9, USERS.ana, "open")])).toEqual([
    "Row security lets authenticated INSERT this row of shelf.",
    "Row security lets authenticated UPDATE what is there already.",
  ]);
  expect(await write(2, USERS.ana, "open")).toBe("42501");
  expect((await upsert(row(2, USERS.ana, "open")))[0]).toBe(
    `Refused with 403, code 42501, as the row is there already: policy "own, unless locked" wants owner_id = you, and owner_id is ${USERS.ben}.`,
  );
  expect(await write(1, USERS.ben, "open")).toBe("42501");
  expect((await upsert(row(1, USERS.ben, "open")))[0]).toMatch(
    /as the row is there already: policy "own, unless locked" wants owner_id = you/,
  );
  expect(await write(3, USERS.ana, "open")).toBe("42501");
  expect((await upsert(row(3, USERS.ana, "open")))[0]).toMatch(
    /wants state <> 'locked', and state is locked/,
  );
  expect(await write(2, USERS.ana, "open", "do nothing")).toBe(0);
  expect(await upsert(row(2, USERS.ana, "open"), "ignore")).toEqual([
    "Row security lets authenticated INSERT this row of shelf.",
    "Rows that are there already stay as they are.",
  ]);
  const put = await sentences("PUT", "/rest/v1/shelf?id=eq.2", row(2, USERS.ana, "open"));
  expect(put[0]).toMatch(/as the row is there already/);
});

test("what has no values, no such function or values of another type is refused with the reason", async () => {
  await expect(sentences("POST", "/rest/v1/tasks", undefined)).rejects.toThrow(/give its body/);
  await expect(sentences("POST", "/rest/v1/rpc/is_admin", { team: 1 })).rejects.toThrow(
    /Calls of functions|PGRST202/,
  );
  await expect(sentences("POST", "/rest/v1/tasks", { team_id: "x" })).rejects.toThrow(/invalid input syntax/);
});
