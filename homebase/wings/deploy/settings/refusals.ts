/**
 * Owns reasons to refuse deploying a configuration: values that belong to a development machine, and values
 * that a hosted project must state itself instead of inheriting.
 */
import { existsSync } from "node:fs";
import type { RemoteConfig } from "../../../src/config/config.ts";
import { API_SETTINGS, AUTH_SETTINGS, readPath } from "../../../src/config/hosted/management-settings.ts";
import { namedFile, sentSettings } from "./sent.ts";

/**
 * Settings that `[remotes.<label>]` must state itself, because the development value would weaken or break a
 * hosted project.
 */
const STATED: readonly (readonly [path: string, why: string])[] = [
  ["project_id", "the reference of the hosted project, so that this section cannot reach another one"],
  ["auth.site_url", "links in mails lead there"],
  ["auth.additional_redirect_urls", "where a sign-in may return to; [] where there is no other address"],
  ["auth.email.enable_confirmations", "whether a new address must be confirmed"],
  ["auth.email.max_frequency", "how often an address may be written to"],
];

/** A host name or address that is valid only on this machine. */
export const LOCAL_HOST =
  /(^|[/@.\s])(localhost|127(\.\d{1,3}){3}|0\.0\.0\.0|\[?::1\]?|host\.docker\.internal)(?=[:/\s*]|$)/i;
/** The shortest acceptable interval between mails to one address; a shorter one is a development value. */
const SHORTEST_MAIL_INTERVAL_MS = 10_000;

/**
 * All reasons to refuse, one sentence each, with the key. Only values that the deploy would send are looked at.
 * @param label the section's name, as in `[remotes.<label>]`.
 */
export function refusals(remote: RemoteConfig, label: string): string[] {
  const { config, declared, overlay } = remote;
  const found: string[] = [];
  for (const [path, why] of STATED) {
    if (readPath(overlay, path) === undefined) {
      found.push(`[remotes.${label}] does not set ${path}: ${why}. The development value is not used.`);
    }
  }
  const sent = sentSettings(remote, [...API_SETTINGS, ...AUTH_SETTINGS]);
  for (const [path, value] of [
    ...sent.map(({ path }) => [path, readPath(declared, path)] as const),
    ...Object.entries(config.db.vault).map(([name, value]) => [`db.vault.${name}`, value] as const),
  ]) {
    for (const text of [value].flat()) found.push(...localValue(path, text));
  }
  for (const { path, file } of sent) {
    const name = readPath(config, path);
    if (file && typeof name === "string" && !existsSync(namedFile(config, path, name))) {
      found.push(`${path}: there is no file ${name}.`);
    }
  }
  const { auth } = config;
  const site = readPath(overlay, "auth.site_url");
  if (typeof site === "string" && !/^https:\/\//.test(auth.site_url) && !LOCAL_HOST.test(auth.site_url)) {
    found.push(`auth.site_url = "${auth.site_url}" does not begin with https://.`);
  }
  const interval = readPath(overlay, "auth.email.max_frequency");
  if (interval !== undefined && auth.email.max_frequency < SHORTEST_MAIL_INTERVAL_MS) {
    found.push(
      `auth.email.max_frequency = "${interval}" is a development value: a hosted project sends an address a mail every ${SHORTEST_MAIL_INTERVAL_MS / 1000} s at most.`,
    );
  }
  return found;
}

function localValue(path: string, value: unknown): string[] {
  if (typeof value !== "string") return [];
  const unresolved = /^env\((.+)\)$/.exec(value)?.[1];
  if (unresolved !== undefined) return [`${path} is env(${unresolved}), and ${unresolved} is not set.`];
  return LOCAL_HOST.test(value) ? [`${path} = "${value}" is an address of a development machine.`] : [];
}

/** Warnings about allowed values. */
export function warnings({ config }: RemoteConfig): string[] {
  const found: string[] = [];
  if (!config.auth.email.enable_confirmations) {
    found.push("auth.email.enable_confirmations is false: anybody can sign up with anybody's address.");
  }
  if (Object.keys(config.auth.sms.test_otp).length > 0) {
    found.push("auth.sms.test_otp is not deployed: everybody who knows such a code could sign in.");
  }
  for (const address of config.auth.additional_redirect_urls) {
    if (/^https?:\/\/[^/]*\*/.test(address)) {
      found.push(
        `auth.additional_redirect_urls: "${address}" lets a sign-in redirect to any host that matches it.`,
      );
    }
  }
  return found;
}
