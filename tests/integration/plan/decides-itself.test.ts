/**
 * A plan that decides itself, on the real stack: the deadline passes, the function ranks and proposes, people may
 * object, and the schedule confirms. The tests change stored times instead of waiting.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { write } from "../../../supabase/functions/_shared/mail/compose.ts";
import type { WaitingMail } from "../../../supabase/functions/_shared/mail/letters.ts";
import { undecidedReasons } from "../../../supabase/functions/_shared/ranking/undecided.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { dataOf, people, place, plans, signedIn, signedInEach } from "../people.ts";
import { atOnce } from "./races.ts";

const DAY_MS = 86_400_000;
let secret: string;

const backend = await forThisFile(createBackend());
const [ana, ben, chiara] = await signedInEach(backend, "ana", "ben", "chiara");
beforeAll(async () => {
  const [row] = await backend.sql<{ secret: string }>(
    "select decrypted_secret as secret from vault.decrypted_secrets where name = 'reminders_secret'",
  );
  secret = row?.secret ?? "";
  await backend.sql("update public.profiles set diets = '{}'");
  // No hours are known, so that the day of the test does not matter.
  await backend.sql("delete from public.place_hours");
});

interface Made {
  id: string;
  times: string[];
  places: string[];
}

/** Ana's plan with Ben and Chiara: two evenings, two places. */
async function newPlan(more: { inDays?: number[]; places?: string[] } = {}): Promise<Made> {
  const days = more.inDays ?? [4, 5];
  const id = dataOf(
    await ana.rpc("create_plan", {
      title: "Decides itself",
      time_zone: "Europe/Lisbon",
      times: days.map((inDays) => ({
        starts_at: new Date(Date.now() + inDays * DAY_MS).toISOString(),
        ends_at: new Date(Date.now() + inDays * DAY_MS + 7_200_000).toISOString(),
      })),
      places: more.places ?? [place(4), place(2)],
      people: [people.ben, people.chiara],
      vote_deadline: new Date(Date.now() + DAY_MS).toISOString(),
      decides_itself: true,
    }),
  );
  const ids = async (sql: string) => (await backend.sql<{ id: string }>(sql, [id])).map((row) => row.id);
  return {
    id,
    times: await ids("select id from public.time_options where plan_id = $1 order by starts_at"),
    places: await ids(
      "select o.id from public.place_options o where o.plan_id = $1 order by o.place_id desc",
    ),
  };
}

/** Ana and Ben like the later evening, at the first place. */
async function vote({ id, times, places }: Made): Promise<void> {
  const [first = "", second = ""] = times;
  const [liked] = places;
  for (const client of [ana, ben]) {
    const { error } = await client.rpc("cast_votes", {
      plan: id,
      times: { [first]: "no", [second]: "yes" },
      places: liked ? { [liked]: "yes" } : {},
    });
    expect(error).toBeNull();
  }
}

const passDeadline = (plan: string) =>
  backend.sql("update public.plans set vote_deadline = now() - interval '1 minute' where id = $1", [plan]);
const passWindow = (plan: string) =>
  backend.sql("update public.plans set veto_until = now() - interval '1 second' where id = $1", [plan]);
const confirmDue = () => backend.sql("select private.confirm_proposals()");

async function callFunction(key = secret): Promise<number> {
  const response = await fetch(`${backend.url}/functions/v1/decide-plans`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, ...(key ? { "x-reminders-secret": key } : {}) },
  });
  await response.json();
  return response.status;
}

/** Runs the function, and waits until nothing is due, because it works after its response. */
async function decideDue(): Promise<void> {
  expect(await callFunction()).toBe(202);
  await expect
    .poll(() => backend.sql("select p.id from public.plans as p where private.is_to_decide(p)"))
    .toEqual([]);
}

async function planOf(id: string) {
  const [row] = await backend.sql<Record<string, unknown>>(
    `select status, proposed_time_id, proposed_place_id, veto_until, undecided, decides_itself, vetoed_by,
       veto_reason, chosen_time_id, chosen_place_id from public.plans where id = $1`,
    [id],
  );
  return row ?? {};
}
const toldOf = async (id: string, kind: string) =>
  (
    await backend.sql<{ user_id: string }>(
      "select user_id from public.notifications where plan_id = $1 and kind::text = $2 order by user_id",
      [id, kind],
    )
  ).map((row) => row.user_id);
