/** Owns finding a handler by a request's method and path: one route table for each service, compiled once. */

/**
 * One route. A pattern is a path whose segments are fixed, `:name` (one segment that is not empty) or, at the
 * end, `*name` (the rest, at least a slash). The method `*` matches every method, and GET also HEAD: a table that
 * answers HEAD otherwise has a route for it, before that of GET.
 */
export type Route<Handler> = readonly [method: string, pattern: string, handler: Handler];

/** The match of a request. */
export interface RouteMatch<Handler, Name extends string> {
  handler: Handler;
  /** Values of the pattern's variables, not decoded; "" for a variable of other patterns. */
  values: Record<Name, string>;
}

interface Compiled<Handler> {
  method: string;
  segments: readonly string[];
  handler: Handler;
}

const ANY = "*";

/**
 * Finds handlers. A fixed path takes precedence over a pattern; of several patterns the first match applies,
 * so a table lists specific ones first. `Name` are the variables of its patterns.
 */
export class Router<Handler, Name extends string = never> {
  /** By path, then by method. */
  readonly #fixed = new Map<string, Map<string, Handler>>();
  /** By the first segment; those that begin with a variable are under `*`. */
  readonly #patterns = new Map<string, Compiled<Handler>[]>();
  /** Every variable of the table, as in a match without it. */
  readonly #unset = {} as Record<Name, string>;

  /** @throws Error for a pattern that can never match as intended. */
  constructor(routes: readonly Route<Handler>[]) {
    for (const [method, pattern, handler] of routes) {
      const segments = segmentsOf(pattern);
      const rest = segments.findIndex((segment) => segment.startsWith(ANY));
      if (rest >= 0 && rest < segments.length - 1) {
        throw new Error(`The route ${method} ${pattern} has segments after its "*".`);
      }
      if (!segments.some(isVariable)) {
        const methods = this.#fixed.get(pattern) ?? new Map<string, Handler>();
        if (methods.has(method)) throw new Error(`The route ${method} ${pattern} is in the table twice.`);
        this.#fixed.set(pattern, methods.set(method, handler));
        continue;
      }
      for (const segment of segments) if (isVariable(segment)) this.#unset[segment.slice(1) as Name] = "";
      const first = segments[0] ?? "";
      const key = isVariable(first) ? ANY : first;
      const list = this.#patterns.get(key) ?? [];
      list.push({ method, segments, handler });
      this.#patterns.set(key, list);
    }
  }

  /** The match of a request, or undefined. @param path begins with a slash, or is given as its segments. */
  match(method: string, path: string | readonly string[]): RouteMatch<Handler, Name> | undefined {
    const methods = this.#fixed.get(typeof path === "string" ? path : `/${path.join("/")}`);
    const fixed =
      methods?.get(method) ?? (method === "HEAD" ? methods?.get("GET") : undefined) ?? methods?.get(ANY);
    if (fixed !== undefined) return { handler: fixed, values: this.#unset };
    if (this.#patterns.size === 0) return undefined;
    const given = typeof path === "string" ? segmentsOf(path) : path;
    return this.#first(given[0] ?? "", method, given) ?? this.#first(ANY, method, given);
  }

  #first(key: string, method: string, given: readonly string[]): RouteMatch<Handler, Name> | undefined {
    for (const { method: wanted, segments, handler } of this.#patterns.get(key) ?? []) {
      if (wanted !== method && wanted !== ANY && !(method === "HEAD" && wanted === "GET")) continue;
      if (fits(segments, given)) return { handler, values: this.#valuesOf(segments, given) };
    }
    return undefined;
  }

  #valuesOf(segments: readonly string[], given: readonly string[]): Record<Name, string> {
    const values = { ...this.#unset };
    for (const [index, segment] of segments.entries()) {
      if (!isVariable(segment)) continue;
      values[segment.slice(1) as Name] = segment.startsWith(ANY)
        ? given.slice(index).join("/")
        : (given[index] ?? "");
    }
    return values;
  }
}

function fits(segments: readonly string[], given: readonly string[]): boolean {
  const rest = segments.at(-1)?.startsWith(ANY) === true;
  if (rest ? given.length < segments.length : given.length !== segments.length) return false;
  return segments.every((segment, index) =>
    isVariable(segment) ? segment.startsWith(ANY) || given[index] !== "" : segment === given[index],
  );
}

function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}

function isVariable(segment: string): boolean {
  return segment.startsWith(ANY) || segment.startsWith(":");
}
