/** Explanations of Storage, events and private channels, each held against what the service does. */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { explain, sentenceTexts } from "../../src/explain/index.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { PROJECT, USERS } from "./project.ts";

const HEARD_WITHIN_MS = 1_000;

let db: pg.Client;
let ana: SupabaseClient;
let token: string;

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`${PROJECT}
    insert into storage.buckets (id, name, public) values ('team', 'team', false), ('open', 'open', true);
    create policy "team reads" on storage.objects for select to authenticated
      using (bucket_id = 'team' and (storage.foldername(name))[1]::int in (select private.my_teams()));
    create policy "admins upload" on storage.objects for insert to authenticated
      with check (bucket_id = 'team' and private.is_admin((storage.foldername(name))[1]::int) and owner_id = auth.uid()::text);
    create policy "uploaders delete" on storage.objects for delete to authenticated using (owner_id = auth.uid()::text);
    create policy "listen" on realtime.messages for select to authenticated
      using (split_part(realtime.topic(), ':', 2)::int in (select private.my_teams()) and extension = 'broadcast');
    create policy "speak" on realtime.messages for insert to authenticated
      with check (extension = 'broadcast' and private.is_admin(split_part(realtime.topic(), ':', 2)::int));
    create table public.loose (name text);
    alter publication supabase_realtime add table public.notes, public.loose;
    grant select on public.loose to authenticated`);
  db = new pg.Client(backend.databaseUrl);
  await db.connect();
  const now = Math.floor(backend.clock.now() / 1000);
  const claims = { sub: USERS.ana, role: "authenticated", aud: "authenticated", iat: now, exp: now + 3600 };
  token = await backend.backend.keys.sign(claims);
  ana = createClient(backend.url, backend.publishableKey, { accessToken: async () => token });
  const admin = createClient(backend.url, backend.secretKey);
  for (const [bucket, name] of [
    ["team", "1/menu.txt"],
    ["team", "2/drinks.txt"],
    ["open", "logo.txt"],
  ] as const)
    expect((await admin.storage.from(bucket).upload(name, "x")).error).toBeNull();
});
afterAll(async () => {
  await ana.removeAllChannels();
  await db.end();
});

const sentences = async (
  method: string,
  path: string,
  {
    body,
    row,
    name = "ana",
  }: {
    body?: unknown;
    row?: string;
    name?: keyof typeof USERS;
  } = {},
) => {
  const claims = { sub: USERS[name], role: "authenticated" };
  const asked = {
    method,
    path,
    role: "authenticated",
    claims,
    ...(body ? { body: JSON.stringify(body) } : {}),
  };
  return sentenceTexts(await explain(db, asked, row === undefined ? {} : { row })).join("\n");
};

