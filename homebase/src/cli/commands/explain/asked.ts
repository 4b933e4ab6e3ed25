/** Owns the request that a command is about: one that ran, or one by its method and path, and who asks. */
import type pg from "pg";
import type { Config } from "../../../config/config.ts";
import type { HappeningList } from "../../../core/happenings.ts";
import { isRecord } from "../../../core/record.ts";
import { UserError } from "../../../core/user-error.ts";
import {
  type Asked,
  askedOf,
  EVENT,
  EXPLAINED_SERVICES,
  type ExplainRequestOptions,
  JOIN,
  tracing,
} from "../../../explain/index.ts";
import type { ReadRecord } from "../../../http/records.ts";
import { connected } from "../../../postgres/connected.ts";
import { apiSettings, askedBy } from "../../../tools/asked.ts";
import { control } from "../../kit/control.ts";
import { configFor } from "../../kit/options.ts";
import { running } from "../../kit/running.ts";
import { controlSocketPath } from "../../kit/state.ts";
import { addressOf, chosenTarget } from "../../kit/target.ts";
import { CommandError } from "../../kit/terminal.ts";
import { lastRequest, requestById } from "../requests/requests.ts";

const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"];

export const askOptions = {
  as: { type: "string" },
  role: { type: "string" },
  claims: { type: "string" },
  row: { type: "string" },
  body: { type: "string" },
  upsert: { type: "boolean" },
  header: { type: "string", multiple: true },
  id: { type: "string" },
  last: { type: "boolean" },
} as const;

/** Lines about these options, for a command's help. */
export const askHelp = `  --id ID            a request that the running stack answered (homebase requests); the beginning of an id is enough
  --last             the last one that the running stack answered
  --as EMAIL         ask as this user of auth.users (default: as anon)
  --role ROLE        ask as this role, without a user
  --claims JSON      ask with these claims of a token; their role is the role
  --body JSON        the body of a write, or of a request to Storage
  --upsert           a POST that replaces what is there (Prefer: resolution=merge-duplicates, or x-upsert: true)
  --header "N: V"    a header of the request that policies read; may stand several times
  --row KEY          the row in question, by its primary key; several columns with commas`;

type Values = Partial<Record<Exclude<keyof typeof askOptions, "last" | "upsert" | "header">, string>> & {
  header?: string[] | undefined;
  last?: boolean | undefined;
  upsert?: boolean | undefined;
} & Parameters<typeof chosenTarget>[0];

/**
 * Calls `work` with the request and a connection to the database that it is about.
 * @param command its name, for messages. @throws CommandError for options that make no request, and what `work` refuses.
 */
export async function withAsked<T>(
  values: Values,
  positionals: readonly string[],
  command: string,
  work: (client: pg.Client, asked: Asked, options: ExplainRequestOptions) => Promise<T>,
): Promise<T> {
  const { as, role, claims, row, body, upsert, header, id, last } = values;
  const foreign = addressOf(values, command) !== undefined;
  const recorded = id !== undefined || last === true;
  const [method = "", path = "", ...more] = positionals;
  const known = command === "explain" ? [...METHODS, EVENT, JOIN] : METHODS;
  const whole = known.includes(method.toUpperCase()) && path !== "" && more.length === 0;
  if (recorded ? positionals.length > 0 : !whole) {
    throw new CommandError(
      `It takes a method and a path, or --id or --last: homebase ${command} GET /rest/v1/notes\nTry --help.`,
      2,
    );
  }
  if ([as, role, claims].filter((one) => one !== undefined).length > 1) {
    throw new CommandError("Use one of --as, --role and --claims.", 2);
  }
  if (
    recorded &&
    (foreign ||
      (id !== undefined && last) ||
      [as, role, claims, body, upsert, header].some((one) => one !== undefined))
  ) {
    throw new CommandError(
      "--id and --last take a request as it was: only --row and --json go with one of them.",
      2,
    );
  }
  const socket = () => controlSocketPath(configFor(values));
  const record = recorded
    ? await (id === undefined ? lastOf(socket(), command) : requestById(socket(), id, "requestWithValues"))
    : undefined;
  const target = await chosenTarget(values, command);
  const config = projectOf(values, foreign);
  return connected(target.connection, async (client) => {
    const asked = record
      ? askedOf(record)
      : await askedBy(
          client,
          {
            method,
            path,
            as,
            role,
            body,
            upsert,
            headers: headersOf(header),
            ...(claims === undefined ? {} : { claims: claimsOf(claims) }),
          },
          config,
        );
    const api = config ? apiSettings(config) : {};
    const withTrace = foreign
      ? undefined
      : tracing(() => running<pg.ClientConfig>(configFor(values), "explainLogin"));
    const known =
      foreign || asked.method !== EVENT
        ? undefined
        : await control<HappeningList>(socket(), "happenings", { kinds: ["join", "change", "broadcast"] });
    return work(client, asked, {
      happened: known?.happenings,
      api,
      readOnly: foreign,
      withTrace,
      ...(row === undefined ? {} : { row }),
    });
  });
}

/** The last request that the command takes. @throws CommandError where there is none. */
async function lastOf(socket: string, command: string): Promise<ReadRecord> {
  if (command !== "explain") return lastRequest(socket, { service: "rest" });
  const records = await Promise.all(
    EXPLAINED_SERVICES.map((service) => lastRequest(socket, { service }).catch(() => undefined)),
  );
  const [last] = records
    .filter((one) => one !== undefined)
    .sort((one, other) => (one.at < other.at ? 1 : -1));
  return last ?? lastRequest(socket, { service: "rest" });
}

/** @throws CommandError for one without a name. */
function headersOf(lines: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value = ""] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new CommandError(`--header takes a name and a value: "x-org-id: 1"`, 2);
      return [name.toLowerCase(), value];
    }),
  );
}

/** @throws CommandError when the claims are no object. */
function claimsOf(text: string): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new CommandError("--claims is not JSON.", 2);
  }
  if (!isRecord(parsed)) {
    throw new CommandError('--claims takes an object: \'{"role":"authenticated","sub":"..."}\'', 2);
  }
  return parsed;
}

/** The project's settings; undefined for a foreign database without a project here, which has the defaults. */
function projectOf(values: Parameters<typeof configFor>[0], foreign: boolean): Config | undefined {
  try {
    return configFor(values);
  } catch (error) {
    if (foreign && error instanceof UserError) return undefined;
    throw error;
  }
}
