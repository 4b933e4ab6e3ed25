/**
 * Owns the catalogue of errors that the REST interface raises itself: one constructor for each, with
 * PostgREST's code, status, message, details and hint (its documentation, "Errors"). `postgres-error.ts`
 * translates Postgres errors.
 */

export type ErrorDetails = string | null | readonly Record<string, string>[];

/** An error response in the form that the client sees. */
export class RestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: ErrorDetails;
  readonly hint: string | null;
  /** Response headers of this error. Lower-case names. */
  readonly headers: Record<string, string | string[]>;
  /** The reason phrase, if it differs from the standard one. */
  readonly statusText: string | undefined;

  constructor(fields: {
    status: number;
    code: string;
    message: string;
    details?: ErrorDetails;
    hint?: string | null;
    headers?: Record<string, string | string[]>;
    statusText?: string;
  }) {
    super(fields.message);
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details ?? null;
    this.hint = fields.hint ?? null;
    this.headers = fields.headers ?? {};
    this.statusText = fields.statusText;
  }

  /** The JSON body: the four keys in PostgREST's order; code and message only if `minimal`. */
  body(verbosity: "verbose" | "minimal" = "verbose"): string {
    if (verbosity === "minimal") return JSON.stringify({ code: this.code, message: this.message });
    return JSON.stringify({
      code: this.code,
      details: this.details,
      hint: this.hint,
      message: this.message,
    });
  }
}

function make(code: string, status: number) {
  return (message: string, details?: ErrorDetails, hint?: string | null): RestError =>
    new RestError({ code, status, message, details, hint });
}

const parse = make("PGRST100", 400);
const body = make("PGRST102", 400);
/** The phrase is that of upstream's HTTP library; RFC 9110 calls it "Range Not Satisfiable". */
const range = (message: string, details?: ErrorDetails, hint?: string | null): RestError =>
  new RestError({
    code: "PGRST103",
    status: 416,
    statusText: "Requested Range Not Satisfiable",
    message,
    details,
    hint,
  });
const jwt = (code: string, message: string, details?: string) =>
  new RestError({
    code,
    status: 401,
    message,
    details,
    headers: { "www-authenticate": `Bearer error="invalid_token", error_description="${message}"` },
  });

const retry = { "retry-after": "1" };

