/**
 * look-up: POST {"words", "near"?: {"latitude", "longitude"}, "language"?: "en" | "de", "keep"?} returns `{"spots":
 * [{"name", "address", "latitude", "longitude", "food"?, "cuisines"?}], "configured": true}` from the geocoder at
 * GEOCODER_URL (Photon's API), and `{"spots": [], "configured": false}` without a geocoder. Answers are cached for
 * everybody unless "keep" is false. POST {"link"} returns `{"link"}`: the long link behind a map service's short one.
 */
import { clientOf, dataOf, Refusal, readObject, serve, serviceClient } from "../_shared/http.ts";
import { denoNetwork } from "../_shared/network/deno_network.ts";
import { Unreachable } from "../_shared/network/https_get.ts";
import { type LookUp, photonSpots, type Spot } from "../_shared/places/photon.ts";
import { isShortMapLink, longLink } from "../_shared/places/short_link.ts";
import { throttle } from "../_shared/places/throttle.ts";

/** Public geocoders allow one request a second. */
const turns = throttle(1000, 4000);
const refuse = (why: string) => new Refusal(400, "invalid_request", why);

serve(
  { name: "look-up", methods: ["POST"], errorMessage: "That could not be looked up." },
  async (request) => {
    const body = await readObject(request);
    const link = "link" in body ? readLink(body.link) : null;
    const lookUp = link === null ? readLookUp(body) : null;
    const geocoder = Deno.env.get("GEOCODER_URL");
    if (lookUp && !geocoder) {
      // Not an error status: browsers would log it. The app then searches its own places and its maps' names.
      return Response.json({ spots: [], configured: false });
    }
    dataOf(await clientOf(request).rpc("count_look_up"));
    if (link !== null) return Response.json({ link: await resolveShortLink(link) });
    const spots = lookUp && geocoder ? await spotsFor(geocoder, lookUp, body.keep !== false) : [];
    return Response.json({ spots, configured: true });
  },
);

async function spotsFor(geocoder: string, lookUp: LookUp, keep: boolean): Promise<Spot[]> {
  const store = serviceClient();
  const digest = await digestOf(lookUp);
  const kept = dataOf(await store.rpc("kept_look_up", { digest })) as Spot[] | null;
  if (kept) return kept;
  if (!(await turns.acquire())) {
    throw new Refusal(429, "look_up_busy", "Many people are looking up addresses right now.");
  }
  const spots = await photonSpots(geocoder, lookUp).catch((error: unknown) => {
    console.error("look-up: geocoder", error);
    throw new Refusal(502, "geocoder_unavailable", "The geocoder does not answer.");
  });
  if (keep) dataOf(await store.rpc("keep_look_up", { digest, answers: spots }));
  return spots;
}

/** The cache key of a question, with the region rounded as in the request to the geocoder. */
async function digestOf({ words, near, language }: LookUp): Promise<string> {
  const region = near ? [near.latitude.toFixed(1), near.longitude.toFixed(1)] : [];
  const text = JSON.stringify([words.toLowerCase(), language, ...region]);
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function resolveShortLink(link: string): Promise<string> {
  const found = await longLink(link, denoNetwork()).catch((error: unknown) => {
    if (error instanceof Unreachable) throw new Refusal(422, "link_unreachable", error.message);
    throw error;
  });
  if (found === null) throw new Refusal(422, "link_unreachable", "That link leads nowhere.");
  return found;
}

function readLink(link: unknown): string {
  if (typeof link !== "string" || link.length > 300 || !isShortMapLink(link)) {
    throw refuse("link is a short link of a map service.");
  }
  return link;
}

function readLookUp({ words, near = null, language = "en" }: Record<string, unknown>): LookUp {
  const text = typeof words === "string" ? words.trim().replace(/\s+/g, " ") : "";
  if (text.length < 3 || text.length > 160) throw refuse("words is a text of 3 to 160 characters.");
  if (language !== "en" && language !== "de") throw refuse('language is "en" or "de".');
  if (near === null) return { words: text, near, language };
  const { latitude, longitude } = (typeof near === "object" ? near : {}) as Record<string, unknown>;
  if (typeof latitude !== "number" || typeof longitude !== "number") {
    throw refuse("near is {latitude, longitude} in degrees.");
  }
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) throw refuse("near is on Earth.");
  return { words: text, near: { latitude, longitude }, language };
}
