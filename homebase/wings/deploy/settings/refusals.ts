/**
 * Owns reasons to refuse deploying a configuration: values that belong to a development machine, and values
 * that a hosted project must state itself instead of inheriting.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RemoteConfig } from "../../../src/config/config.ts";
import { readPath } from "../../../src/config/hosted/settings.ts";
import { isRecord } from "../../../src/core/record.ts";

/** Sections that only a local stack reads; their ports and hosts are not deployed. */
const LOCAL_SECTIONS = new Set([
  "studio",
  "local_smtp",
  "inbucket",
  "analytics",
  "experimental",
  "remotes",
  "local",
]);
const LOCAL_KEYS =
  /^(api\.(port|external_url|tls)|db\.(?!vault|network_restrictions|ssl_enforcement)|edge_runtime\.|project_id)/;

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
 * All reasons to refuse, one sentence each, with the key. @param label the section's name, as in
 * `[remotes.<label>]`.
 */
export function refusals({ config, declared, overlay }: RemoteConfig, label: string): string[] {
  const found: string[] = [];
  for (const [path, why] of STATED) {
    if (readPath(overlay, path) === undefined) {
      found.push(`[remotes.${label}] does not set ${path}: ${why}. The development value is not used.`);
    }
  }
  walk(declared, [], (path, value) => {
    const name = path.join(".");
    if (LOCAL_SECTIONS.has(path[0] ?? "") || LOCAL_KEYS.test(name)) return;
    const unresolved = /^env\((.+)\)$/.exec(value)?.[1];
    if (unresolved !== undefined) found.push(`${name} is env(${unresolved}), and ${unresolved} is not set.`);
    else if (LOCAL_HOST.test(value))
      found.push(`${name} = "${value}" is an address of a development machine.`);
  });
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
  if (Object.keys(auth.sms.test_otp).length > 0) {
    found.push("auth.sms.test_otp lets everybody who knows the code sign in: it is for development.");
  }
  for (const [name, { content_path }] of Object.entries(auth.email.template)) {
    if (content_path !== undefined && !existsSync(resolve(config.projectFolder, content_path))) {
      found.push(`auth.email.template.${name}.content_path: there is no file ${content_path}.`);
    }
  }
  return found;
}

/** Warnings about allowed values. */
export function warnings({ config }: RemoteConfig): string[] {
  const found: string[] = [];
  if (!config.auth.email.enable_confirmations) {
    found.push("auth.email.enable_confirmations is false: anybody can sign up with anybody's address.");
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

function walk(
  node: unknown,
  path: readonly string[],
  text: (path: readonly string[], value: string) => void,
): void {
  if (typeof node === "string") text(path, node);
  else if (Array.isArray(node)) for (const item of node) walk(item, path, text);
  else if (isRecord(node)) for (const [key, value] of Object.entries(node)) walk(value, [...path, key], text);
}