/** The errors of this interface, by cause. */
export const restErrors = {
  databaseUnreachable: (details: string) =>
    new RestError({
      code: "PGRST000",
      status: 503,
      message: "Database connection error. Retrying the connection.",
      details,
      headers: retry,
    }),
  databaseLost: (details: string) =>
    new RestError({
      code: "PGRST001",
      status: 503,
      message: "Database client error. Retrying the connection.",
      details,
      headers: retry,
    }),
  noSchemaCache: () =>
    new RestError({
      code: "PGRST002",
      status: 503,
      message: "Could not query the database for the schema cache. Retrying.",
      headers: retry,
    }),
  poolExhausted: () => make("PGRST003", 504)("Timed out acquiring connection from connection pool."),

  /** @param position `(line L, column C)`. */
  unparsable: (what: string, input: string, position: string, details: string) =>
    parse(`"failed to parse ${what} (${input})" ${position}`, details),
  tooDeep: (what: string) => parse(`"failed to parse ${what}"`, "it is nested too deeply"),
  methodOnFunction: (method: string) => make("PGRST101", 405)(`Cannot use the ${method} method on RPC`),
  invalidJson: () => body("Empty or invalid json"),
  unevenKeys: () => body("All object keys must match"),
  unevenLines: () => body("All lines must have same number of fields"),
  contentType: (type: string) => body(`Content-Type not acceptable: ${type}`),
  tooManyValues: (limit: number) =>
    new RestError({
      code: "PGRST102",
      status: 413,
      message: `The request body has more than ${limit} values or names`,
      hint: "Send it in several requests.",
    }),
  bodyTooLarge: (limit: number) =>
    new RestError({
      code: "PGRST102",
      status: 413,
      message: `The request body is larger than ${limit} bytes`,
    }),
  bodyTooSlow: () =>
    new RestError({
      code: "PGRST102",
      status: 408,
      message: "The request body arrived too slowly while other large ones waited",
      hint: "Send it again, or in several requests.",
    }),
  invalidCsv: (message: string) => body(message),
  negativeLimit: () =>
    range("Requested range not satisfiable", "Limit should be greater than or equal to zero."),
  reversedRange: () =>
    range(
      "Requested range not satisfiable",
      "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
    ),
  offsetTooLarge: (offset: number, total: number) =>
    range(
      "Requested range not satisfiable",
      `An offset of ${offset} was requested, but there are only ${total} rows.`,
    ),
  putFilters: () =>
    make("PGRST105", 405)("Filters must include all and only primary key columns with 'eq' operators"),
  schemaNotExposed: (schema: string, exposed: readonly string[]) =>
    make("PGRST106", 406)(
      `Invalid schema: ${schema}`,
      null,
      `Only the following schemas are exposed: ${exposed.join(", ")}`,
    ),
  notAcceptable: (types: readonly string[]) =>
    make("PGRST107", 406)(`None of these media types are available: ${types.join(", ")}`),
  notEmbedded: (name: string) =>
    make("PGRST108", 400)(
      `'${name}' is not an embedded resource in this request`,
      null,
      `Verify that '${name}' is included in the 'select' query parameter.`,
    ),
  aliasedTarget: (name: string, alias: string) =>
    make("PGRST108", 400)(
      `'${name}' is not an embedded resource in this request`,
      "Target names are not allowed in filters if they have an alias",
      `Change '${name}' to '${alias}' in filters, orders or limits.`,
    ),
  headersSetting: () =>
    make(
      "PGRST111",
      500,
    )("response.headers guc must be a JSON array composed of objects with a single key and a string value"),
  statusSetting: () => make("PGRST112", 500)("response.status guc must be a valid status code"),
  putRange: () => make("PGRST114", 400)("limit/offset querystring parameters are not allowed for PUT"),
  putMismatch: () => make("PGRST115", 400)("Payload values do not match URL in primary key column(s)"),
  notSingular: (rows: number) =>
    make("PGRST116", 406)(
      "Cannot coerce the result to a single JSON object",
      `The result contains ${rows} rows`,
    ),
  method: (method: string) => make("PGRST117", 405)(`Unsupported HTTP method: ${method}`),
  relatedOrder: (table: string, relation: string) =>
    make("PGRST118", 400)(
      `A related order on '${relation}' is not possible`,
      `'${table}' and '${relation}' do not form a many-to-one or one-to-one relationship`,
    ),
  raisedMessage: (value: string) =>
    make("PGRST121", 500)(
      `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
      `Invalid JSON value for MESSAGE: '${value}'`,
      "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.",
    ),
  raisedDetail: (value: string | undefined) =>
    make("PGRST121", 500)(
      `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`,
      value === undefined
        ? "DETAIL is missing in the RAISE statement"
        : `Invalid JSON value for DETAIL: '${value}'`,
      "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.",
    ),
  preferences: (invalid: readonly string[]) =>
    make("PGRST122", 400)(
      "Invalid preferences given with handling=strict",
      `Invalid preferences: ${invalid.join(", ")}`,
    ),
  aggregates: () => make("PGRST123", 400)("Use of aggregate functions is not allowed"),
  maxAffected: (rows: number) =>
    make("PGRST124", 400)(
      "Query result exceeds max-affected preference constraint",
      `The query affects ${rows} rows`,
    ),
  path: () => make("PGRST125", 404)("Invalid path specified in request URL"),
  rootDisabled: () => make("PGRST126", 404)("Root endpoint metadata is disabled"),
  spreadAggregate: () =>
    make("PGRST127", 400)(
      "Feature not implemented",
      "Aggregates are not implemented for one-to-many or many-to-many spreads.",
    ),
  maxAffectedFunction: () =>
    make(
      "PGRST128",
      400,
    )("Function must return SETOF or TABLE when max-affected preference is used with handling=strict"),
  noRelationship: (
    parent: string,
    child: string,
    hint: string | undefined,
    schema: string,
    guess: string | null,
  ) =>
    make("PGRST200", 400)(
      `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
      `Searched for a foreign key relationship between '${parent}' and '${child}' ${
        hint === undefined ? "" : `using the hint '${hint}' `
      }in the schema '${schema}', but no matches were found.`,
      guess,
    ),
  ambiguousRelationship: (
    parent: string,
    child: string,
    candidates: readonly Record<string, string>[],
    suggestions: readonly string[],
  ) =>
    make("PGRST201", 300)(
      `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
      candidates,
      `Try changing '${child}' to one of the following: ${suggestions
        .map((one) => `'${one}'`)
        .join(", ")}. Find the desired relationship in the 'details' key.`,
    ),
  noFunction: (call: string, searched: string, hint: string | null) =>
    make("PGRST202", 404)(
      `Could not find the function ${call} in the schema cache`,
      `Searched for the function ${searched}, but no matches were found in the schema cache.`,
      hint,
    ),
  ambiguousFunction: (candidates: readonly string[]) =>
    make("PGRST203", 300)(
      `Could not choose the best candidate function between: ${candidates.join(", ")}`,
      null,
      "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
    ),
  noColumn: (column: string, table: string) =>
    make("PGRST204", 400)(`Could not find the '${column}' column of '${table}' in the schema cache`),
  noTable: (table: string, hint: string | null) =>
    make("PGRST205", 404)(`Could not find the table '${table}' in the schema cache`, null, hint),

  noSecret: () => make("PGRST300", 500)("Server lacks JWT secret"),
  token: (message: string, details?: string) => jwt("PGRST301", message, details),
  anonymousDisabled: () =>
    new RestError({
      code: "PGRST302",
      status: 401,
      message: "Anonymous access is disabled",
      headers: { "www-authenticate": "Bearer" },
    }),
  claims: (message: string) => jwt("PGRST303", message),

  internal: (message: string) => make("PGRSTX00", 500)(message),
  /** A feature that Homebase does not implement; the only error here that PostgREST does not have. */
  notImplemented: (what: string) => make("HB501", 501)(`Homebase does not implement ${what}`),
} as const;