const mailsOf = async (id: string, kind: string) =>
  (
    await backend.sql<{ address: string }>(
      "select address from private.outgoing_mail where plan_id = $1 and kind::text = $2 order by address",
      [id, kind],
    )
  ).map((row) => row.address);

async function proposed(): Promise<Made> {
  const plan = await newPlan();
  await vote(plan);
  await passDeadline(plan.id);
  await decideDue();
  expect(await planOf(plan.id)).toMatchObject({ status: "polling", proposed_time_id: plan.times[1] });
  return plan;
}

test("the database leaves a plan to its hosts for the reasons that app and mails have words for, and no other", async () => {
  const [check] = await backend.sql<{ definition: string }>(
    `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'plans_undecided_check'`,
  );
  const allowed = [...(check?.definition ?? "").matchAll(/'([a-z_]+)'::text/g)].map(([, reason]) => reason);
  expect(allowed.toSorted()).toEqual([...undecidedReasons].toSorted());
});

test("only the schedule calls the function, and only the service writes a proposal", async () => {
  expect(await callFunction("")).toBe(401);
  expect(await callFunction("guess")).toBe(403);
  for (const error of [
    (await ana.rpc("plans_to_decide")).error,
    (
      await ana.rpc("leave_undecided", {
        plan: plans.dinner,
        deadline: new Date().toISOString(),
        revision: 0,
        reason: "tie",
      })
    ).error,
  ]) {
    expect(error?.code).toBe("42501");
  }
});

test("the best pair is proposed, told, and confirmed after the window, once", async () => {
  const plan = await proposed();
  const row = await planOf(plan.id);
  expect(row).toMatchObject({ proposed_place_id: plan.places[0], undecided: null, chosen_time_id: null });
  const window = (row.veto_until as Date).getTime() - Date.now();
  expect(window).toBeGreaterThan(11.9 * 3_600_000);
  expect(window).toBeLessThanOrEqual(12 * 3_600_000);
  expect(await toldOf(plan.id, "plan_proposed")).toEqual([people.ana, people.ben, people.chiara]);
  expect(await mailsOf(plan.id, "plan_proposed")).toContain("ben@nosh.test");

  // Votes are closed in the window, so that they cannot change what was proposed.
  const late = await chiara.rpc("cast_votes", { plan: plan.id, times: { [plan.times[1] ?? ""]: "no" } });
  expect(late.error?.details).toBe("voting_closed");
  // A further run changes nothing.
  await decideDue();
  await confirmDue();
  expect(await planOf(plan.id)).toEqual(row);

  await passWindow(plan.id);
  await Promise.all([confirmDue(), confirmDue(), confirmDue()]);
  expect(await planOf(plan.id)).toMatchObject({
    status: "confirmed",
    chosen_time_id: plan.times[1],
    chosen_place_id: plan.places[0],
    proposed_time_id: null,
    veto_until: null,
  });
  expect(await toldOf(plan.id, "plan_confirmed")).toEqual([people.ana, people.ben, people.chiara]);
  expect(await mailsOf(plan.id, "plan_confirmed")).toContain("ana@nosh.test");
  expect(
    await backend.sql("select state from private.plan_people($1) where role = 'host'", [plan.id]),
  ).toEqual([{ state: "expected" }]);
});

test("a plan without any place proposes a time alone, and is confirmed with it", async () => {
  const plan = await newPlan({ places: [] });
  await vote(plan);
  await passDeadline(plan.id);
  await decideDue();
  expect(await planOf(plan.id)).toMatchObject({
    proposed_time_id: plan.times[1],
    proposed_place_id: null,
    undecided: null,
  });
  await passWindow(plan.id);
  await confirmDue();
  expect(await planOf(plan.id)).toMatchObject({
    status: "confirmed",
    chosen_time_id: plan.times[1],
    chosen_place_id: null,
  });
});

test("concurrent runs propose once", async () => {
  const plan = await newPlan();
  await vote(plan);
  await passDeadline(plan.id);
  await Promise.all([callFunction(), callFunction(), callFunction()]);
  await decideDue();
  expect(await toldOf(plan.id, "plan_proposed")).toEqual([people.ana, people.ben, people.chiara]);
});

