/**
 * Owns `npm run bench -- database`: the speed of Nosh's backend with much data. Suggestions among 100,000
 * places, near and far, and the first page of home among 50,000 plans.
 */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { createBackend, startTestCluster, type TestBackend } from "homebase-stack/testing";
import { type Figure, figure } from "../../homebase/bench/figures.ts";
import { demoPassword } from "../../scripts/demo-accounts.ts";
import { CARDS_AT_ONCE, cardColumns, cardOrder } from "../../web/src/features/plans/cards/columns.ts";
import { norms } from "./norms.ts";

const PLACES = 100_000;
const PLANS = 50_000;
const RUNS = 15;
/** The seed's plan with the most people, in voting. */
const DINNER = "00000000-0000-4000-8000-0000000000b1";

/** @param root the repository */
export async function benchDatabase(root: string): Promise<Figure[]> {
  const cluster = await startTestCluster(root);
  const backend = await createBackend();
  try {
    await fill(backend);
    const ana = createClient(backend.url, backend.publishableKey, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
    const { error } = await ana.auth.signInWithPassword({ email: "ana@nosh.test", password: demoPassword });
    if (error) throw error;
    return [
      await timed("candidates among 100,000 places", norms.candidates, () =>
        answered(ana.rpc("plan_candidates", { plan: DINNER })),
      ),
      await timed("suggestions among 100,000 places", norms.suggestions, () =>
        answered(ana.functions.invoke("suggest-places", { body: { plan_id: DINNER } })),
      ),
      await timed("home among 50,000 plans", norms.home, () => answered(firstPage(ana))),
    ];
  } finally {
    await backend.drop();
    await cluster.stop();
  }
}

function firstPage(client: SupabaseClient) {
  let query = client.from("plan_cards").select(cardColumns);
  for (const column of cardOrder) query = query.order(column);
  return query.limit(CARDS_AT_ONCE + 1);
}

async function answered(call: PromiseLike<{ data: unknown; error: unknown }>): Promise<void> {
  const { error } = await call;
  if (error) throw error;
}

/** Milliseconds of each run, without the first two, which warm up. */
async function timed(name: string, most: number, work: () => Promise<void>): Promise<Figure> {
  const times: number[] = [];
  for (let run = -2; run < RUNS; run += 1) {
    const began = performance.now();
    await work();
    if (run >= 0) times.push(performance.now() - began);
  }
  return figure(name, "ms", times, { value: most, less: true });
}

/**
 * Places around Lisbon, one in fifty safe for a vegan, and strangers' plans with a time, a place and a vote.
 */
async function fill({ sql }: TestBackend): Promise<void> {
  const quiet = ["places", "plans", "plan_members", "time_options", "place_options", "time_votes"];
  for (const table of quiet) await sql(`alter table public.${table} disable trigger user`);
  await sql(
    `insert into public.places (name, latitude, longitude, price, time_zone, safe_diets)
     select 'Place ' || n, 38.7 + random() - 0.5, -9.14 + random() - 0.5, 1 + n % 4, 'Europe/Lisbon',
       case when n % 50 = 0 then '{vegan,halal,gluten_free,nut_free,kosher}' else '{vegetarian}' end::public.diet[]
     from generate_series(1, ${PLACES}) as n`,
  );
  await sql("update public.private_profiles set start_latitude = 38.72, start_longitude = -9.14");
  await sql(
    `insert into auth.users (id, email, aud, role)
     select gen_random_uuid(), 'bench-' || n || '@nosh.test', 'authenticated', 'authenticated' from generate_series(1, 500) as n`,
  );
  await sql(
    `create table private.bench_plans as
     select gen_random_uuid() as plan, gen_random_uuid() as time, (array(
       select id from auth.users where email like 'bench-%'))[1 + n % 500] as person
     from generate_series(1, ${PLANS}) as n`,
  );
  await sql(
    "insert into public.plans (id, title, time_zone) select plan, 'Plan', 'UTC' from private.bench_plans",
  );
  await sql(
    "insert into public.plan_members (plan_id, user_id, role) select plan, person, 'host' from private.bench_plans",
  );
  await sql(
    `insert into public.time_options (id, plan_id, starts_at, ends_at)
     select time, plan, now() + interval '1 day', now() + interval '26 hours' from private.bench_plans`,
  );
  await sql(
    `insert into public.time_votes (option_id, plan_id, user_id, answer)
     select time, plan, person, 'yes' from private.bench_plans`,
  );
  for (const table of quiet) await sql(`alter table public.${table} enable trigger user`);
  await sql("vacuum analyze");
}
