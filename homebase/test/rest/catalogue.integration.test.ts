/** The catalogue of errors: each code with its status, message, details, hint and headers. */
import { beforeAll, expect, it } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { type AskOptions, openRest } from "./fixture.ts";

const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(`
    create function raised(message text, detail text default null) returns void language plpgsql as $$
      begin
        if detail is null then raise sqlstate 'PGRST' using message = message; end if;
        raise sqlstate 'PGRST' using message = message, detail = detail;
      end $$;
    create function headed(headers text) returns void language sql as
      $$select set_config('response.headers', headers, true)$$;
    create function answered(status text) returns text language sql as
      $$select set_config('response.status', status, true)$$;
    create function unnamed_json(json) returns json language sql as 'select $1';
    create function unnamed_json(jsonb) returns jsonb language sql as 'select $1';
  `);
});

const prefer = (value: string, more: AskOptions = {}): AskOptions => ({
  ...more,
  headers: { prefer: value },
});
const object: AskOptions = { headers: { accept: "application/vnd.pgrst.object+json" } };
const csv = (body: string): AskOptions => ({ body, headers: { "content-type": "text/csv" } });

type Case = [
  code: string,
  status: number,
  asked: [string, string, AskOptions?],
  message: string,
  details?: unknown,
  hint?: string,
];

const NOT_PARSED = `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`;
const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";
const GOOD = '{"code":"1","message":"m"}';
const raised = (message: string, detail?: string): [string, string, AskOptions] => [
  "POST",
  "/rpc/raised",
  { body: detail === undefined ? { message } : { message, detail } },
];
const HEADERS_GUC =
  "response.headers guc must be a JSON array composed of objects with a single key and a string value";

