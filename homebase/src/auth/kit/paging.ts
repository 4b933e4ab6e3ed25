/** Owns paging of the admin lists: `page` and `per_page`, X-Total-Count and Link. */
import { validationFailed } from "./errors.ts";

const DEFAULT_SIZE = 50;

export interface Page {
  /** Counted from 1. */
  number: number;
  size: number;
}

/** @throws AuthError validation_failed for a value that is not a number. */
export function readPage(query: URLSearchParams): Page {
  return { number: numberOf(query, "page", 1), size: numberOf(query, "per_page", DEFAULT_SIZE) };
}

function numberOf(query: URLSearchParams, name: string, standard: number): number {
  const text = query.get(name);
  if (text === null || text === "") return standard;
  if (!/^\d{1,9}$/.test(text)) {
    throw validationFailed(`Bad Pagination Parameters: strconv.ParseUint: parsing "${text}": invalid syntax`);
  }
  return Number(text) || standard;
}

/** `page` is the first parameter of each link: auth-js reads one digit after the first "=". */
export function pageHeaders(
  path: string,
  query: URLSearchParams,
  page: Page,
  total: number,
): Record<string, string> {
  const last = Math.ceil(total / page.size);
  const address = (number: number) => {
    const next = new URLSearchParams(query);
    next.set("page", String(number));
    next.set("per_page", String(page.size));
    next.sort();
    return `<${path}?${next}>`;
  };
  const links = [`${address(last)}; rel="last"`];
  if (page.number < last) links.unshift(`${address(page.number + 1)}; rel="next"`);
  return { "x-total-count": String(total), link: links.join(", ") };
}
