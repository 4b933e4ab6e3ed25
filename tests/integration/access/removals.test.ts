/** Removing people from circles and plans: each keeps an owner or host, and removed people have no access. */

import { describe, expect, test } from "vitest";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, type NoshClient, people, signedIn, signedInEach } from "../people.ts";
import { atOnce } from "../plan/races.ts";

const backend = await forThisFile(createBackend());
const [ana, ben, chiara] = await signedInEach(backend, "ana", "ben", "chiara");

/** A circle that Ana owns, with Ben and Chiara. */
async function circleOfAna(): Promise<string> {
  const circle = dataOf(await ana.rpc("create_circle", { name: "Races" }));
  const [invite] = dataOf(await ana.rpc("create_circle_invite", { circle }));
  for (const person of [ben, chiara])
    dataOf(await person.rpc("accept_invite", { token: invite?.token ?? "" }));
  return circle;
}

/** A plan that Ana hosts, with Ben and Chiara as cohosts, and the link that they used. */
async function planOfAna(): Promise<{ plan: string; token: string }> {
  const plan = dataOf(await ana.rpc("create_plan", { title: "Out", time_zone: "UTC" }));
  const [invite] = dataOf(await ana.rpc("create_invite", { plan }));
  const token = invite?.token ?? "";
  for (const [client, person] of [
    [ben, people.ben],
    [chiara, people.chiara],
  ] as const) {
    dataOf(await client.rpc("accept_invite", { token }));
    expect((await ana.rpc("set_member_role", { plan, person, role: "cohost" })).error).toBeNull();
  }
  return { plan, token };
}

const owners = async (circle: string) =>
  (
    await backend.sql("select user_id from public.circle_members where circle_id = $1 and role = 'owner'", [
      circle,
    ])
  ).length;

const seat = "select 1 from public.circle_members where circle_id = $1 and user_id = $2 for update";

describe("a circle keeps exactly one owner", () => {
  test.each([
    ["removed", "first"],
    ["removed", "last"],
    ["leaving", "first"],
    ["leaving", "last"],
  ])("when its next owner is %s (%s) as it is handed over", async (how, when) => {
    const circle = await circleOfAna();
    const goes = () =>
      (how === "leaving" ? ben : ana).rpc("remove_circle_member", { circle, person: people.ben });
    const handsOver = () => ana.rpc("set_circle_role", { circle, person: people.ben, role: "owner" });
    const answers = await atOnce<{ error: unknown }>(
      backend,
      seat,
      [circle, people.ben],
      when === "first" ? [goes, handsOver] : [handsOver, goes],
    );
    expect(await owners(circle)).toBe(1);
    expect(answers.filter((answer) => answer.error === null)).toHaveLength(1);
  });

  test("when its next owner deletes the account as it is handed over", async () => {
    const circle = await circleOfAna();
    const made = dataOf(await ana.rpc("create_circle_invite", { circle }));
    const leaver = await signedIn(backend, "emre");
    dataOf(await leaver.rpc("accept_invite", { token: made[0]?.token ?? "" }));
    await atOnce<{ error: unknown }>(
      backend,
      seat,
      [circle, people.emre],
      [
        () => leaver.rpc("delete_my_account"),
        () => ana.rpc("set_circle_role", { circle, person: people.emre, role: "owner" }),
      ],
    );
    expect(await owners(circle)).toBe(1);
  });
});

describe("roles at a plan", () => {
  test("a cohost neither demotes nor removes a cohost, nor makes one; the host does, and one may step down", async () => {
    const { plan } = await planOfAna();
    const only = { details: "not_main_host" };
    const role = (client: NoshClient, person: string, role: "guest" | "cohost") =>
      client.rpc("set_member_role", { plan, person, role });
    expect((await role(ben, people.chiara, "guest")).error).toMatchObject(only);
    expect((await ben.rpc("remove_member", { plan, person: people.chiara })).error).toMatchObject(only);
    expect((await role(ben, people.ben, "guest")).error).toBeNull();
    expect((await role(chiara, people.ben, "cohost")).error).toMatchObject(only);
    expect((await chiara.rpc("remove_member", { plan, person: people.ben })).error).toBeNull();
    expect((await role(ana, people.chiara, "guest")).error).toBeNull();
  });

  test("who is demoted while waiting acts as what they are by then", async () => {
    const { plan } = await planOfAna();
    const [, removed] = await atOnce<{ error: unknown }>(
      backend,
      "select 1 from public.plans where id = $1 for update",
      [plan],
      [
        () => ana.rpc("remove_member", { plan, person: people.ben }),
        () => ben.rpc("set_rsvp", { plan, answer: "going" }),
      ],
    );
    expect(removed?.error).toMatchObject({ details: "plan_not_found" });
  });
});

describe("out is out", () => {
  test("who was removed from a plan does not come back by a link from before, and does by one from after", async () => {
    const { plan, token } = await planOfAna();
    expect((await ana.rpc("remove_member", { plan, person: people.ben })).error).toBeNull();
    const refused = { code: "PT403", details: "removed_before" };
    expect((await ben.rpc("accept_invite", { token })).error).toMatchObject(refused);
    expect((await ben.rpc("preview_invite", { token })).error).toMatchObject(refused);
    const [anew] = dataOf(await ana.rpc("create_invite", { plan }));
    expect(dataOf(await ben.rpc("accept_invite", { token: anew?.token ?? "" }))).toMatchObject([
      { target: plan },
    ]);
    // A person who was invited again and then leaves by themselves is not barred: only a removal bars.
    expect((await ben.rpc("remove_member", { plan, person: people.ben })).error).toBeNull();
    expect((await ben.rpc("accept_invite", { token })).error).toBeNull();
  });

  test("the same holds for a circle", async () => {
    const circle = dataOf(await ana.rpc("create_circle", { name: "Door" }));
    const [invite] = dataOf(await ana.rpc("create_circle_invite", { circle }));
    const token = invite?.token ?? "";
    dataOf(await ben.rpc("accept_invite", { token }));
    expect((await ana.rpc("remove_circle_member", { circle, person: people.ben })).error).toBeNull();
    expect((await ben.rpc("accept_invite", { token })).error).toMatchObject({ details: "removed_before" });
    const [anew] = dataOf(await ana.rpc("create_circle_invite", { circle }));
    expect((await ben.rpc("accept_invite", { token: anew?.token ?? "" })).error).toBeNull();
  });
});