test("a ranking of an earlier state is not accepted", async () => {
  const plan = await newPlan();
  await vote(plan);
  await passDeadline(plan.id);
  const [due] = await backend.sql<{ revision: number; deadline: string }>(
    `select c.revision, p.vote_deadline::text as deadline from public.plans as p
     join public.plan_channels as c on c.plan_id = p.id where p.id = $1`,
    [plan.id],
  );
  const propose = (revision: number, time = plan.times[1]) =>
    backend.sql("select public.propose_choice($1, $2::timestamptz, $3, $4, $5) as done", [
      plan.id,
      due?.deadline,
      revision,
      time,
      plan.places[0],
    ]);
  expect(await propose((due?.revision ?? 0) - 1)).toEqual([{ done: false }]);
  const other = await newPlan();
  expect(await propose(due?.revision ?? 0, other.times[0])).toEqual([{ done: false }]);
  const lock = "select 1 from public.plans where id = $1 for no key update";
  const answers = await atOnce(
    backend,
    lock,
    [plan.id],
    [() => propose(due?.revision ?? 0), () => propose(due?.revision ?? 0)],
  );
  expect(answers.flat()).toEqual([{ done: true }, { done: false }]);
});

test("photos of earlier meals break a tie, as in the host's own ranking", async () => {
  // Nobody has a starting point, and the places cost the same: they are equal.
  await backend.sql("update public.private_profiles set start_latitude = null, start_longitude = null");
  await backend.sql("update public.places set price = 1 where id = any ($1)", [[place(4), place(2)]]);
  await backend.sql("delete from public.ratings");
  const voted = async () => {
    const plan = await newPlan();
    for (const client of [ana, ben]) {
      const times = { [plan.times[0] ?? ""]: "no", [plan.times[1] ?? ""]: "yes" };
      expect((await client.rpc("cast_votes", { plan: plan.id, times })).error).toBeNull();
    }
    await passDeadline(plan.id);
    await decideDue();
    return { ...plan, ...(await planOf(plan.id)) } as Made & Record<string, unknown>;
  };
  const withPhotos = await voted();
  expect(withPhotos).toMatchObject({ proposed_place_id: withPhotos.places[0], undecided: null });
  await backend.sql("delete from public.photos");
  expect(await voted()).toMatchObject({ proposed_place_id: null, undecided: "tie" });
});

describe("objecting", () => {
  test("stops the proposal, stores the person and the reason, and leaves the plan to the host", async () => {
    const plan = await proposed();
    expect((await ben.rpc("veto_plan", { plan: plan.id, reason: "  Too far  " })).error).toBeNull();
    // A repeated call, after a lost response, counts once.
    expect((await ben.rpc("veto_plan", { plan: plan.id, reason: "Too far" })).error).toBeNull();
    expect(await planOf(plan.id)).toMatchObject({
      status: "polling",
      decides_itself: false,
      proposed_time_id: null,
      vetoed_by: people.ben,
      veto_reason: "Too far",
    });
    expect(await toldOf(plan.id, "plan_vetoed")).toEqual([people.ana, people.chiara]);
    expect((await chiara.rpc("veto_plan", { plan: plan.id })).error?.details).toBe("nothing_proposed");
    await decideDue();
    await confirmDue();
    expect(await planOf(plan.id)).toMatchObject({ status: "polling", proposed_time_id: null });
    // The host decides by hand.
    const { error } = await ana.rpc("confirm_plan", {
      plan: plan.id,
      time_option: plan.times[0] ?? "",
      place_option: plan.places[1] ?? "",
    });
    expect(error).toBeNull();
    expect(await planOf(plan.id)).toMatchObject({ status: "confirmed", vetoed_by: null, veto_reason: "" });
  });

  test("is for people of the plan who have not declined, in time, in 140 characters", async () => {
    const plan = await proposed();
    const dev = await signedIn(backend, "dev");
    expect((await dev.rpc("veto_plan", { plan: plan.id })).error?.details).toBe("plan_not_found");
    dataOf(await ben.rpc("set_rsvp", { plan: plan.id, answer: "declined" }));
    expect((await ben.rpc("veto_plan", { plan: plan.id })).error?.details).toBe("not_coming");
    const { veto_until } = await planOf(plan.id);
    const earlier = new Date((veto_until as Date).getTime() - 3_600_000).toISOString();
    expect((await chiara.rpc("veto_plan", { plan: plan.id, until: earlier })).error?.details).toBe(
      "nothing_proposed",
    );
    const long = await chiara.rpc("veto_plan", { plan: plan.id, reason: "x".repeat(141) });
    expect(long.error?.code).toBe("23514");
    await passWindow(plan.id);
    expect((await chiara.rpc("veto_plan", { plan: plan.id })).error?.details).toBe("nothing_proposed");
    await confirmDue();
  });

  test("and confirming at the same moment have one outcome", async () => {
    const plan = await proposed();
    const lock = "select 1 from public.plans where id = $1 for no key update";
    const [vetoed, confirmed] = await atOnce(
      backend,
      lock,
      [plan.id],
      [
        () => chiara.rpc("veto_plan", { plan: plan.id }),
        () =>
          ana.rpc("confirm_plan", {
            plan: plan.id,
            time_option: plan.times[1] ?? "",
            place_option: plan.places[0] ?? "",
          }),
      ],
    );
    // The objection came first; a host may still choose the same by hand.
    expect([vetoed?.error, confirmed?.error]).toEqual([null, null]);
    expect(await planOf(plan.id)).toMatchObject({ status: "confirmed", proposed_time_id: null });
  });
});

