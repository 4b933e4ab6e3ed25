/**
 * read-calendar: POST {"url": "https://..."} fetches a calendar for comparing with a plan's times, because
 * browsers may not read other sites, and returns `{"calendar": "<iCalendar text>"}`. Nothing is stored. Only
 * public https URLs, at most 2 MB and ten seconds.
 */
import { clientOf, dataOf, Refusal, readObject, serve } from "../_shared/http.ts";
import { denoNetwork } from "../_shared/network/deno_network.ts";
import { httpsGet, Unreachable } from "../_shared/network/https_get.ts";

const LIMITS = { milliseconds: 10_000, bytes: 2_000_000, redirects: 3 };

serve(
  { name: "read-calendar", methods: ["POST"], errorMessage: "The calendar could not be read." },
  async (request) => {
    // Signed in and rate-limited, so that it cannot be used to fetch pages in bulk.
    dataOf(await clientOf(request).rpc("count_calendar_read"));
    const { url } = await readObject(request);
    if (typeof url !== "string") throw new Refusal(400, "invalid_request", 'Send {"url": "https://..."}.');
    return Response.json({ calendar: await fetchCalendar(url) });
  },
);

async function fetchCalendar(url: string): Promise<string> {
  const { status, text } = await httpsGet(
    url,
    "text/calendar, text/plain;q=0.5",
    denoNetwork(),
    LIMITS,
  ).catch((error: unknown) => {
    throw error instanceof Unreachable ? refusalOf(error) : error;
  });
  if (status < 200 || status > 299) {
    throw new Refusal(422, "calendar_unreachable", `That address answered ${status}.`);
  }
  if (!/^\uFEFF?BEGIN:VCALENDAR\b/i.test(text)) {
    throw new Refusal(422, "no_calendar", "That address is no calendar (iCalendar, .ics).");
  }
  return text;
}

function refusalOf({ reason, message }: Unreachable): Refusal {
  switch (reason) {
    case "not_public":
      return new Refusal(400, "address_not_allowed", "Give a public https address of a calendar.");
    case "too_large":
      return new Refusal(422, "calendar_too_large", "That calendar is larger than 2 MB.");
    case "no_answer":
    case "too_many_redirects":
      return new Refusal(422, "calendar_unreachable", message);
  }
}
