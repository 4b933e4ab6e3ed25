/** Tests the isolated Backends that homebase-stack/testing creates. */
import { readdirSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";

const backends: { drop(): Promise<void> }[] = [];
afterAll(() => Promise.all(backends.map((backend) => backend.drop())));

test("several isolated backends run at once and do not see each other's rows", async () => {
  const [first, second] = await Promise.all([createBackend({ bare: true }), createBackend({ bare: true })]);
  backends.push(first, second);
  await first.sql("create table public.notes (body text)");
  await first.sql("insert into public.notes values ('only here')");
  const seen = await second.sql("select to_regclass('public.notes') as notes");
  expect(seen).toEqual([{ notes: null }]);
  expect(first.url).not.toBe(second.url);
});

test("a cloned database belongs to role postgres, which is no superuser", async () => {
  const backend = await createBackend({ bare: true });
  backends.push(backend);
  const [row] = await backend.sql(
    `select pg_get_userbyid(datdba) as owner, current_user as "user",
            (select rolsuper from pg_roles where rolname = current_user) as super
     from pg_database where datname = current_database()`,
  );
  expect(row).toEqual({ owner: "postgres", user: "postgres", super: false });
});

test("a dropped backend leaves no database behind", async () => {
  const keeper = await createBackend({ bare: true });
  backends.push(keeper);
  const gone = await createBackend({ bare: true });
  const name = gone.database.name;
  await gone.drop();
  expect(await keeper.sql("select 1 from pg_database where datname = $1", [name])).toEqual([]);
});

test("is dropped while its log is still read: the slot is free only when its reader has ended", async () => {
  for (let round = 0; round < 5; round += 1) {
    const backend = await createBackend({ bare: true });
    const { database } = backend.backend;
    const readers: pg.Client[] = [];
    for (const slot of ["one", "two", "three"]) {
      await database.query(
        "homebase_replication",
        "select pg_create_logical_replication_slot($1, 'pgoutput')",
        [`${database.name}_${slot}`],
      );
      const reader = new pg.Client({
        ...database.connection("homebase_replication"),
        replication: "database",
      } as pg.ClientConfig);
      reader.on("error", () => {});
      await reader.connect();
      readers.push(reader);
      // It never ends: the log goes on.
      reader
        .query(
          `START_REPLICATION SLOT "${database.name}_${slot}" LOGICAL 0/0 (proto_version '1', publication_names 'x')`,
        )
        .catch(() => {});
    }
    await expect
      .poll(() =>
        database.query(
          "supabase_admin",
          "select count(*)::int from pg_replication_slots where database = current_database() and active",
        ),
      )
      .toMatchObject({ rows: [{ count: readers.length }] });
    await backend.drop();
  }
});

/** A file of config.toml's `objects_path`. */
const SEEDED = "00000000-0000-4000-8000-0000000000a1/avatar.webp";

test("reset restores what the backend began with, at the same address and with the same keys", async () => {
  const backend = await createBackend({ bare: true });
  backends.push(backend);
  const client = createClient(backend.url, backend.secretKey, { auth: { persistSession: false } });
  const { url, secretKey } = backend;
  const before = backend.database.name;
  // Objects by their paths' digests; below them are their versions, which are new after each upload.
  const files = () =>
    readdirSync(backend.storageFolder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.split("/").length < 4)
      .sort();
  const buckets = async () => (await client.storage.listBuckets()).data?.map(({ name }) => name);
  const beginning = { files: files(), buckets: await buckets() };
  await backend.sql("create table public.notes (body text)");
  await client.auth.admin.createUser({
    email: "ana@example.com",
    password: "correct horse",
    email_confirm: true,
  });
  await client.storage.createBucket("files");
  await client.storage.from("files").upload("a.txt", "written before");
  await client.auth.resetPasswordForEmail("ana@example.com");
  await expect.poll(() => backend.mails).toHaveLength(1);
  backend.clock.advance(3_600_000);
  expect(files()).not.toEqual(beginning.files);

  await backend.reset();
  expect([backend.url, backend.secretKey]).toEqual([url, secretKey]);
  expect(await backend.sql("select to_regclass('public.notes') as notes")).toEqual([{ notes: null }]);
  expect((await client.auth.admin.listUsers()).data.users).toEqual([]);
  expect({ files: files(), buckets: await buckets() }).toEqual(beginning);
  expect(backend.mails).toEqual([]);
  expect(Math.abs(backend.clock.now() - Date.now())).toBeLessThan(60_000);
  expect(await backend.sql("select 1 from pg_database where datname = $1", [before])).toEqual([]);

  // Everything works as before.
  await client.storage.createBucket("files");
  await client.storage.from("files").upload("b.txt", "written after");
  const { data } = await client.storage.from("files").download("b.txt");
  expect(await data?.text()).toBe("written after");

  await backend.reset();
  expect({ files: files(), buckets: await buckets() }).toEqual(beginning);
  const seeded = await client.storage.from("avatars").download(SEEDED);
  expect(seeded.data?.size).toBeGreaterThan(0);
});

test("restore goes back to a snapshot, as often as wanted: rows, sessions, files, mails and the clock", async () => {
  const backend = await createBackend({ bare: true });
  backends.push(backend);
  const client = createClient(backend.url, backend.secretKey, { auth: { persistSession: false } });
  const credentials = { email: "ana@example.com", password: "correct horse" };
  const sessionOf = async (token: string) => {
    const headers = { apikey: backend.publishableKey, authorization: `Bearer ${token}` };
    const user = await fetch(`${backend.url}/auth/v1/user`, { headers });
    return ((await user.json()) as { error_code?: string }).error_code ?? user.status;
  };
  const signIn = async () => {
    const { auth } = createClient(backend.url, backend.publishableKey, { auth: { persistSession: false } });
    return (await auth.signInWithPassword(credentials)).data.session?.access_token ?? "";
  };
  const text = async (name: string) => (await client.storage.from("files").download(name)).data?.text();
  const state = async () => ({
    notes: await backend.sql("select body from public.notes order by 1"),
    files: [await text("a.txt"), await text("b.txt")],
    mails: backend.mails.map(({ subject }) => subject),
    hours: Math.round((backend.clock.now() - Date.now()) / 3_600_000),
  });
  await backend.sql("create table public.notes (body text); insert into public.notes values ('first')");
  await client.auth.admin.createUser({ ...credentials, email_confirm: true });
  await client.storage.createBucket("files");
  await client.storage.from("files").upload("a.txt", "first");
  await client.auth.resetPasswordForEmail(credentials.email);
  await expect.poll(() => backend.mails).toHaveLength(1);
  backend.clock.advance(3_600_000);
  const early = await signIn();
  const first = await backend.snapshot();
  const before = await state();
  expect(before).toMatchObject({ files: ["first", undefined], hours: 1 });

  for (let round = 1; round <= 2; round += 1) {
    await backend.sql("insert into public.notes values ('second')");
    await client.storage.from("files").upload("a.txt", "second", { upsert: true });
    await client.storage.from("files").upload("b.txt", "second");
    backend.clock.advance(7_200_000);
    await client.auth.resetPasswordForEmail(credentials.email);
    await expect.poll(() => backend.mails).toHaveLength(2);
    const late = await signIn();
    const second = await backend.snapshot();
    const after = await state();
    await backend.restore(first);
    expect(await state()).toEqual(before);
    expect([await sessionOf(early), await sessionOf(late)]).toEqual([200, "session_not_found"]);
    await backend.restore(second);
    expect(await state()).toEqual(after);
    await backend.reset();
    // Also after a reset.
    await backend.restore(first);
    expect(await state()).toEqual(before);
  }
  await expect(backend.restore("other")).rejects.toThrow("This Backend has no snapshot other.");
  const { name } = backend.database;
  await backend.drop();
  const other = await createBackend({ bare: true });
  backends.push(other);
  const left = await other.sql<{ datname: string }>(
    "select datname from pg_database where datname = any ($1)",
    [[first, name]],
  );
  expect(left).toEqual([]);
});

test("it is reset, brought back and dropped while a request that was cut off still writes files", async () => {
  const backend = await createBackend({ bare: true });
  const kept = await backend.snapshot();
  let written = 0;
  let ends = false;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    while (!ends) {
      const folder = join(backend.storageFolder, "late", String(writer), String(written));
      await mkdir(folder, { recursive: true });
      // The folder may just have been taken away.
      await writeFile(join(folder, "a"), "late").catch(() => undefined);
      written += 1;
    }
  });
  for (let round = 0; round < 5; round += 1) {
    for (const before = written; written < before + 200; ) await new Promise(setImmediate);
    await (round % 2 === 0 ? backend.restore(kept) : backend.reset());
  }
  await backend.drop();
  ends = true;
  await Promise.all(writers);
  // What was written after the drop.
  await rm(dirname(backend.storageFolder), { recursive: true, force: true });
});
