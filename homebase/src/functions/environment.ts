/** Owns a worker's environment (docs/compat/functions.md 3). */
import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { staysWithin } from "../config/project-paths.ts";
import { userCache } from "../core/user-folders.ts";
import type { ServiceContext } from "../service-context.ts";
import { PROXIES } from "./deno.ts";
import { linksOutside } from "./modules/files-check.ts";

/** The platform's own variables; they take precedence over secrets with the same name. */
export function platformEnvironment({ config, keys, database, url }: ServiceContext): Record<string, string> {
  return {
    SUPABASE_URL: url,
    SUPABASE_ANON_KEY: keys.anonKey,
    SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
    SUPABASE_DB_URL: database.url,
    SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishableKey }),
    SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secretKey }),
    SUPABASE_JWKS: JSON.stringify(keys.publicJwks),
    SB_REGION: "local",
    SB_EXECUTION_ID: randomUUID(),
    DENO_DEPLOYMENT_ID: `${config.project_id}_local`,
  };
}

/** Hidden from the user's code. */
const PASSED =
  /^(HOME|TMPDIR|DENO_DIR|DENO_TLS_CA_STORE|DENO_CERT|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|HTTPS?_PROXY|NO_PROXY|NPM_CONFIG_REGISTRY|JSR_URL)$/i;
/** Those that name a file or folder, which Deno reads or writes with this user's rights. */
const PATHS = /^(HOME|TMPDIR|DENO_DIR|DENO_CERT|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS)$/i;
/** Those by which a project can stand between Deno and the registries that it trusts. */
const TRUST = /^(HTTPS?_PROXY|DENO_TLS_CA_STORE|DENO_CERT|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS)$/i;
/** A proxy with another scheme: `unix:` is any socket of this user's. */
const NO_PROXY_ADDRESS = /^(?!(?:https?|socks5h?):)[a-z][a-z0-9+.-]*:/i;
const LOOPBACK = "127.0.0.1,localhost,::1";

/**
 * The variables that Deno itself needs: this machine's, and those of the project's dotenv files, which may name files
 * of the project only.
 * @param omitted is called with the name of one that names another file, or a socket.
 */
export function runtimeEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  projectFolder: string,
  omitted: (name: string) => void = () => {},
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !PASSED.test(name)) continue;
    if (PROXIES.includes(name) && NO_PROXY_ADDRESS.test(value)) omitted(name);
    else if (!PATHS.test(name) || value === process.env[name]) passed[name] = value;
    else if (staysWithin(realpathSync(projectFolder), resolve(projectFolder, value)))
      passed[name] = resolve(projectFolder, value);
    else omitted(name);
  }
  refuseLinkedCache(passed, projectFolder, omitted);
  const given = (name: string) => passed[name] !== process.env[name];
  if (Object.keys(passed).some((name) => TRUST.test(name) && given(name))) {
    const own = ownHome(projectFolder);
    for (const name of ["HOME", "DENO_DIR"]) if (!passed[name] || !given(name)) passed[name] = own;
  }
  if (PROXIES.some((name) => passed[name] !== undefined)) {
    const before = passed.NO_PROXY ?? passed.no_proxy;
    passed.NO_PROXY = before === undefined ? LOOPBACK : `${before},${LOOPBACK}`;
  }
  return passed;
}

/**
 * A home for Deno where a project names proxies or certificates: this user's has tokens for registries, which the
 * proxy would read, and the cache of every other project, which it would write to.
 */
function ownHome(projectFolder: string): string {
  const name = createHash("sha256").update(realpathSync(projectFolder)).digest("hex").slice(0, 12);
  const folder = join(userCache(), `deno-home-${name}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Omits a cache of the project's with links out of the project: Deno reads and writes through them. */
function refuseLinkedCache(
  passed: Record<string, string>,
  projectFolder: string,
  omitted: (name: string) => void,
): void {
  const own = ["DENO_DIR", "HOME"].filter(
    (name) => passed[name] !== undefined && passed[name] !== process.env[name],
  );
  if (own.length === 0) return;
  const cache = denoCache(passed);
  const bounds = { roots: [projectFolder, cache], own: [], closed: [] };
  if (linksOutside(cache, bounds).length === 0) return;
  for (const name of own) {
    delete passed[name];
    omitted(name);
  }
}

/**
 * Deno's cache. Functions may read its npm packages: packages have files besides modules (WebAssembly, fonts), which a
 * hosted function can read through `import.meta.resolve("npm:...")`.
 */
export function denoCache(environment: Readonly<Record<string, string>>): string {
  const home = environment.HOME ?? homedir();
  const caches = process.platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
  return environment.DENO_DIR ?? join(caches, "deno");
}
