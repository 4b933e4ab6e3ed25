/** Owns a request as a call of supabase-js, or as a fetch where that has no call for it. */
import type { Outgoing } from "../../server/api.ts";
import { decoded } from "./words.ts";

/** Its filters that have a method of their own, which take one value. */
const SIMPLE = new Set("eq neq gt gte lt lte like ilike is".split(" "));
const PREFIX = /^\/(rest|auth|storage|functions)\/v1\//;

/** TypeScript that makes the same request by a client called `supabase`. */
export function supabaseJsOf(request: Outgoing): string {
  const { method, path, body } = request;
  const [address = "", query = ""] = path.split(/\?(.*)/s);
  const [, service] = PREFIX.exec(address) ?? [];
  const name = decoded(address.replace(PREFIX, ""));
  const schema = request.headers["accept-profile"] ?? request.headers["content-profile"];
  const client = schema === undefined ? "supabase" : `supabase.schema(${quoted(schema)})`;
  if (service === "functions") {
    const options = {
      ...(method === "POST" ? {} : { method }),
      ...(body === undefined ? {} : { body: parsed(body) }),
    };
    const more = Object.keys(options).length === 0 ? "" : `, ${JSON.stringify(options)}`;
    return `const { data, error } = await supabase.functions.invoke(${quoted(name + (query && `?${query}`))}${more});`;
  }
  const call =
    service === "rest" && !name.slice(4).includes("/") ? restCall(request, name, query) : undefined;
  if (call !== undefined) return `const { data, error } = await ${client}${call};`;
  return fetchOf(request);
}

/** Undefined for what supabase-js cannot say. */
function restCall({ method, headers, body }: Outgoing, name: string, query: string): string | undefined {
  const parameters = [...new URLSearchParams(query)];
  const only = (key: string) => parameters.find(([one]) => one === key)?.[1];
  const prefer = headers.prefer ?? "";
  const called = name.startsWith("rpc/");
  const head = method === "HEAD" ? ["head: true"] : [];
  const count = /count=(\w+)/.exec(prefer)?.[1];
  const counted = [...head, ...(count === undefined ? [] : [`count: ${quoted(count)}`])];
  const options = counted.length === 0 ? "" : `, { ${counted.join(", ")} }`;
  if (called) {
    if (method === "POST") return `.rpc(${quoted(name.slice(4))}, ${body ?? "{}"}${options})`;
    const args = JSON.stringify(Object.fromEntries(parameters));
    return `.rpc(${quoted(name.slice(4))}, ${args}, { ${["get: true", ...counted].join(", ")} })`;
  }
  const from = `.from(${quoted(name)})`;
  const returned = /return=representation/.test(prefer) ? `.select(${chosen(only("select"))})` : "";
  const lines = modifiersOf(parameters);
  switch (method) {
    case "GET":
    case "HEAD":
      return [`${from}.select(${chosen(only("select"), options)})`, ...lines].join("\n  ");
    case "POST": {
      const merges = /resolution=merge-duplicates/.test(prefer);
      const ignores = /resolution=ignore-duplicates/.test(prefer);
      const conflict = only("on_conflict");
      const how = [
        ...(conflict === undefined ? [] : [`onConflict: ${quoted(conflict)}`]),
        ...(ignores ? ["ignoreDuplicates: true"] : []),
      ];
      const verb = merges || ignores ? "upsert" : "insert";
      return `${from}.${verb}(${body ?? "{}"}${how.length > 0 ? `, { ${how.join(", ")} }` : ""})${returned}`;
    }
    case "PATCH":
      return [`${from}.update(${body ?? "{}"})`, ...lines].join("\n  ") + returned;
    case "DELETE":
      return [`${from}.delete()`, ...lines].join("\n  ") + returned;
    default:
      return undefined;
  }
}

function chosen(select: string | undefined, options = ""): string {
  if (select === undefined || select === "*") return options === "" ? "" : `"*"${options}`;
  return quoted(select) + options;
}

/** Filters, order and page, a line each. */
function modifiersOf(parameters: readonly (readonly [string, string])[]): string[] {
  const only = (key: string) => parameters.find(([one]) => one === key)?.[1];
  const [limit, offset] = [only("limit"), only("offset")];
  const lines = parameters.flatMap(([name, value]) => {
    if (["select", "columns", "on_conflict", "limit", "offset"].includes(name)) return [];
    if (name === "order") return value.split(",").map(orderOf);
    const [, column, keyword] = /^(?:(.*)\.)?(order|limit|offset)$/.exec(name) ?? [];
    if (keyword !== undefined && column !== undefined)
      return keyword === "limit" ? [`.limit(${value}, { referencedTable: ${quoted(column)} })`] : [];
    const [, of, either] = /^(?:(.*)\.)?(or|and)$/.exec(name) ?? [];
    if (either === "or")
      return [
        `.or(${quoted(value.replace(/^\(|\)$/g, ""))}${of === undefined ? "" : `, { referencedTable: ${quoted(of)} }`})`,
      ];
    return [filterOf(name, value)];
  });
  if (limit !== undefined && offset !== undefined)
    lines.push(`.range(${offset}, ${Number(offset) + Number(limit) - 1})`);
  else if (limit !== undefined) lines.push(`.limit(${limit})`);
  return lines;
}

function filterOf(column: string, condition: string): string {
  const [, operator = "", value = ""] = /^((?:not\.)?[^.]*)\.(.*)$/s.exec(condition) ?? [];
  if (operator.startsWith("not.")) {
    return `.not(${quoted(column)}, ${quoted(operator.slice(4))}, ${quoted(value)})`;
  }
  if (operator === "is" && /^(null|true|false)$/.test(value)) return `.is(${quoted(column)}, ${value})`;
  if (SIMPLE.has(operator) && operator !== "is") return `.${operator}(${quoted(column)}, ${quoted(value)})`;
  return `.filter(${quoted(column)}, ${quoted(operator)}, ${quoted(value)})`;
}

function orderOf(term: string): string {
  const [column = "", ...words] = term.split(".");
  const options = [
    ...(words.includes("desc") ? ["ascending: false"] : []),
    ...(words.includes("nullsfirst") ? ["nullsFirst: true"] : []),
    ...(words.includes("nullslast") ? ["nullsFirst: false"] : []),
  ];
  return `.order(${quoted(column)}${options.length > 0 ? `, { ${options.join(", ")} }` : ""})`;
}

/** With the client's own address, keys and session. */
function fetchOf({ method, path, headers, body }: Outgoing): string {
  const sent = { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const more = [
    ...(method === "GET" ? [] : [`method: ${quoted(method)}`]),
    `headers: { apikey: SUPABASE_KEY, authorization: \`Bearer \${session.access_token}\`${Object.entries(sent)
      .map(([name, value]) => `, ${quoted(name)}: ${quoted(value)}`)
      .join("")} }`,
    ...(body === undefined ? [] : [`body: ${quoted(body)}`]),
  ];
  return `const response = await fetch(SUPABASE_URL + ${quoted(path)}, { ${more.join(", ")} });`;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
