/** The database and the app agree when a place is open: one table of cases for both. */

import { expect, test } from "vitest";
import { openDuring, openUntil } from "../../../supabase/functions/_shared/ranking/hours.ts";
import { hoursCases } from "../../../supabase/functions/_shared/ranking/hours_cases.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";

const backend = await forThisFile(createBackend());

test.each(hoursCases)("$name", async ({ hours, timeZone, startsAt, endsAt, open }) => {
  expect(openDuring(hours, timeZone, startsAt, endsAt)).toBe(open);
  const [place] = await backend.sql<{ id: string }>(
    "insert into public.places (name, latitude, longitude, price, time_zone) values ('Hours', 1, 1, 1, $1) returning id",
    [timeZone],
  );
  await backend.sql(
    `insert into public.place_hours (place_id, weekday, opens, closes)
     select $1, weekday, opens, closes from jsonb_to_recordset($2) as h (weekday smallint, opens time, closes time)`,
    [place?.id, JSON.stringify(hours)],
  );
  const [answer] = await backend.sql<{ open: boolean | null }>(
    "select private.place_open_during($1, $2, $3) as open",
    [place?.id, startsAt, endsAt],
  );
  expect(answer?.open).toBe(open);

  // The app's closing time ("open until") is the database's.
  const until = openUntil(hours, timeZone, startsAt);
  if (until === null || until === "always") return;
  const [edge] = await backend.sql<{ before: boolean; after: boolean }>(
    `select private.place_open_during($1, $2, closes) as before,
       private.place_open_during($1, $2, closes + interval '1 minute') as after
     from (select (($2::timestamptz at time zone $3)::date + $4::integer + $5::time) at time zone $3 as closes) as c`,
    [place?.id, startsAt, timeZone, until.days, until.clock],
  );
  expect(edge).toEqual({ before: true, after: false });
});