describe("Storage", () => {
  const path = "/storage/v1/object";

  test("a download: hidden, there, not there, public", async () => {
    const team = ana.storage.from("team");
    expect((await team.download("2/drinks.txt")).error).not.toBeNull();
    expect(await sentences("GET", `${path}/team/2/drinks.txt`)).toMatch(
      /^Not found: policy "team reads" asks private\.my_teams\(\)/,
    );
    expect((await team.download("1/menu.txt")).error).toBeNull();
    expect(await sentences("GET", `${path}/team/1/menu.txt`)).toBe(
      "Row security lets authenticated read 1/menu.txt in bucket team.",
    );
    expect(await sentences("GET", `${path}/authenticated/team/1/none.txt`)).toBe(
      "There is no object 1/none.txt in bucket team, for anybody.",
    );
    expect(await sentences("GET", `${path}/none/1`)).toBe("There is no bucket none, for anybody.");
    expect((await ana.storage.from("open").download("logo.txt")).error).toBeNull();
    expect(await sentences("GET", `${path}/open/logo.txt`)).toBe(
      "Bucket open is public: reading logo.txt asks no policy.",
    );
    expect((await fetch(`${backend.url}${path}/public/team/1/menu.txt`)).status).toBe(400);
    expect(await sentences("GET", `${path}/public/team/1/menu.txt`)).toMatch(
      /^Not found: bucket team is not public/,
    );
  });

  test("signing and listing are reads", async () => {
    expect((await ana.storage.from("team").createSignedUrl("2/drinks.txt", 60)).error).not.toBeNull();
    expect(await sentences("POST", `${path}/sign/team/2/drinks.txt`)).toMatch(
      /^Not found: policy "team reads"/,
    );
    const paths = ["1/menu.txt", "2/drinks.txt"];
    expect(await sentences("POST", `${path}/sign/team`, { body: { paths } })).toMatch(
      /^Not signed \(1 row, e\.g\. 2\/drinks\.txt\): policy "team reads"/,
    );
    expect((await ana.storage.from("team").list("2")).data).toEqual([]);
    expect(await sentences("POST", `${path}/list/team`, { body: { prefix: "2" } })).toMatch(/^Not listed/);
    expect((await ana.storage.from("team").list("")).data).toHaveLength(1);
    expect(await sentences("POST", `${path}/list/team`, { body: { prefix: "" } })).toContain(
      "Listed: row security lets authenticated see 1 of 2 in bucket team.",
    );
    expect(await sentences("GET", `${path}/sign/team/1/menu.txt`)).toMatch(
      /^The token in the address decides/,
    );
  });

  test("an upload by each of its parts, and one that replaces by SELECT and UPDATE as well", async () => {
    const team = ana.storage.from("team");
    expect((await team.upload("2/new.txt", "x")).error?.message).toMatch(/row-level security/);
    expect(await sentences("POST", `${path}/team/2/new.txt`)).toMatch(
      /^Refused with "new row violates row-level security policy": policy "admins upload" asks private\.is_admin/,
    );
    expect(await sentences("POST", `${path}/team/1/new.txt`)).toMatch(
      /^Row security lets authenticated upload 1\/new\.txt in bucket team\./,
    );
    expect((await team.upload("1/new.txt", "x")).error).toBeNull();
    expect((await team.upload("1/new.txt", "y", { upsert: true })).error?.message).toMatch(
      /row-level security/,
    );
    expect(await backend.why()).toContain("no policy that lets authenticated UPDATE");
    expect(await sentences("PUT", `${path}/team/1/new.txt`)).toBe(
      'Refused with "new row violates row-level security policy" (1 row): objects has row security and no policy that lets authenticated UPDATE ("admins upload" is for INSERT; "team reads" is for SELECT; "uploaders delete" is for DELETE).\nRefused with "new row violates row-level security policy": objects has row security and no policy that lets authenticated UPDATE ("admins upload" is for INSERT; "team reads" is for SELECT; "uploaders delete" is for DELETE).',
    );
    expect(await sentences("PUT", `${path}/team/1/other.txt`)).toMatch(
      /^Row security lets authenticated write/,
    );
    expect((await team.upload("1/other.txt", "y", { upsert: true })).error).toBeNull();
  });

  test("moving, copying and deleting", async () => {
    const team = ana.storage.from("team");
    const body = { bucketId: "team", sourceKey: "1/menu.txt", destinationKey: "1/card.txt" };
    expect((await team.move("1/menu.txt", "1/card.txt")).error).not.toBeNull();
    expect(await sentences("POST", `${path}/move`, { body })).toMatch(
      /no policy that lets authenticated UPDATE/,
    );
    expect((await team.copy("1/menu.txt", "1/card.txt")).error).toBeNull();
    expect(await sentences("POST", `${path}/copy`, { body })).toBe(
      "Row security lets authenticated read 1/menu.txt in bucket team.\nRow security lets authenticated upload 1/card.txt in bucket team.",
    );
    expect((await team.remove(["1/menu.txt"])).data).toEqual([]);
    expect(await sentences("DELETE", `${path}/team`, { body: { prefixes: ["1/menu.txt"] } })).toMatch(
      /^Not deleted, without an error: policy "uploaders delete" wants owner_id/,
    );
    expect(await sentences("DELETE", `${path}/team/1/card.txt`)).toBe(
      "Row security lets authenticated delete 1/card.txt in bucket team.",
    );
    expect((await team.remove(["1/card.txt"])).data).toHaveLength(1);
    await expect(sentences("POST", `${path}/move`)).rejects.toThrow("Give the body");
  });

  test("buckets have policies of their own", async () => {
    expect((await ana.storage.listBuckets()).data).toEqual([]);
    expect(await sentences("GET", "/storage/v1/bucket")).toMatch(/buckets has row security and no policy/);
    expect((await ana.storage.createBucket("mine")).error).not.toBeNull();
    expect(await sentences("POST", "/storage/v1/bucket", { body: { name: "mine" } })).toMatch(/^Refused/);
    await expect(sentences("POST", "/storage/v1/upload/resumable")).rejects.toThrow("PUT /storage/v1/object");
  });

  test("a request that ran is explained by its record, its names included", async () => {
    await ana.storage.from("team").upload("2/secret.txt", "x");
    const text = await backend.why();
    expect(text).toMatch(/^POST \/storage\/v1\/object\/team\/2\/secret\.txt: 400 AccessDenied$/m);
    expect(text).toContain('policy "admins upload" asks private.is_admin');
    await ana.storage.from("team").list("2");
    expect(await backend.why()).toContain('Not listed: policy "team reads"');
  });
});

/** The payload of the first change that Ana hears of while `sql` runs; undefined for none. */
async function heard(table: string, sql: string, filter?: string): Promise<{ errors: unknown } | undefined> {
  const { promise, resolve } = Promise.withResolvers<{ errors: unknown } | undefined>();
  const ready = Promise.withResolvers<void>();
  const channel = ana
    .channel(`heard-${Math.random()}`)
    .on("postgres_changes", { event: "*", schema: "public", table, ...(filter ? { filter } : {}) }, resolve)
    .on("system", {}, () => ready.resolve())
    .subscribe();
  await ready.promise;
  await backend.sql(sql);
  setTimeout(() => resolve(undefined), HEARD_WITHIN_MS);
  const found = await promise;
  await ana.removeChannel(channel);
  return found;
}