describe("the proposal ends", () => {
  test("when the host moves the deadline, and the new one has its own", async () => {
    const plan = await proposed();
    const { error } = await ana
      .from("plans")
      .update({ vote_deadline: new Date(Date.now() + DAY_MS).toISOString() })
      .eq("id", plan.id);
    expect(error).toBeNull();
    expect(await planOf(plan.id)).toMatchObject({ proposed_time_id: null, undecided: null });
    await passDeadline(plan.id);
    await decideDue();
    expect(await planOf(plan.id)).toMatchObject({ proposed_time_id: plan.times[1] });
  });

  test("when an option is added or removed, and the hosts are told", async () => {
    for (const [change, told] of [
      [(plan: Made) => ana.rpc("propose_place", { plan: plan.id, place: place(5) }), []],
      [
        (plan: Made) =>
          ben
            .from("time_options")
            .delete()
            .eq("id", plan.times[1] ?? ""),
        [people.ana],
      ],
    ] as const) {
      const plan = await proposed();
      await backend.sql("update public.time_options set proposed_by = $2 where plan_id = $1", [
        plan.id,
        people.ben,
      ]);
      expect((await change(plan)).error).toBeNull();
      expect(await planOf(plan.id)).toMatchObject({
        proposed_time_id: null,
        undecided: "options_changed",
        status: "polling",
      });
      // The host who made the change is not told.
      expect(await toldOf(plan.id, "plan_undecided")).toEqual(told);
      await decideDue();
      expect(await planOf(plan.id)).toMatchObject({ proposed_time_id: null });
    }
  });

  test("when the host turns it off", async () => {
    const plan = await proposed();
    await ana.from("plans").update({ decides_itself: false }).eq("id", plan.id);
    expect(await planOf(plan.id)).toMatchObject({ proposed_time_id: null, vetoed_by: null });
  });

  test("when the pair is not safe any more", async () => {
    const plan = await proposed();
    await backend.sql("update public.profiles set diets = '{kosher}' where id = $1", [people.chiara]);
    try {
      await passWindow(plan.id);
      await confirmDue();
      expect(await planOf(plan.id)).toMatchObject({ status: "polling", undecided: "unsafe" });
      expect(await toldOf(plan.id, "plan_undecided")).toEqual([people.ana]);
      expect(await mailsOf(plan.id, "plan_undecided")).toEqual(["ana@nosh.test"]);
    } finally {
      await backend.sql("update public.profiles set diets = '{}'");
    }
  });
});

