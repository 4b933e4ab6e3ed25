/**
 * Owns the settings of a hosted project: compares config.toml's declared settings with the project's, and
 * sends only the differences, section by section in the Supabase CLI's order (docs/compat/platform.md 5.5).
 */
import { readFileSync } from "node:fs";
import {
  API_SETTINGS,
  AUTH_SETTINGS,
  type HostedSetting,
  readPath,
} from "../../../src/config/hosted/management-settings.ts";
import { isRecord, recordOf } from "../../../src/core/record.ts";
import { namedFile, sentSettings } from "../settings/sent.ts";
import { secretMark } from "../target/record.ts";
import type { Step, StepContext } from "./step.ts";

interface Section {
  method: "PATCH" | "PUT" | "POST";
  path: string;
  body: Record<string, unknown>;
  words: string[];
  /** Digests of the sent secrets. */
  marks: Record<string, string>;
}

/** Compares and plans. */
export async function configurationStep(context: StepContext): Promise<Step> {
  const answer = await context.management.object("GET", "/config", undefined, "v2");
  const attributes = readPath(answer, "data.attributes");
  const present = recordOf(attributes);
  const sections = [
    apiSection(context, present.api),
    networkSection(context, present.database),
    sslSection(context, present.database),
    authSection(context, present.auth),
    storageSection(context, present.storage),
  ].filter((section) => section.words.length > 0);
  return {
    name: "configuration",
    changes: sections.flatMap(({ words }) => words),
    warnings: isDeclared(context, "db.settings")
      ? ["[db.settings] is not deployed: Postgres settings of a hosted project are changed in its dashboard."]
      : [],
    undo: "The values before the deploy stand in the plan above, and in supabase_migrations.deploys on the target; set them in the configuration and deploy again.",
    apply: async (done) => {
      for (const { method, path, body, words, marks } of sections) {
        await context.management.call(method, path, body);
        Object.assign(context.known.secrets, marks);
        for (const word of words) done(word);
      }
    },
  };
}

function apiSection(context: StepContext, present: unknown): Section {
  const section: Section = { method: "PATCH", path: "/postgrest", body: {}, words: [], marks: {} };
  for (const setting of sentSettings(context.remote, API_SETTINGS))
    compare(context, setting, present, section);
  return section;
}

function authSection(context: StepContext, present: unknown): Section {
  const section: Section = { method: "PATCH", path: "/config/auth", body: {}, words: [], marks: {} };
  for (const setting of sentSettings(context.remote, AUTH_SETTINGS))
    compare(context, setting, present, section);
  return section;
}

function compare(context: StepContext, setting: HostedSetting, present: unknown, section: Section): void {
  const { path, field, secret, file, toApi, toConfig } = setting;
  const stated = readPath(context.config, path);
  const wanted = file ? readFileSync(namedFile(context.config, path, String(stated)), "utf8") : toApi(stated);
  if (secret) {
    const mark = secretMark(context.known, String(wanted));
    if (context.known.secrets[field] === mark) return;
    section.body[field] = wanted;
    section.words.push(`${path}: set (not shown)`);
    section.marks[field] = mark;
    return;
  }
  const now = isRecord(present) ? present[field] : undefined;
  if (equal(now, wanted)) return;
  section.body[field] = wanted;
  // The platform has some switches the other way round; people read config.toml's.
  const inWords = (value: unknown) => show(typeof value === "boolean" ? toConfig(value) : value);
  section.words.push(
    file ? `${path}: the text of ${stated}` : `${path}: ${inWords(now)} becomes ${inWords(wanted)}`,
  );
}

function networkSection(context: StepContext, present: unknown): Section {
  const section: Section = {
    method: "POST",
    path: "/network-restrictions/apply",
    body: {},
    words: [],
    marks: {},
  };
  const stated = readPath(context.remote.overlay, "db.network_restrictions");
  if (!isRecord(stated) || stated.enabled !== true) return section;
  const list = readPath(present, "network_restrictions.allowed_cidrs");
  for (const [key, field, type] of [
    ["allowed_cidrs", "dbAllowedCidrs", "v4"],
    ["allowed_cidrs_v6", "dbAllowedCidrsV6", "v6"],
  ] as const) {
    const wanted = Array.isArray(stated[key]) ? stated[key].map(String) : [];
    const now = (Array.isArray(list) ? list : [])
      .filter((one) => isRecord(one) && one.type === type && typeof one.address === "string")
      .map((one: Record<string, unknown>) => String(one.address));
    if (equal([...now].sort().join(), [...wanted].sort().join())) continue;
    section.words.push(
      `db.network_restrictions.${key}: ${show(now.join(", "))} becomes ${show(wanted.join(", "))}`,
    );
    section.body[field] = wanted;
  }
  return section;
}

function sslSection(context: StepContext, present: unknown): Section {
  const section: Section = { method: "PUT", path: "/ssl-enforcement", body: {}, words: [], marks: {} };
  const wanted = readPath(context.remote.overlay, "db.ssl_enforcement.enabled");
  const now = readPath(present, "ssl_enforced");
  if (typeof wanted !== "boolean" || wanted === now) return section;
  section.words.push(`db.ssl_enforcement.enabled: ${show(now)} becomes ${show(wanted)}`);
  section.body = { requestedConfig: { database: wanted } };
  return section;
}

function storageSection(context: StepContext, present: unknown): Section {
  const section: Section = { method: "PATCH", path: "/config/storage", body: {}, words: [], marks: {} };
  const { storage } = context.config;
  const size = readPath(present, "file_size_limit");
  if (isDeclared(context, "storage.file_size_limit") && size !== storage.file_size_limit) {
    section.body.fileSizeLimit = storage.file_size_limit;
    section.words.push(
      `storage.file_size_limit: ${show(size)} becomes ${show(storage.file_size_limit)} bytes`,
    );
  }
  const features: Record<string, unknown> = {};
  for (const [key, field] of [
    ["image_transformation", "imageTransformation"],
    ["s3_protocol", "s3Protocol"],
  ] as const) {
    const now = readPath(present, `features.${key}.enabled`);
    const wanted = storage[key].enabled;
    if (!isDeclared(context, `storage.${key}.enabled`) || now === wanted) continue;
    features[field] = { enabled: wanted };
    section.words.push(`storage.${key}.enabled: ${show(now)} becomes ${show(wanted)}`);
  }
  if (Object.keys(features).length > 0) section.body.features = features;
  return section;
}

function isDeclared({ remote }: StepContext, path: string): boolean {
  return readPath(remote.declared, path) !== undefined;
}

/** The platform returns null for settings that were never set. */
function equal(now: unknown, wanted: unknown): boolean {
  if (now === wanted) return true;
  const empty = (value: unknown) =>
    value === null || value === undefined || value === "" || value === false || value === 0;
  return empty(now) && empty(wanted);
}

function show(value: unknown): string {
  return value === undefined || value === null || value === "" ? "(nothing)" : JSON.stringify(value);
}
