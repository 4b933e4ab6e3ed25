/** Owns where a request stopped, drawn from its record alone: a table of codes for each service. */
import type { RequestSummary } from "../../../src/http/records.ts";
import type { Gate, Mark } from "./api.ts";

type Facts = Pick<
  RequestSummary,
  "service" | "method" | "path" | "status" | "code" | "role" | "rows" | "error"
>;

interface Table {
  /** In the order in which a request meets them. */
  gates: readonly string[];
  /** By code, the gate that refuses with it. Other failures are the last gate's. */
  shutBy: readonly (readonly [code: RegExp, gate: string])[];
  /** The gates that a request is known to have passed, where it got to the end. */
  passed(facts: Facts): readonly string[];
}

/** The gateway's own refusals (gateway/api-key.ts). */
const KEY = /^(no_api_key|invalid_api_key|secret_key_in_browser|secret_key_needed)$/;

const TABLES: Readonly<Record<string, Table>> = {
  rest: {
    gates: ["Key", "Token", "Grant", "Policy", "Rows"],
    shutBy: [
      [KEY, "Key"],
      [/^PGRST30[0-3]$/, "Token"],
    ],
    passed: (facts) => {
      // The token is verified before the request's own words are read.
      if (facts.role === undefined) return /^PGRST[12]/.test(facts.code ?? "") ? ["Key", "Token"] : ["Key"];
      if (facts.status >= FAILED && !reachedRows(facts)) return ["Key", "Token"];
      return facts.status < FAILED && (inserted(facts) || facts.role === "service_role")
        ? ["Key", "Token", "Grant", "Policy"]
        : ["Key", "Token", "Grant"];
    },
  },
  storage: {
    // No key: its gateway's path needs none.
    gates: ["Token", "Bucket", "Policy", "File"],
    shutBy: [
      [/^(InvalidJWT|InvalidSignature|ExpiredToken|SignatureDoesNotMatch)$/, "Token"],
      [/^(NoSuchBucket|EntityTooLarge|InvalidMimeType|InvalidBucketName)$/, "Bucket"],
    ],
    passed: ({ path, role, status }) => {
      if (/\/object\/(info\/)?public\/|\/render\/image\/public\//.test(path))
        return status < FAILED ? ["Bucket"] : [];
      if (role === undefined) return [];
      return status < FAILED ? ["Token", "Bucket", "Policy"] : ["Token"];
    },
  },
  auth: {
    gates: ["Key", "Limit", "Proof", "Hook", "Session"],
    shutBy: [
      [KEY, "Key"],
      [/^over_/, "Limit"],
      [/^hook_/, "Hook"],
      [
        /^(invalid_credentials|captcha_failed|otp_expired|otp_disabled|email_not_confirmed|phone_not_confirmed|user_banned|weak_password|same_password|bad_code_verifier|flow_state_(expired|not_found)|mfa_|reauthentication_|user_not_found|invite_not_found|.*_provider_disabled$|provider_disabled|signup_disabled|anonymous_provider_disabled)/,
        "Proof",
      ],
    ],
    passed: ({ path, status }) => {
      if (status >= FAILED) return ["Key"];
      if (/\/token$/.test(path)) return ["Key", "Limit", "Proof", "Hook"];
      if (/\/(verify|signup)$/.test(path)) return ["Key", "Limit", "Proof"];
      return /\/(otp|magiclink|recover|resend)$/.test(path) ? ["Key", "Limit"] : ["Key"];
    },
  },
  functions: {
    gates: ["Token", "Start", "Code"],
    shutBy: [
      [KEY, "Token"],
      [/^UNAUTHORIZED_/, "Token"],
      [/^(NOT_FOUND|BOOT_ERROR)$/, "Start"],
    ],
    passed: () => ["Token", "Start"],
  },
  realtime: { gates: ["Key"], shutBy: [[KEY, "Key"]], passed: () => [] },
};

const FAILED = 400;
const SERVER_FAILED = 500;
/** PostgREST's codes of an answer with another number of rows than `.single()` asked for, and of `max-affected`. */
const ROW_SECURITY = /row-level security/;
const NUMBER_OF_ROWS = /^PGRST(116|124)$/;

/** The gates of a request in their order; none where no service took it. After one that is shut, none was asked. */
export function gatesOf(facts: Facts): Gate[] {
  const table = TABLES[facts.service ?? ""];
  if (!table) return [];
  const { gates } = table;
  const failed = hasFailed(facts);
  const stop = failed ? stopOf(facts, table) : undefined;
  const passed = new Set(
    stop !== undefined && stop !== gates.at(-1) ? before(gates, stop, facts) : table.passed(facts),
  );
  return gates.map((name) => {
    if (name === stop) return { name, mark: "shut", text: shutText(facts) };
    const last = name === gates.at(-1);
    const open: boolean = passed.has(name) || (last && !failed && known(facts));
    return { name, mark: open ? "open" : "unknown", text: open ? openText(name, facts) : "" };
  });
}

/** A function's own code may answer 4xx, which is no failure of a gate. */
function hasFailed({ service, status, code }: Facts): boolean {
  return status >= (service === "functions" && code === undefined ? SERVER_FAILED : FAILED);
}

function stopOf({ code, error, role, service, status }: Facts, { gates, shutBy }: Table): string | undefined {
  if (error?.refused && (service === "rest" || service === "storage")) {
    const gate = error.refused.by === "grant" ? "Grant" : "Policy";
    // Storage's own login has every grant, so a refused grant is of what its policies read.
    return gates.includes(gate) ? gate : "Policy";
  }
  // Storage has one code for a token that it does not take and for what a policy refuses.
  if (code === "AccessDenied")
    return role === undefined && !ROW_SECURITY.test(error?.message ?? "") ? "Token" : "Policy";
  // A hook that refuses chooses the status; Auth has the code for paths and methods that it does not know, too.
  if (service === "auth" && code === "unknown" && status !== 404 && status !== 405) return "Hook";
  return shutBy.find(([codes]) => code !== undefined && codes.test(code))?.[1] ?? gates.at(-1);
}

/** The gates before one that refused: a service asks them in this order. */
function before(gates: readonly string[], stop: string, { service, role, code }: Facts): readonly string[] {
  const asked = gates.slice(0, gates.indexOf(stop));
  // Storage takes a bad token for none where a public object would need none, and a function that is not there needs none.
  const unverified = (service === "storage" && role === undefined) || code === "NOT_FOUND";
  return unverified ? asked.filter((gate) => gate !== "Token") : asked;
}

function reachedRows({ code = "" }: Facts): boolean {
  // Class 22 and 23: a value or a constraint refused the row, after the grants.
  return NUMBER_OF_ROWS.test(code) || /^2[23]\w{3}$/.test(code);
}

function inserted({ method, status }: Facts): boolean {
  return method === "POST" && status === 201;
}

/** Whether the record says what the last gate did with a request that did not fail. */
function known({ service, method, path, rows, status }: Facts): boolean {
  if (service === "auth") return /\/token$/.test(path);
  if (service === "realtime") return status === 101 || status < FAILED;
  // A write without `return=representation` tells no rows, and may have changed none.
  if (service === "rest")
    return rows !== undefined || method === "GET" || method === "HEAD" || status === 201;
  return true;
}

function openText(name: string, { service, rows, role, status }: Facts): string {
  if (name === "Rows") return rows === undefined ? "answered" : countOf(rows);
  if (name === "Token" && role !== undefined) return role;
  if (name === "Policy" && role === "service_role") return "row security does not apply to service_role";
  return name === "Code" && service === "functions" ? `answered ${status}` : "let it through";
}

/** The platform's codes of a function that a limit has ended, or given up (functions/errors.ts). */
const LIMITS: Readonly<Record<string, string>> = {
  WORKER_LIMIT: "a limit has ended it",
  IDLE_TIMEOUT: "no answer within 150 s",
};

function shutText({ code = "", error, status, service }: Facts): string {
  // What the function's own code has answered is kept as its body alone.
  if (service === "functions" && code === "") return `answered ${status}`;
  if (Object.hasOwn(LIMITS, code)) return LIMITS[code] ?? code;
  return error?.message ?? (code || `answered ${status}`);
}

const LETTERS: Readonly<Record<Mark, string>> = { open: "o", part: "p", shut: "s", unknown: "?" };

/** The gates as a row has them. */
export function stripOf(gates: readonly Gate[]): string {
  const shut = gates.findIndex(({ mark }) => mark === "shut");
  return gates
    .slice(0, shut < 0 ? gates.length : shut + 1)
    .map(({ mark }) => LETTERS[mark])
    .join("");
}

/** A read or write that answered with no row, where row security may have hidden one. */
export function isEmpty({ service, rows, role, status }: Facts): boolean {
  return service === "rest" && role !== "service_role" && status < FAILED && rows === 0;
}

/** The word after the status, and how the row is marked. */
export function outcomeOf(facts: Facts, gates: readonly Gate[]): { outcome: string; mark: Mark } {
  const shut = gates.find(({ mark }) => mark === "shut");
  if (isEmpty(facts)) return { outcome: "empty", mark: "part" };
  if (shut && facts.code !== undefined && Object.hasOwn(LIMITS, facts.code))
    return { outcome: "limit", mark: "shut" };
  if (shut) return { outcome: stopWord(shut.name, facts), mark: "shut" };
  if (facts.status >= FAILED) return { outcome: "", mark: facts.service === undefined ? "shut" : "part" };
  return { outcome: facts.rows === undefined ? "" : countOf(facts.rows), mark: "open" };
}

/** What REST refuses at the rows, by PostgREST's and Postgres's codes: the request's text, a name in it, a value and so on. */
const REFUSED_ROWS: readonly (readonly [code: RegExp, word: string])[] = [
  [/^(PGRST(106|2\d\d)|42P01|42703|42883)$/, "name"],
  [/^PGRST1(?!16|24)\d\d$/, "request"],
  [/^22/, "value"],
  [/^23/, "constraint"],
  [/^P0001$/, "exception"],
  [/^57014$/, "timeout"],
  [/^[0-9A-Z]{5}$/, "error"],
];

function stopWord(gate: string, { service, code = "" }: Facts): string {
  const [, word] =
    (service === "rest" && gate === "Rows" && REFUSED_ROWS.find(([codes]) => codes.test(code))) || [];
  return word ?? gate.toLowerCase();
}

function countOf(rows: number): string {
  return rows === 1 ? "1 row" : `${rows} rows`;
}
