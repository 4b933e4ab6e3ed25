/** Each of the specification's limits that people can reach: its own error, including concurrent requests. */

import { describe, expect, test } from "vitest";
import { createBackend, forThisFile } from "../target/integration.ts";
import { dataOf, guest, type NoshClient, people, plans, signedInEach } from "./people.ts";
import { atOnce } from "./plan/races.ts";

const backend = await forThisFile(createBackend());
const [ana, ben] = await signedInEach(backend, "ana", "ben");

/** The limits' values, lowered for one test. */
async function withLimit(name: string, value: number, run: () => Promise<void>): Promise<void> {
  const [before] = await backend.sql<{ value: number }>("select value from private.limits where name = $1", [
    name,
  ]);
  expect([name, before]).not.toEqual([name, undefined]);
  await backend.sql("update private.limits set value = $2 where name = $1", [name, value]);
  await backend.sql("delete from private.usage");
  try {
    await run();
  } finally {
    await backend.sql("update private.limits set value = $2 where name = $1", [name, before?.value]);
  }
}

const aPlace = () => ({
  name: "New",
  latitude: 1,
  longitude: 1,
  price: 1,
  time_zone: "UTC",
  created_by: people.ana,
});
const aMessage = () => ({
  plan_id: plans.dinner,
  author_id: people.ana,
  client_id: crypto.randomUUID(),
  body: "Hi",
});

test("new places in a day", () =>
  withLimit("places_per_day", 1, async () => {
    expect((await ana.from("places").insert(aPlace())).error).toBeNull();
    const { error, status } = await ana.from("places").insert(aPlace());
    expect([status, error?.details]).toEqual([429, "too_many_new_places"]);
    const saved = await ana.rpc("save_place", { fields: { ...aPlace(), created_by: undefined } });
    expect(saved.error?.details).toBe("too_many_new_places");
  }));

test("open invites of a plan and of a circle; one that is revoked makes room", async () => {
  const plan = dataOf(await ana.rpc("create_plan", { title: "Links", time_zone: "UTC" }));
  const circle = dataOf(await ana.rpc("create_circle", { name: "Links" }));
  await withLimit("open_invites", 1, async () => {
    const [first] = dataOf(await ana.rpc("create_invite", { plan }));
    expect((await ana.rpc("create_invite", { plan })).error?.details).toBe("too_many_invites");
    expect((await ana.rpc("revoke_invite", { invite: first?.id ?? "" })).error).toBeNull();
    expect((await ana.rpc("create_invite", { plan })).error).toBeNull();
    expect((await ana.rpc("create_circle_invite", { circle })).error).toBeNull();
    expect((await ana.rpc("create_circle_invite", { circle })).error?.details).toBe("too_many_invites");
  });
});

test("requests to join, of a person and a network in a day, and at one plan, two at once included", async () => {
  const [first, second] = await Promise.all(
    ["One", "Two"].map(async (title) => dataOf(await ana.rpc("create_plan", { title, time_zone: "UTC" }))),
  );
  const [lea, finn] = await Promise.all(["Lea", "Finn"].map((name) => guest(backend, name)));
  if (!first || !second || !lea || !finn) throw new Error("two plans and two guests");
  await withLimit("open_join_requests", 1, async () => {
    const answers = await atOnce(
      backend,
      "select 1 from public.plans where id = $1 for update",
      [first],
      [lea, finn].map(
        ({ client }) =>
          () =>
            client.rpc("ask_to_join", { plan: first }),
      ),
    );
    expect(answers.map(({ data, error }) => data ?? error?.details).toSorted()).toEqual([
      "asked",
      "join_requests_full",
    ]);
  });
  for (const limit of ["join_requests_per_person", "join_requests_per_network"])
    await withLimit(limit, 0, async () => {
      const { error, status } = await lea.client.rpc("ask_to_join", { plan: second });
      expect([status, error?.details]).toEqual([429, "too_many_join_requests"]);
    });
});

test("names that a network asks for at the table of an invite in a day", async () => {
  const token = dataOf(await ana.rpc("create_invite", { plan: plans.dinner }))[0]?.token ?? "";
  await withLimit("names_per_network", 1, async () => {
    const answers = [];
    for (const name of ["Nobody", "Ben"]) answers.push(await ana.rpc("namesake", { name, token }));
    expect(answers.map(({ status, error }) => [status, error?.details])).toEqual([
      [200, undefined],
      [429, "too_many_names"],
    ]);
  });
});

test("circles that one owns, two at once included", () =>
  withLimit("circles_owned", 3, async () => {
    const [{ count } = { count: 0 }] = await backend.sql<{ count: number }>(
      "select count(*)::integer as count from public.circle_members where user_id = $1 and role = 'owner'",
      [people.ana],
    );
    for (let owned = count; owned < 2; owned += 1) dataOf(await ana.rpc("create_circle", { name: "More" }));
    const answers = await atOnce(
      backend,
      "select 1 from public.profiles where id = $1 for update",
      [people.ana],
      [() => ana.rpc("create_circle", { name: "One" }), () => ana.rpc("create_circle", { name: "Two" })],
    );
    expect(answers.map((answer) => answer.error?.details)).toEqual([undefined, "too_many_circles"]);
  }));

