/**
 * read-calendar: POST {"url": "https://..."} fetches a calendar that somebody wants to lay under a plan's
 * times, because browsers may not read other sites, and answers `{"calendar": "<iCalendar text>"}`. Nothing
 * of it is kept. Only public https addresses, 2 MB and ten seconds at most.
 */
import { clientOf, dataOf, Refusal, readObject, serve } from "../_shared/http.ts";
import { isPublicIp, publicAddress } from "../_shared/public_address.ts";

const MOST_BYTES = 2_000_000;
const TIMEOUT_MS = 10_000;
const MOST_REDIRECTS = 3;

serve(
  { name: "read-calendar", methods: ["POST"], apology: "The calendar could not be read." },
  async (request) => {
    // Signed in and counted, so that nobody uses this to fetch pages in bulk.
    dataOf(await clientOf(request).rpc("count_calendar_read"));
    const { url } = await readObject(request);
    if (typeof url !== "string") throw new Refusal(400, "invalid_request", 'Send {"url": "https://..."}.');
    return Response.json({ calendar: await fetchCalendar(url) });
  },
);

async function fetchCalendar(given: string): Promise<string> {
  let url = await allowed(given);
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const response = await fetch(url, {
      redirect: "manual",
      headers: { Accept: "text/calendar, text/plain;q=0.5" },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new Refusal(422, "calendar_unreachable", "That address did not answer.");
    });
    const location = response.headers.get("Location");
    if (response.status >= 300 && response.status < 400 && location) {
      await response.body?.cancel();
      url = await allowed(new URL(location, url).href);
      continue;
    }
    if (!response.ok) {
      await response.body?.cancel();
      throw new Refusal(422, "calendar_unreachable", `That address answered ${response.status}.`);
    }
    const text = await boundedText(response);
    if (!/^\uFEFF?BEGIN:VCALENDAR\b/i.test(text)) {
      throw new Refusal(422, "no_calendar", "That address is no calendar (iCalendar, .ics).");
    }
    return text;
  }
  throw new Refusal(422, "calendar_unreachable", "That address leads on and on.");
}

async function allowed(given: string): Promise<URL> {
  const url = publicAddress(given);
  if (!url) throw new Refusal(400, "address_not_allowed", "Give a public https address of a calendar.");
  // A public name may still lead to a private machine. Where names cannot be resolved here, fetch will fail too.
  if (/[a-z]/i.test(url.hostname) && !url.hostname.startsWith("[")) {
    const found = await Promise.all(
      (["A", "AAAA"] as const).map((kind) => Deno.resolveDns(url.hostname, kind).catch(() => [] as string[])),
    );
    if (found.flat().some((address) => !isPublicIp(address))) {
      throw new Refusal(400, "address_not_allowed", "Give a public https address of a calendar.");
    }
  }
  return url;
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Refusal(422, "calendar_too_large", "That calendar is larger than 2 MB.");
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return new TextDecoder().decode(whole);
}