describe("the host is told that the plan could not decide itself", () => {
  test.each([
    ["nobody_voted", async () => newPlan()],
    [
      "tie",
      async () => {
        const plan = await newPlan();
        await ben.rpc("cast_votes", { plan: plan.id, times: { [plan.times[0] ?? ""]: "yes" } });
        // Equal in everything that the ranking weighs.
        await backend.sql(
          `update public.places set price = 1, safe_diets = '{}', latitude = 38.7, longitude = -9.1 where id = any ($1)`,
          [[place(2), place(4)]],
        );
        await backend.sql("delete from public.ratings where place_id = any ($1)", [[place(2), place(4)]]);
        return plan;
      },
    ],
    [
      "unsafe",
      async () => {
        const plan = await newPlan();
        await vote(plan);
        await backend.sql("update public.profiles set diets = '{kosher}' where id = $1", [people.chiara]);
        return plan;
      },
    ],
    [
      "too_late",
      async () => {
        const plan = await newPlan({ inDays: [0.1] });
        await ben.rpc("cast_votes", { plan: plan.id, times: { [plan.times[0] ?? ""]: "yes" } });
        return plan;
      },
    ],
    [
      "no_pair",
      async () => {
        const plan = await newPlan();
        const times = Object.fromEntries(plan.times.map((time) => [time, "no"]));
        await ben.rpc("cast_votes", { plan: plan.id, times });
        return plan;
      },
    ],
  ])("%s", async (reason, prepare) => {
    try {
      const plan = await prepare();
      await passDeadline(plan.id);
      await decideDue();
      expect(await planOf(plan.id)).toMatchObject({
        status: "polling",
        proposed_time_id: null,
        undecided: reason,
      });
      expect(await toldOf(plan.id, "plan_undecided")).toEqual([people.ana]);
    } finally {
      await backend.sql("update public.profiles set diets = '{}'");
    }
  });
});

test("the window ends three hours before the meal at the latest", async () => {
  const plan = await newPlan({ inDays: [0.25, 0.3] });
  await ben.rpc("cast_votes", {
    plan: plan.id,
    times: { [plan.times[0] ?? ""]: "yes" },
    places: { [plan.places[0] ?? ""]: "yes" },
  });
  await passDeadline(plan.id);
  await decideDue();
  const [row] = await backend.sql<{ hours: number }>(
    `select extract(epoch from t.starts_at - p.veto_until)::integer / 3600 as hours
     from public.plans as p join public.time_options as t on t.id = p.proposed_time_id where p.id = $1`,
    [plan.id],
  );
  expect(row).toEqual({ hours: 3 });
});

test("the schedule calls the function where a deadline has passed", async () => {
  const plan = await newPlan();
  await vote(plan);
  await passDeadline(plan.id);
  await backend.sql("select vault.update_secret(id, $1) from vault.secrets where name = 'project_url'", [
    backend.url,
  ]);
  await backend.sql("select private.decide_plans()");
  await expect.poll(async () => (await planOf(plan.id)).proposed_time_id).toBe(plan.times[1]);
});

test("the mails have the proposal, the objection with its reason, and the reason why the host must decide", async () => {
  const mailsFor = async (plan: string) => {
    const [row] = await backend.sql<{ mails: WaitingMail[] }>("select public.take_mail(100) as mails");
    return (row?.mails ?? [])
      .filter((mail) => mail.plan_id === plan && mail.address === "ana@nosh.test")
      .map((mail) =>
        write(mail, "https://nosh.test", "https://nosh.test/functions/v1", {
          name: "Nosh",
          address: "table@nosh.test",
        }),
      );
  };
  const only = async (plan: string) => {
    const [mail, ...others] = await mailsFor(plan);
    expect(others).toEqual([]);
    return mail;
  };
  const plan = await proposed();
  const first = await only(plan.id);
  expect(first?.subject).toMatch(/^Proposed: Decides itself, /);
  expect(first?.text).toMatch(/Momo Sete.+\n\n.+We'll confirm it \w+.+ unless someone objects\./);
  expect(first?.attachments).toBeUndefined();
  await ben.rpc("veto_plan", { plan: plan.id, reason: "Too far" });
  expect((await only(plan.id))?.text).toContain("Ben objected to the proposal: “Too far”");

  await backend.sql("update public.private_profiles set language = 'de' where id = $1", [people.ana]);
  const silent = await newPlan();
  await passDeadline(silent.id);
  await decideDue();
  expect((await only(silent.id))?.text).toContain("Bis zur Frist hat niemand abgestimmt.");
});
