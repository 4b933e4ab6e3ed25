/** The picture of an invite link: a PNG for signed-out robots, stored, and drawn again when the plan changes. */
import { writeFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { clientOf, dataOf, guest, people, place, signedIn } from "../people.ts";

let plan: string;
let token: string;

const backend = await forThisFile(createBackend());
const ana = await signedIn(backend, "ana");
beforeAll(async () => {
  const starts = new Date(Date.now() + 3 * 86_400_000);
  starts.setUTCHours(19, 30, 0, 0);
  plan = dataOf(
    await ana.rpc("create_plan", {
      title: 'Çorba & "two" <spoons> 🥄 for everyone who came in from the cold',
      time_zone: "Europe/Lisbon",
      times: [
        { starts_at: starts.toISOString(), ends_at: new Date(starts.getTime() + 7_200_000).toISOString() },
      ],
      places: [place(4)],
      people: [people.ben],
    }),
  );
  token = dataOf(await ana.rpc("create_invite", { plan }))[0]?.token ?? "";
});

const picture = (of: string, init: RequestInit = {}) =>
  fetch(`${backend.url}/functions/v1/invite-picture?token=${encodeURIComponent(of)}`, init);
/** Width and height of a PNG. */
function sizeOf(png: Buffer): number[] {
  expect(png.subarray(0, 8).toString("latin1")).toBe("\x89PNG\r\n\x1a\n");
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

test("a robot without a session gets a picture of 1200 by 630, the same one again, and 304 for its ETag", async () => {
  const first = await picture(token);
  expect([first.status, first.headers.get("content-type")]).toEqual([200, "image/png"]);
  const png = Buffer.from(await first.arrayBuffer());
  // Chats leave out larger pictures.
  expect(png.byteLength).toBeLessThan(300_000);
  if (process.env.SAVE_PICTURE) await writeFile(process.env.SAVE_PICTURE, png);
  expect(sizeOf(png)).toEqual([1200, 630]);
  const again = await picture(token);
  expect(Buffer.from(await again.arrayBuffer()).equals(png)).toBe(true);
  const etag = first.headers.get("etag") ?? "";
  expect((await picture(token, { headers: { "If-None-Match": etag } })).status).toBe(304);
});

test("one file for each plan is stored, which only the function can read", async () => {
  const other = dataOf(await ana.rpc("create_invite", { plan }))[0]?.token ?? "";
  await picture(other);
  expect(
    await backend.sql("select name from storage.objects where bucket_id = 'invite-pictures' order by name"),
  ).toEqual([{ name: `${plan}.png` }]);
  for (const client of [ana, clientOf(backend)]) {
    const { data } = await client.storage.from("invite-pictures").download(`${plan}.png`);
    expect(data).toBeNull();
    expect((await client.rpc("invite_subject", { token })).error).toMatchObject({ code: "42501" });
  }
});

test("a new member or another language of the host changes the picture", async () => {
  const before = (await picture(token)).headers.get("etag");
  const bo = await guest(backend, "Bo");
  dataOf(await bo.client.rpc("accept_invite", { token }));
  const joined = await picture(token);
  expect(joined.headers.get("etag")).not.toBe(before);
  expect(sizeOf(Buffer.from(await joined.arrayBuffer()))).toEqual([1200, 630]);
  await backend.sql(`update public.private_profiles set language = 'de' where id = '${people.ana}'`);
  expect((await picture(token)).headers.get("etag")).not.toBe(joined.headers.get("etag"));
});

test("a plan's own link has a picture of its own, without the date, which changes with the plan", async () => {
  const own = (id: string) => fetch(`${backend.url}/functions/v1/invite-picture?plan=${id}`);
  const first = await own(plan);
  const png = Buffer.from(await first.arrayBuffer());
  if (process.env.SAVE_PICTURE) await writeFile(`${process.env.SAVE_PICTURE}-own.png`, png);
  expect(sizeOf(png)).toEqual([1200, 630]);
  expect(png.byteLength).toBeLessThan(300_000);
  const stored = await backend.sql<{ name: string }>(
    "select name from storage.objects where bucket_id = 'invite-pictures'",
  );
  expect(new Set(stored.map(({ name }) => name))).toEqual(new Set([`${plan}.png`, `address/${plan}.png`]));
  const bea = await guest(backend, "Bea");
  dataOf(await bea.client.rpc("accept_invite", { token }));
  expect((await own(plan)).headers.get("etag")).not.toBe(first.headers.get("etag"));
  expect((await own(crypto.randomUUID())).status).toBe(404);
  expect((await own("nonsense")).status).toBe(400);
});

test("links that do not work have no picture, each with its reason", async () => {
  const wrong = await picture("nonsense");
  expect([wrong.status, await wrong.json()]).toMatchObject([404, { code: "invite_not_found" }]);
  expect((await picture("")).status).toBe(400);
  expect((await picture("x".repeat(500))).status).toBe(400);
  const [invite] = dataOf(
    await ana.from("invites").select("id").eq("plan_id", plan).order("created_at").limit(1),
  );
  expect((await ana.rpc("revoke_invite", { invite: invite?.id ?? "" })).error).toBeNull();
  const revoked = await picture(token);
  expect([revoked.status, await revoked.json()]).toMatchObject([410, { code: "invite_revoked" }]);
});

test("the preview gives signed-out callers the time of a decided meal", async () => {
  const link = dataOf(await ana.rpc("create_invite", { plan }))[0]?.token ?? "";
  const options = dataOf(
    await ana
      .from("plans")
      .select(
        "time_options!time_options_plan_id_fkey(id, starts_at), place_options!place_options_plan_id_fkey(id)",
      )
      .eq("id", plan)
      .single(),
  );
  const [time] = options.time_options;
  const [where] = options.place_options;
  const stranger = clientOf(backend);
  expect(dataOf(await stranger.rpc("preview_invite", { token: link }))[0]).toMatchObject({ starts_at: null });
  expect(
    (
      await ana.rpc("confirm_plan", {
        plan,
        time_option: time?.id ?? "",
        place_option: where?.id ?? "",
        unsafe_for: [],
      })
    ).error,
  ).toBeNull();
  expect(dataOf(await stranger.rpc("preview_invite", { token: link }))[0]).toMatchObject({
    plan_state: "confirmed",
    starts_at: time?.starts_at,
    time_zone: "Europe/Lisbon",
    language: "de",
  });
});
