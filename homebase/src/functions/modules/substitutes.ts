/**
 * Owns what a function gets in the place of modules that this machine cannot load: packages of JSR and of the CDNs
 * from npm, and the few modules of Deno's library that public functions are made with (docs/compat/functions.md 4).
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseJsonc } from "../../core/jsonc.ts";
import { isRecord, recordOf } from "../../core/record.ts";
import type { FunctionDefinition } from "../project-functions.ts";
import { importMapsOf, remoteImports } from "./graph.ts";
import { type ImportMap, packageMap } from "./package-map.ts";

/** The replacement of a module, in words. */
export interface Substitutes {
  map: ImportMap;
  /** Specifiers that are replaced, with what replaces them. */
  replaced: { specifier: string; by: string }[];
}

/** A module that could not be fetched, as Deno words it. A module that is not there (404) is worded otherwise. */
const NOT_FETCHED = /(?:^|\n)error: .*?Import '(https?:\/\/[^']+)' failed/s;

/** The address that a start failed at, as neither the network nor Deno's cache had it. */
export function unreached(details: string | undefined): string | undefined {
  return NOT_FETCHED.exec(details ?? "")?.[1];
}

/** What to do about it. */
export function adviceFor(address: string): string {
  return (
    `${new URL(address).host} cannot be reached, and Deno's cache does not have this module. ` +
    "Call the function once with a connection, then it is in the cache; or import the package from npm (npm:name@version)."
  );
}

const EMPTY = "data:text/javascript,export%20%7B%7D%3B";
/** `serve` of Deno's library before 0.200: it resolves when the server has stopped. */
const SERVE = `data:text/javascript,${encodeURIComponent(
  "export const serve = (handler, options) => Deno.serve(options ?? {}, handler).finished;",
)}`;

/** Base64 of Deno's library, with the names of its earlier and its present version. */
const BASE64 = `data:text/javascript,${encodeURIComponent(
  `const bytes = (data) => typeof data === "string" ? new TextEncoder().encode(data) : new Uint8Array(data);
export const encodeBase64 = (data) => btoa(Array.from(bytes(data), (byte) => String.fromCharCode(byte)).join(""));
export const decodeBase64 = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
export { decodeBase64 as decode, encodeBase64 as encode };`,
)}`;

/** Packages that are on npm under another name. */
const JSR_ON_NPM: Record<string, string> = {
  "@supabase/supabase-js": "@supabase/supabase-js",
  "@supabase/functions-js": "@supabase/functions-js",
  "@supabase/ssr": "@supabase/ssr",
  "@hono/hono": "hono",
  "@openai/openai": "openai",
  "@panva/jose": "jose",
  "@zod/zod": "zod",
};
const DENO_LAND_ON_NPM: Record<string, string> = { hono: "hono", jose: "jose", openai: "openai", zod: "zod" };

/** The replacement of a specifier; undefined without one. */
export function substituteFor(specifier: string): { target: string; by: string } | undefined {
  const npm = (name: string, version: string | undefined, path = "") => {
    const target = `npm:${name}${version ? `@${version}` : ""}${path}`;
    return { target, by: target };
  };
  if (/\.d\.ts(\?.*)?$/.test(specifier)) return { target: EMPTY, by: "nothing, as it holds types only" };
  if (/^https:\/\/deno\.land\/std(@[^/]+)?\/http\/server\.ts$/.test(specifier)) {
    return { target: SERVE, by: "Deno.serve" };
  }
  if (/^https:\/\/deno\.land\/std(@[^/]+)?\/dotenv\/load\.ts$/.test(specifier)) {
    return { target: EMPTY, by: "nothing, as secrets are set already" };
  }
  if (/^https:\/\/deno\.land\/x\/xhr(@[^/]+)?\/mod\.ts$/.test(specifier)) {
    return { target: EMPTY, by: "nothing, as fetch is there" };
  }
  if (
    /^(https:\/\/deno\.land\/std(@[^/]+)?\/encoding\/base64\.ts|jsr:\/?@std\/encoding(@[^/]+)?\/base64)$/.test(
      specifier,
    )
  ) {
    return { target: BASE64, by: "the same by btoa and atob" };
  }
  const jsr = /^jsr:\/?(@[^/]+\/[^/@]+)(?:@([^/]+))?(\/.*)?$/.exec(specifier);
  if (jsr) {
    const name = JSR_ON_NPM[jsr[1] ?? ""];
    return name === undefined ? undefined : npm(name, jsr[2], jsr[3]);
  }
  const land = /^https:\/\/deno\.land\/x\/([\w-]+)(?:@v?([^/]+))?\/(?:mod|index)\.ts$/.exec(specifier);
  if (land) {
    const name = DENO_LAND_ON_NPM[land[1] ?? ""];
    return name === undefined ? undefined : npm(name, land[2]);
  }
  const cdn =
    /^https:\/\/(?:esm\.sh|cdn\.skypack\.dev|unpkg\.com|cdn\.jsdelivr\.net\/npm)\/(?:v\d+\/|stable\/|\*)?((?:@[^/@?]+\/)?[^/@?]+)(?:@([^/?]+))?(\/[^?]*)?(?:\?.*)?$/.exec(
      specifier,
    );
  if (!cdn) return undefined;
  const path = (cdn[3] ?? "").replace(/\/(?:\+esm)?$/, "");
  return npm(cdn[1] ?? "", cdn[2], path);
}

