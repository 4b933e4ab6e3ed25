/** Owns the tools that writing an app needs: address, keys, types, logs and mails. */
import { z } from "zod";
import type { LogEntry } from "../../src/core/log.ts";
import { lastLogEntries } from "../../src/developer/log-file.ts";
import { codeOf, linksOf } from "../../src/mail/extracted-text.ts";
import type { Message } from "../../src/mail/message.ts";
import { search } from "../../src/mail/search.ts";
import { readTypeCatalog } from "../../src/typegen/typed-objects.ts";
import { typescriptTypes } from "../../src/typegen/typescript.ts";
import { ToolRefused, tool } from "./tool.ts";

/** Supabase's names of services, with those that this stack's log has for them. */
const LOGS = {
  api: ["gateway", "rest", "meta", "mcp"],
  postgres: ["postgres", "database", "homebase"],
  "edge-function": ["functions"],
  "edge-function-runtime": ["functions"],
  auth: ["auth"],
  storage: ["storage"],
  realtime: ["realtime"],
  mail: ["mail"],
} as const;
const MOST_ENTRIES = 200;
const MOST_MAILS = 50;
const nothing = z.object({});

export const developmentTools = [
  tool({
    name: "get_project_url",
    title: "Get project URL",
    description: "The address of the API.",
    feature: "development",
    input: nothing,
    data: false,
    run: async (_, { backend }) => ({ url: backend.url }),
  }),
  tool({
    name: "get_publishable_keys",
    title: "Get publishable keys",
    description: "The keys that an app may have in the browser: the publishable key, and the older anon key.",
    feature: "development",
    input: nothing,
    data: false,
    run: async (_, { backend }) => ({
      keys: [
        { api_key: backend.keys.publishableKey, name: "default", type: "publishable" },
        { api_key: backend.keys.anonKey, name: "anon", type: "legacy" },
      ],
    }),
  }),
  tool({
    name: "generate_typescript_types",
    title: "Generate TypeScript types",
    description: "The types of the database's tables, views, functions and enums, as supabase-js takes them.",
    feature: "development",
    input: nothing,
    data: false,
    run: async (_, { config, readOnly, signal }) => {
      const schemas = [...new Set(["public", ...config.api.schemas])];
      return readOnly.tool(signal, async ({ client }) =>
        typescriptTypes(await readTypeCatalog(client, schemas)),
      );
    },
  }),
  tool({
    name: "get_logs",
    title: "Get logs",
    description: `The log of a service, the newest entry last, ${MOST_ENTRIES} at most.`,
    feature: "debugging",
    input: z.object({
      service: z.enum(Object.keys(LOGS) as (keyof typeof LOGS)[]),
      iso_timestamp_start: z.iso.datetime({ offset: true }).optional(),
      iso_timestamp_end: z.iso.datetime({ offset: true }).optional(),
    }),
    data: true,
    run: async ({ service, iso_timestamp_start, iso_timestamp_end }, { logPath }) => {
      const names: readonly string[] = LOGS[service];
      const from = Date.parse(iso_timestamp_start ?? "1970-01-01");
      const to = iso_timestamp_end === undefined ? Number.POSITIVE_INFINITY : Date.parse(iso_timestamp_end);
      const wanted = (entry: LogEntry) => {
        const time = Date.parse(entry.time);
        return names.includes(entry.service) && time >= from && time <= to;
      };
      const { entries } = await lastLogEntries(logPath, wanted, MOST_ENTRIES);
      return entries
        .map(({ time, level, message, fields }) =>
          [time, level, message, fields && JSON.stringify(fields)].filter(Boolean).join(" "),
        )
        .join("\n");
    },
  }),
  tool({
    name: "inbox",
    title: "Read the inbox",
    description:
      "The mails that the stack has sent, the newest first, with the code or the links that a recipient needs. With id one mail whole.",
    feature: "development",
    input: z.object({
      id: z.string().optional().describe("One mail; latest is the newest."),
      search: z
        .string()
        .optional()
        .describe("As in the inbox's page, e.g. to:ana@example.com or a word of the subject."),
      limit: z.number().int().min(1).max(MOST_MAILS).default(10),
    }),
    data: true,
    run: async ({ id, search: query, limit }, { inbox }) => {
      const mails = inbox.messages();
      if (id === undefined) {
        const found = query === undefined ? mails : search(mails, query);
        return found.slice(0, limit).map(mailOf);
      }
      const found = id === "latest" ? mails[0] : mails.find((mail) => mail.id === id);
      if (!found) throw new ToolRefused(`The inbox has no mail ${id}.`);
      return { ...mailOf(found), text: found.text };
    },
  }),
];

function mailOf(mail: Message): Record<string, unknown> {
  const { id, created, from, to, subject } = mail;
  const code = codeOf(mail);
  return {
    id,
    created,
    from: from.Address,
    to: to.map(({ Address }) => Address),
    subject,
    code,
    links: linksOf(mail),
  };
}