const cases: Case[] = [
  ["PGRST101", 405, ["PUT", "/rpc/add", { body: {} }], "Cannot use the PUT method on RPC"],
  ["PGRST102", 400, ["POST", "/places", { body: "{" }], "Empty or invalid json"],
  ["PGRST102", 400, ["POST", "/places", { body: "" }], "Empty or invalid json"],
  [
    "PGRST102",
    400,
    ["POST", "/places", { body: '[{"name":"a"},{"city":"b"}]' }],
    "All object keys must match",
  ],
  ["PGRST102", 400, ["POST", "/places", { body: '[{"name":"a"},1]' }], "All object keys must match"],
  [
    "PGRST102",
    400,
    ["POST", "/places", csv("name,city\na,b\nc\n")],
    "All lines must have same number of fields",
  ],
  ["PGRST102", 400, ["POST", "/places", csv("name,city")], 'parse error (not enough input) at ""'],
  ["PGRST102", 400, ["POST", "/places", csv('name\n"a"b\n')], 'parse error (endOfInput) at "b\\n"'],
  [
    "PGRST102",
    400,
    ["POST", "/places", { body: "x", headers: { "content-type": "text/plain" } }],
    "Content-Type not acceptable: text/plain",
  ],
  [
    "PGRST103",
    416,
    ["GET", "/places?limit=-1"],
    "Requested range not satisfiable",
    "Limit should be greater than or equal to zero.",
  ],
  [
    "PGRST103",
    416,
    ["GET", "/places", { headers: { range: "5-1" } }],
    "Requested range not satisfiable",
    "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
  ],
  [
    "PGRST103",
    416,
    ["GET", "/labels?offset=9", prefer("count=exact")],
    "Requested range not satisfiable",
    "An offset of 9 was requested, but there are only 2 rows.",
  ],
  [
    "PGRST105",
    405,
    ["PUT", "/labels?label=eq.x", { body: {} }],
    "Filters must include all and only primary key columns with 'eq' operators",
  ],
  [
    "PGRST106",
    406,
    ["GET", "/places", { headers: { "accept-profile": "nope" } }],
    "Invalid schema: nope",
    null,
    "Only the following schemas are exposed: public, graphql_public",
  ],
  [
    "PGRST107",
    406,
    ["GET", "/places", { headers: { accept: "image/png, text/x" } }],
    "None of these media types are available: image/png, text/x",
  ],
  [
    "PGRST108",
    400,
    ["GET", "/places?visits.id=eq.1"],
    "'visits' is not an embedded resource in this request",
    null,
    "Verify that 'visits' is included in the 'select' query parameter.",
  ],
  ["PGRST111", 500, ["POST", "/rpc/headed", { body: { headers: "{}" } }], HEADERS_GUC],
  ["PGRST111", 500, ["POST", "/rpc/headed", { body: { headers: '[{"a":1}]' } }], HEADERS_GUC],
  ["PGRST111", 500, ["POST", "/rpc/headed", { body: { headers: '[{"a":"1","b":"2"}]' } }], HEADERS_GUC],
  ["PGRST111", 500, ["POST", "/rpc/headed", { body: { headers: '[{"no name":"1"}]' } }], HEADERS_GUC],
  ...["abc", "99", "1000"].map(
    (status): Case => [
      "PGRST112",
      500,
      ["POST", "/rpc/answered", { body: { status } }],
      "response.status guc must be a valid status code",
    ],
  ),
  [
    "PGRST114",
    400,
    ["PUT", "/labels?id=eq.1&limit=1", { body: {} }],
    "limit/offset querystring parameters are not allowed for PUT",
  ],
  [
    "PGRST115",
    400,
    ["PUT", "/labels?id=eq.1", { body: { id: 2 } }],
    "Payload values do not match URL in primary key column(s)",
  ],
  [
    "PGRST116",
    406,
    ["GET", "/labels", object],
    "Cannot coerce the result to a single JSON object",
    "The result contains 2 rows",
  ],
  [
    "PGRST116",
    406,
    ["PATCH", "/labels?id=eq.99", { ...object, body: { label: "x" } }],
    "Cannot coerce the result to a single JSON object",
    "The result contains 0 rows",
  ],
  ["PGRST117", 405, ["PROPFIND", "/places"], "Unsupported HTTP method: PROPFIND"],
  [
    "PGRST118",
    400,
    ["GET", "/places?select=id,visits(id)&order=visits(id)"],
    "A related order on 'visits' is not possible",
    "'places' and 'visits' do not form a many-to-one or one-to-one relationship",
  ],
  [
    "PGRST121",
    500,
    raised("no JSON", "{}"),
    NOT_PARSED,
    "Invalid JSON value for MESSAGE: 'no JSON'",
    MESSAGE_HINT,
  ],
  [
    "PGRST121",
    500,
    raised('{"code":"1","message":"m","details":{}}', "{}"),
    NOT_PARSED,
    `Invalid JSON value for MESSAGE: '{"code":"1","message":"m","details":{}}'`,
    MESSAGE_HINT,
  ],
  [
    "PGRST121",
    500,
    raised(GOOD, "no JSON"),
    NOT_PARSED,
    "Invalid JSON value for DETAIL: 'no JSON'",
    DETAIL_HINT,
  ],
  [
    "PGRST121",
    500,
    raised(GOOD, '{"status":400}'),
    NOT_PARSED,
    `Invalid JSON value for DETAIL: '{"status":400}'`,
    DETAIL_HINT,
  ],
  ["PGRST121", 500, raised(GOOD), NOT_PARSED, "DETAIL is missing in the RAISE statement", DETAIL_HINT],
  [
    "PGRST122",
    400,
    ["GET", "/places", prefer("handling=strict, one, count=exact, two=2")],
    "Invalid preferences given with handling=strict",
    "Invalid preferences: one, two=2",
  ],
  ["PGRST123", 400, ["GET", "/places?select=id.sum()"], "Use of aggregate functions is not allowed"],
  [
    "PGRST124",
    400,
    ["DELETE", "/place_labels?place_id=eq.1", prefer("handling=strict, max-affected=1")],
    "Query result exceeds max-affected preference constraint",
    "The query affects 2 rows",
  ],
  ["PGRST125", 404, ["GET", "/places/1"], "Invalid path specified in request URL"],
  [
    "PGRST128",
    400,
    ["POST", "/rpc/add", prefer("handling=strict, max-affected=1", { body: { a: 1 } })],
    "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
  ],
  [
    "PGRST200",
    400,
    ["GET", "/places?select=id,labls(id)"],
    "Could not find a relationship between 'places' and 'labls' in the schema cache",
    "Searched for a foreign key relationship between 'places' and 'labls' in the schema 'public', but no matches were found.",
    "Perhaps you meant 'labels' instead of 'labls'.",
  ],
  [
    "PGRST202",
    404,
    ["GET", "/rpc/addd?a=1"],
    "Could not find the function public.addd(a) in the schema cache",
    "Searched for the function public.addd with parameter a, but no matches were found in the schema cache.",
    "Perhaps you meant to call the function public.add",
  ],
  [
    "PGRST202",
    404,
    ["POST", "/rpc/add", { body: { b: 1, aa: 2 } }],
    "Could not find the function public.add(aa, b) in the schema cache",
    "Searched for the function public.add with parameters aa, b or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.",
    "Perhaps you meant to call the function public.add(a, b)",
  ],
  [
    "PGRST202",
    404,
    ["POST", "/rpc/add", { body: "x", headers: { "content-type": "text/plain" } }],
    "Could not find the function public.add in the schema cache",
    "Searched for the function public.add with a single unnamed text parameter, but no matches were found in the schema cache.",
  ],
  [
    "PGRST203",
    300,
    ["POST", "/rpc/unnamed_json", { body: { x: 1 } }],
    "Could not choose the best candidate function between: public.unnamed_json( => json), public.unnamed_json( => jsonb)",
    null,
    "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
  ],
  [
    "PGRST204",
    400,
    ["POST", "/places", { body: { nope: 1 } }],
    "Could not find the 'nope' column of 'places' in the schema cache",
  ],
  [
    "PGRST205",
    404,
    ["GET", "/place"],
    "Could not find the table 'public.place' in the schema cache",
    null,
    "Perhaps you meant the table 'public.places'",
  ],
  ["PGRST205", 404, ["GET", "/zzzzzz"], "Could not find the table 'public.zzzzzz' in the schema cache"],
];

