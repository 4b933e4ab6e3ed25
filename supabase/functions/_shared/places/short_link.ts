/**
 * Owns: following a short link of a map service. Only the hosts in HOSTS are asked. The target of a redirect is fetched
 * only if it is one of them, so that no link causes a request to another host.
 */
import { httpsLocation, type Limits, type Network, Unreachable } from "../network/https_get.ts";

const HOSTS = new Set(["maps.app.goo.gl", "goo.gl", "maps.apple", "osm.org", "bing.com", "www.bing.com"]);
const MOST_STEPS = 4;
const LIMITS: Limits = { milliseconds: 6_000, bytes: 100_000, redirects: 0 };

export function isShortMapLink(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, hostname, pathname } = new URL(given);
  if (protocol !== "https:" || !HOSTS.has(hostname)) return false;
  if (hostname === "goo.gl") return pathname.startsWith("/maps/");
  return !hostname.endsWith("bing.com") || pathname.startsWith("/maps/short/");
}

/**
 * The long link behind a short one; null if it leads nowhere.
 * @throws Unreachable
 */
export async function longLink(given: string, network: Network): Promise<string | null> {
  let link = given;
  for (let step = 0; step < MOST_STEPS && isShortMapLink(link); step += 1) {
    const next = await httpsLocation(link, network, LIMITS);
    if (next === null) return null;
    link = next;
  }
  if (isShortMapLink(link)) throw new Unreachable("too_many_redirects", "That link redirects too often.");
  return link;
}
