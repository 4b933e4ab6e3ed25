/** Owns a worker's environment (docs/compat/functions.md 3). */
import { randomUUID } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { staysWithin } from "../config/project-paths.ts";
import type { ServiceContext } from "../service-context.ts";
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

/**
 * The variables that Deno itself needs: this machine's, and those of the project's dotenv files, which may name files
 * of the project only.
 * @param omitted is called with the name of one that names another file.
 */
export function runtimeEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  projectFolder: string,
  omitted: (name: string) => void = () => {},
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || !PASSED.test(name)) continue;
    if (!PATHS.test(name) || value === process.env[name]) passed[name] = value;
    else if (staysWithin(realpathSync(projectFolder), resolve(projectFolder, value)))
      passed[name] = resolve(projectFolder, value);
    else omitted(name);
  }
  refuseLinkedCache(passed, projectFolder, omitted);
  return passed;
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
  const bounds = { roots: [projectFolder], own: [], closed: [] };
  if (linksOutside(denoCache(passed), bounds).length === 0) return;
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