describe("an event", () => {
  beforeEach(() => ana.realtime.setAuth(token));

  test("of a row that a policy hides is not delivered, of others it is", async () => {
    expect(await heard("notes", "update notes set title = 'Gin' where id = 2")).toBeUndefined();
    expect(await sentences("EVENT", "notes", { row: "2" })).toMatch(
      /^Not delivered: policy "members read notes"/,
    );
    expect(await heard("notes", "update notes set title = 'Soup' where id = 1")).toBeDefined();
    expect(await sentences("EVENT", "public.notes", { row: "1" })).toBe(
      "Delivered: INSERT and UPDATE of this row of notes to authenticated.\nDELETE goes to everybody who listens to notes, whatever the policies say.",
    );
  });

  test("passes the subscription's filter, which a deleted row seldom meets", async () => {
    expect(
      await heard("notes", "update notes set title = 'Wine' where id = 1", "team_id=eq.2"),
    ).toBeUndefined();
    expect(await sentences("EVENT", "notes?team_id=eq.2", { row: "1" })).toBe(
      'Filtered: row 1 does not meet team_id=eq.2.\nDELETE never meets this filter, because a deleted row has no team_id in the log. For that: alter table "public"."notes" replica identity full;',
    );
    expect(
      await heard("notes", "update notes set title = 'Beer' where id = 1", "team_id=in.(1,3)"),
    ).toBeDefined();
    expect(await sentences("EVENT", "notes?filter=team_id=in.(1,3)", { row: "1" })).toMatch(/^Delivered/);
    await expect(sentences("EVENT", "notes?place=eq.1")).rejects.toThrow("invalid column for filter place");
    await expect(sentences("EVENT", "notes?team_id=is-1")).rejects.toThrow("Realtime refuses this filter");
  });

  test("of a table that is not published, has no key, or is none", async () => {
    expect(await sentences("EVENT", "comments", { row: "1" })).toMatch(
      /^No event of comments at all: it is not in publication supabase_realtime\. To add it: alter publication supabase_realtime add table "public"\."comments";/,
    );
    expect((await heard("loose", "insert into loose values ('x')"))?.errors).toEqual([
      "Error 400: Bad Request, no primary key",
    ]);
    expect(await sentences("EVENT", "loose")).toMatch(/^Without its record: loose has no primary key/);
    await expect(sentences("EVENT", "my_notes")).rejects.toThrow("only tables have events");
    await expect(sentences("EVENT", "nowhere")).rejects.toThrow("no table public.nowhere");
    await backend.sql("alter publication supabase_realtime set (publish = 'insert')");
    expect(await sentences("EVENT", "notes", { row: "1" })).toMatch(
      /^No event of UPDATE and DELETE: publication supabase_realtime leaves it out/,
    );
    await backend.sql(
      "alter publication supabase_realtime set (publish = 'insert, update, delete, truncate')",
    );
  });

  test("of a publication with a condition", async () => {
    await backend.sql(`alter publication supabase_realtime drop table notes;
      alter publication supabase_realtime add table notes (id, team_id) where (id < 3)`);
    const { delivery, sentences } = await explain(
      db,
      {
        method: "EVENT",
        path: "notes",
        role: "authenticated",
        claims: { sub: USERS.ana, role: "authenticated" },
      },
      { row: "4" },
    );
    expect(delivery).toMatchObject({ published: true, columns: ["id", "team_id"], rowFilter: "(id < 3)" });
    expect(sentences[0]?.text).toBe("Filtered: row 4 does not meet the publication's WHERE (id < 3).");
    await backend.sql(`alter publication supabase_realtime drop table notes;
      alter publication supabase_realtime add table notes`);
  });
});

test("a private channel: who may join, and what for", async () => {
  const joined = (topic: string) =>
    new Promise((resolve) => {
      const channel = ana.channel(topic, { config: { private: true } });
      channel.subscribe((status) => {
        if (status !== "CLOSED") void ana.removeChannel(channel).then(() => resolve(status));
      });
    });
  await ana.realtime.setAuth(token);
  expect(await joined("room:1")).toBe("SUBSCRIBED");
  const own = (await sentences("JOIN", "room:1")).split("\n");
  expect(own[0]).toBe(
    "Joins: on private channel room:1, authenticated may hear broadcasts and send broadcasts.",
  );
  expect(own[1]).toMatch(/^Does not see who is present: policy "listen" wants extension = 'broadcast'/);
  expect(await joined("room:2")).toBe("CHANNEL_ERROR");
  const other = await sentences("JOIN", "realtime:room:2");
  expect(other).toMatch(
    /^Refused with "Unauthorized: You do not have permissions to read from this Channel topic: room:2"/,
  );
  expect(other).toContain('Hears no broadcasts: policy "listen" asks private.my_teams()');
  expect(other).toContain('Sends no broadcasts: policy "speak" asks private.is_admin');
  expect(await sentences("JOIN", "room:2", { name: "ben" })).toContain("may hear broadcasts.");
});
