/**
 * plan-calendar: plans as a calendar. GET ?token=<secret> is the live feed of one person: every plan that has
 * a time, for a calendar app (which sends no header, so the function accepts every caller, and the token
 * decides). GET with the caller's token, and ?plan=<uuid> for a single one, is the file to save. Returns
 * text/calendar, with an ETag so that an unchanged feed is not sent again. Errors are `{"code", "message"}`.
 */

import { type CalendarEvent, calendarOf } from "../_shared/calendar/ics.ts";
import { anonymousClient, clientOf, dataOf, Refusal, serve, siteUrl } from "../_shared/http.ts";
import { isUuid } from "../_shared/uuid.ts";

serve(
  { name: "plan-calendar", methods: ["GET", "HEAD"], errorMessage: "The calendar could not be written." },
  async (request) => {
    const query = new URL(request.url).searchParams;
    const token = query.get("token");
    const events = token === null ? await ownEvents(request, query.get("plan")) : await feedEvents(token);
    const body = calendarOf(events, siteUrl());
    const tag = await entityTag(body);
    const headers = {
      "Content-Type": "text/calendar; charset=utf-8",
      "Content-Disposition": `${token === null ? "attachment" : "inline"}; filename="nosh.ics"`,
      "Cache-Control": "private, max-age=300",
      ETag: tag,
    };
    if (request.headers.get("If-None-Match") === tag) return new Response(null, { status: 304, headers });
    return new Response(request.method === "HEAD" ? null : body, { headers });
  },
);

async function feedEvents(token: string): Promise<CalendarEvent[]> {
  const events = dataOf(await anonymousClient().rpc("calendar_of_feed", { token }));
  if (events === null) {
    throw new Refusal(
      404,
      "feed_not_found",
      "This calendar address does not work any more. Make a new one in Nosh.",
    );
  }
  return events as CalendarEvent[];
}

async function ownEvents(request: Request, plan: string | null): Promise<CalendarEvent[]> {
  if (plan !== null && !isUuid(plan)) throw new Refusal(400, "invalid_request", "plan is the id of a plan.");
  const events = dataOf(
    await clientOf(request).rpc("my_calendar", plan === null ? {} : { plan }),
  ) as CalendarEvent[];
  if (plan !== null && events.length === 0) {
    throw new Refusal(404, "plan_not_found", "There is no such plan at your table, or it has no time yet.");
  }
  return events;
}

async function entityTag(body: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)));
  return `"${[...digest.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
}
