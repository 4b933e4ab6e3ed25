/** Owns which addresses something is fetched from that must not be changed on the way. */

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether it is https, or http of this machine. */
export function isSafeAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
}
