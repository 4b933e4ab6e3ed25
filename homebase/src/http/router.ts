/** Owns finding a handler by a request's method and path: one route table for each service, compiled once. */

/**
 * One route. A pattern is a path whose segments are fixed, `:name` (one segment that is not empty) or, at the
 * end, `*` (the rest, at least a slash). The method `*` matches every method.
 */
export type Route<Handler> = readonly [method: string, pattern: string, handler: Handler];

/** The match of a request. */
export interface RouteMatch<Handler> {
  handler: Handler;
  /** Values of the pattern's variables, in their order and not decoded. */
  values: string[];
}

interface Compiled<Handler> {
  method: string;
  segments: readonly string[];
  handler: Handler;
}

const ANY = "*";

/**
 * Finds handlers. A fixed path takes precedence over a pattern; of several patterns the first match applies,
 * so a table lists specific ones first.
 */
export class Router<Handler> {
  /** By method and path. */
  readonly #fixed = new Map<string, Handler>();
  /** By the first segment; those that begin with a variable are under `*`. */
  readonly #patterns = new Map<string, Compiled<Handler>[]>();

  /** @throws Error for a pattern that can never match as intended. */
  constructor(routes: readonly Route<Handler>[]) {
    for (const [method, pattern, handler] of routes) {
      const segments = segmentsOf(pattern);
      const rest = segments.indexOf(ANY);
      if (rest >= 0 && rest < segments.length - 1) {
        throw new Error(`The route ${method} ${pattern} has segments after its "*".`);
      }
      if (!segments.some(isVariable)) {
        const key = `${method} ${segments.join("/")}`;
        if (this.#fixed.has(key)) throw new Error(`The route ${method} ${pattern} is in the table twice.`);
        this.#fixed.set(key, handler);
        continue;
      }
      const first = segments[0] ?? "";
      const key = isVariable(first) ? ANY : first;
      const list = this.#patterns.get(key) ?? [];
      list.push({ method, segments, handler });
      this.#patterns.set(key, list);
    }
  }

  /** The match of a request, or undefined. @param path begins with a slash, or is given as its segments. */
  match(method: string, path: string | readonly string[]): RouteMatch<Handler> | undefined {
    const given = typeof path === "string" ? segmentsOf(path) : path;
    const joined = given.join("/");
    const fixed = this.#fixed.get(`${method} ${joined}`) ?? this.#fixed.get(`${ANY} ${joined}`);
    if (fixed !== undefined) return { handler: fixed, values: [] };
    return (
      firstMatch(this.#patterns.get(given[0] ?? ""), method, given) ??
      firstMatch(this.#patterns.get(ANY), method, given)
    );
  }
}

function firstMatch<Handler>(
  patterns: readonly Compiled<Handler>[] | undefined,
  method: string,
  given: readonly string[],
): RouteMatch<Handler> | undefined {
  for (const { method: wanted, segments, handler } of patterns ?? []) {
    if (wanted !== method && wanted !== ANY) continue;
    const values = valuesOf(segments, given);
    if (values) return { handler, values };
  }
  return undefined;
}

function valuesOf(segments: readonly string[], given: readonly string[]): string[] | undefined {
  const values: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const value = given[index];
    if (value === undefined) return undefined;
    if (segment === ANY) return [...values, given.slice(index).join("/")];
    if (segment.startsWith(":")) {
      if (value === "") return undefined;
      values.push(value);
    } else if (segment !== value) return undefined;
  }
  return given.length === segments.length ? values : undefined;
}

function segmentsOf(path: string): string[] {
  return path.split("/").slice(1);
}

function isVariable(segment: string): boolean {
  return segment === ANY || segment.startsWith(":");
}