test("reactions in a minute, taken back or not", () =>
  withLimit("reactions_per_minute", 2, async () => {
    const [message] = dataOf(await ana.from("messages").select("id").eq("plan_id", plans.dinner).limit(1));
    const key = { message_id: message?.id ?? "", plan_id: plans.dinner, user_id: people.ana, emoji: "😮" };
    const react = async () => {
      await ana.from("reactions").delete().match(key);
      return (await ana.from("reactions").insert(key)).error?.details;
    };
    expect([await react(), await react(), await react()]).toEqual([
      undefined,
      undefined,
      "too_many_reactions",
    ]);
  }));

test("messages in a minute, two at once included", () =>
  withLimit("messages_per_minute", 1, async () => {
    await backend.sql(
      "update public.messages set created_at = now() - interval '1 hour' where author_id = $1",
      [people.ana],
    );
    const answers = await atOnce(
      backend,
      "select 1 from public.profiles where id = $1 for update",
      [people.ana],
      [() => ana.from("messages").insert(aMessage()), () => ana.from("messages").insert(aMessage())],
    );
    expect(answers.map((answer) => answer.error?.details)).toEqual([undefined, "too_many_messages"]);
  }));

test("calendars in an hour", () =>
  withLimit("calendars_per_hour", 1, async () => {
    const read = async () => {
      const { error } = await ana.functions.invoke("read-calendar", {
        body: { url: "http://127.0.0.1/a.ics" },
      });
      return error?.context instanceof Response ? error.context.status : null;
    };
    // The first gets as far as its address, which is rejected; the second does not.
    expect([await read(), await read()]).toEqual([400, 429]);
  }));

describe("files", () => {
  const upload = (client: NoshClient, bucket: string, folder: string) =>
    client.storage
      .from(bucket)
      .upload(`${folder}/${crypto.randomUUID()}.webp`, new Blob(["xx"], { type: "image/webp" }));

  test("pictures of oneself", () =>
    withLimit("avatar_files", 2, async () => {
      await backend.sql("select set_config('storage.allow_delete_query', 'true', false)");
      const own = dataOf(await ben.storage.from("avatars").list(people.ben));
      await ben.storage.from("avatars").remove(own.map((file) => `${people.ben}/${file.name}`));
      expect((await upload(ben, "avatars", people.ben)).error).toBeNull();
      expect((await upload(ben, "avatars", people.ben)).error).toBeNull();
      expect((await upload(ben, "avatars", people.ben)).error).toMatchObject({ statusCode: "403" });
      // Another person's are not counted.
      expect((await upload(ana, "avatars", people.ana)).error).toBeNull();
    }));

  test("many uploads at once do not pass a limit that one would not", async () => {
    const counted = async (bucket: string, folder: string) =>
      (
        await backend.sql<{ files: number }>(
          "select count(*)::int as files from storage.objects where bucket_id = $1 and name like $2 || '/%'",
          [bucket, folder],
        )
      )[0]?.files;
    const plan = dataOf(await ana.rpc("create_plan", { title: "Photos", time_zone: "UTC" }));
    await withLimit("plan_photos", 10, async () => {
      await Promise.all(
        Array.from({ length: 15 }, () => upload(ana, "plan-photos", `${plan}/${people.ana}`)),
      );
      expect(await counted("plan-photos", plan)).toBe(10);
    });
    await Promise.all(Array.from({ length: 12 }, () => upload(ana, "avatars", people.ana)));
    expect(await counted("avatars", people.ana)).toBe(5);
  });

  test("all files of a person, by number and by bytes", async () => {
    const folder = `${plans.dinner}/${people.ana}`;
    await withLimit("stored_files", 0, async () => {
      expect((await upload(ana, "plan-photos", folder)).error).toMatchObject({ statusCode: "403" });
    });
    expect((await upload(ana, "plan-photos", folder)).error).toBeNull();
    await withLimit("stored_megabytes", 0, async () => {
      expect((await upload(ana, "plan-photos", folder)).error).toMatchObject({ statusCode: "403" });
    });
  });
});

describe("deadlines", () => {
  test("a deadline is not moved into the past, and is moved ahead", async () => {
    const plan = dataOf(await ana.rpc("create_plan", { title: "Late", time_zone: "UTC" }));
    const move = async (minutes: number) =>
      (
        await ana
          .from("plans")
          .update({ vote_deadline: new Date(Date.now() + minutes * 60_000).toISOString() })
          .eq("id", plan)
      ).error?.details;
    expect(await move(-1)).toBe("deadline_in_past");
    expect(await move(60)).toBeUndefined();
  });

  test("after the deadline only a host adds to the plan", async () => {
    const plan = dataOf(
      await ana.rpc("create_plan", { title: "Over", time_zone: "UTC", people: [people.ben] }),
    );
    await backend.sql("update public.plans set vote_deadline = now() - interval '1 minute' where id = $1", [
      plan,
    ]);
    const proposal = {
      plan,
      starts_at: new Date(Date.now() + 86_400_000).toISOString(),
      ends_at: new Date(Date.now() + 90_000_000).toISOString(),
    };
    expect((await ben.rpc("propose_time", proposal)).error?.details).toBe("voting_closed");
    expect((await ana.rpc("propose_time", proposal)).error).toBeNull();
  });
});