it.each(cases)("%s %s: %j", async (code, status, asked, message, details = null, hint) => {
  const answer = await rest.ask(...asked);
  expect([answer.status, answer.json]).toEqual([status, { code, details, hint: hint ?? null, message }]);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  // Whether it is out of bounds is known only after a success: a normal response.
  const late = code === "PGRST103" && asked[1].includes("offset");
  expect(answer.headers.get("proxy-status")).toBe(late ? null : `PostgREST; error=${code}`);
});

it("lists the candidates of PGRST201", async () => {
  const answer = await rest.ask("GET", "/visits?select=id,users(name)");
  expect([answer.status, answer.json]).toEqual([
    300,
    {
      code: "PGRST201",
      details: [
        {
          cardinality: "many-to-one",
          embedding: "visits with users",
          relationship: "visits_invited_by_fkey using visits(invited_by) and users(id)",
        },
        {
          cardinality: "many-to-one",
          embedding: "visits with users",
          relationship: "visits_user_id_fkey using visits(user_id) and users(id)",
        },
      ],
      hint: "Try changing 'users' to one of the following: 'users!visits_invited_by_fkey', 'users!visits_user_id_fkey'. Find the desired relationship in the 'details' key.",
      message: "Could not embed because more than one relationship was found for 'visits' and 'users'",
    },
  ]);
});

it.each([
  ["08006", 503],
  ["09000", 500],
  ["0L000", 403],
  ["0P000", 403],
  ["21000", 500],
  ["22023", 400],
  ["22P02", 400],
  ["23502", 400],
  ["23503", 409],
  ["23505", 409],
  ["23514", 400],
  ["25006", 405],
  ["25001", 500],
  ["28000", 403],
  ["2D000", 500],
  ["38000", 500],
  ["39000", 500],
  ["3B000", 500],
  ["40001", 500],
  ["40P01", 500],
  ["42501", 401],
  ["42883", 404],
  ["42P01", 404],
  ["42P17", 500],
  ["42703", 400],
  ["53100", 503],
  ["53400", 500],
  ["54001", 500],
  ["55000", 500],
  ["57014", 500],
  ["57P01", 503],
  ["58000", 500],
  ["F0000", 500],
  ["HV000", 500],
  ["P0001", 400],
  ["P0002", 500],
  ["XX000", 500],
  ["PT402", 402],
  ["PT40A", 500],
  ["PT000", 500],
  ["ZZ123", 400],
])("passes SQLSTATE %s on with %s", async (code, status) => {
  const answer = await rest.ask("POST", "/rpc/fail", { body: { code } });
  expect([answer.status, answer.json]).toEqual([
    status,
    { code, details: "why", hint: "what now", message: "it failed" },
  ]);
  expect(answer.headers.get("proxy-status")).toBe(`PostgREST; error=${code}`);
  expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
  expect(answer.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
});

it("forbids with 403 whoever has a token for another role", async () => {
  const answer = await rest.ask("POST", "/rpc/fail", {
    body: { code: "42501" },
    token: await rest.tokenOf({ sub: "ada" }),
  });
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([403, null]);
});

it("answers just what SQLSTATE PGRST says", async () => {
  const message = '{"code":"tea","message":"No coffee","details":"A pot","hint":"Ask for tea"}';
  const detail =
    '{"status":418,"status_text":"Teapot","headers":{"X-Tea":"green","WWW-Authenticate":"Leaf"}}';
  const answer = await rest.ask(...raised(message, detail));
  expect([answer.status, answer.json]).toEqual([
    418,
    { code: "tea", details: "A pot", hint: "Ask for tea", message: "No coffee" },
  ]);
  expect(answer.headers.get("x-tea")).toBe("green");
  expect(answer.headers.get("www-authenticate")).toBe("Leaf");
  expect(answer.headers.get("proxy-status")).toBe("PostgREST; error=tea");
});
