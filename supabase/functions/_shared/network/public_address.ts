/**
 * Owns: which URLs a function may fetch for a user: https on the public internet. Other URLs could reach the
 * server's private network.
 */

/** The URL to fetch, or null when it is not allowed. `webcal:` is an alias of https. */
export function publicAddress(given: string): URL | null {
  let url: URL;
  try {
    url = new URL(given.trim().replace(/^webcals?:/i, "https:"));
  } catch {
    return null;
  }
  if (url.protocol !== "https:" || url.username !== "" || url.password !== "") return null;
  if (url.port !== "" && url.port !== "443") return null;
  const host = url.hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) return isPublicIp(host.slice(1, -1)) ? url : null;
  if (/^[\d.]+$/.test(host)) return isPublicIp(host) ? url : null;
  // A name without a dot, and names reserved for private use, are not public.
  if (
    !host.includes(".") ||
    /\.(localhost|local|internal|lan|home|corp|test|invalid|example|onion|arpa)$/.test(host)
  ) {
    return null;
  }
  return url;
}

/** Whether an IP address (in the resolver's format) is on the public internet. */
export function isPublicIp(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const four = (mapped ?? address).split(".");
  if (four.length === 4 && four.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    const [a = 0, b = 0, c = 0] = four.map(Number);
    if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
    if (a === 100 && b >= 64 && b <= 127) return false;
    if (a === 169 && b === 254) return false;
    if (a === 172 && b >= 16 && b <= 31) return false;
    if (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) return false;
    if (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) return false;
    return !(a === 203 && b === 0 && c === 113);
  }
  const groups = groupsOf(address);
  if (!groups) return false;
  // Only global unicast (2000::/3), without the ranges for documentation, special protocols (Teredo, ORCHID)
  // and embedded IPv4.
  const [first = 0, second = 0] = groups;
  if (first < 0x2000 || first > 0x3fff) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

/** The eight groups of an IPv6 address in any notation; null when invalid. A zone ("%eth0") is invalid. */
function groupsOf(address: string): number[] | null {
  const halves = address.split("::");
  if (halves.length > 2) return null;
  const [before = [], after = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - before.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...before, ...Array.from({ length: missing }, () => "0"), ...after];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}