/** The replacements of a function's remote modules; undefined if one has none. */
export function substitutesOf(definition: FunctionDefinition): Substitutes | undefined {
  const map = ownMap(definition);
  if (!map) return undefined;
  const replaced: Substitutes["replaced"] = [];
  const replace = (specifier: string): string | undefined => {
    const found = substituteFor(specifier);
    if (found && !replaced.some((one) => one.specifier === specifier))
      replaced.push({ specifier, by: found.by });
    return found?.target;
  };
  for (const [name, target] of Object.entries(map.imports)) {
    const substitute = replace(target);
    if (substitute !== undefined) Object.assign(map.imports, withSubpaths(name, substitute));
  }
  for (const specifier of remoteImports(definition)) {
    const target = replace(specifier);
    if (target !== undefined) map.imports[specifier] ??= target;
  }
  return replaced.length > 0 ? { map, replaced } : undefined;
}

/** A name's entries. An import map wants "npm:/" where a path follows. */
function withSubpaths(name: string, substitute: string): Record<string, string> {
  if (!substitute.startsWith("npm:")) return { [name]: substitute };
  const below = `npm:/${substitute.slice("npm:".length).replace(/^\/|\/$/g, "")}/`;
  if (name.endsWith("/")) return { [name]: below };
  const types = name === "@supabase/functions-js" ? { [`${name}/edge-runtime.d.ts`]: EMPTY } : {};
  return { [name]: substitute, [`${name}/`]: below, ...types };
}

/**
 * The function's own import map, with addresses in the place of relative paths, and the subpaths that Deno adds by itself
 * to the names of a deno.json; undefined where it is no JSON.
 */
function ownMap(definition: FunctionDefinition): ImportMap | undefined {
  const { importMap, packageJson } = definition;
  const path = importMapsOf(definition).at(-1);
  if (!importMap || path === undefined) return packageJson ? packageMap(packageJson) : { imports: {} };
  let content: unknown;
  try {
    content = parseJsonc(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
  if (!isRecord(content)) return undefined;
  const entries = (name: string, target: string): Record<string, string> => {
    if (target.startsWith("."))
      return {
        [name]: pathToFileURL(resolve(dirname(path), target)).href + (target.endsWith("/") ? "/" : ""),
      };
    const expands = importMap.kind === "config" && path === importMap.path && target.startsWith("npm:");
    return expands ? withSubpaths(name, target) : { [name]: target };
  };
  const absolute = (table: unknown): Record<string, string> => {
    const all: Record<string, string> = {};
    // What the map itself says of a name's subpaths counts: it is added after the names.
    const named = Object.entries(recordOf(table)).sort(
      ([a], [b]) => Number(a.endsWith("/")) - Number(b.endsWith("/")),
    );
    for (const [name, target] of named) Object.assign(all, entries(name, String(target)));
    return all;
  };
  const scopes = recordOf(content.scopes);
  return {
    imports: absolute(content.imports),
    scopes: Object.fromEntries(Object.entries(scopes).map(([scope, table]) => [scope, absolute(table)])),
  };
}
