/** Owns `homebase start --exclude`: which part of the stack each of the Supabase CLI's names means. */
import type { Config } from "../../../config/config.ts";
import { similar } from "../../kit/options.ts";
import { CommandError } from "../../kit/terminal.ts";

const SERVICES: Readonly<Record<string, (config: Config) => { enabled: boolean } | undefined>> = {
  gotrue: ({ auth }) => auth,
  realtime: ({ realtime }) => realtime,
  "storage-api": ({ storage }) => storage,
  imgproxy: ({ storage }) => storage.image_transformation,
  postgrest: ({ api }) => api,
  "edge-runtime": ({ edge_runtime }) => edge_runtime,
  mailpit: ({ local_smtp }) => local_smtp,
  inbucket: ({ local_smtp }) => local_smtp,
  "postgres-meta": ({ studio }) => studio,
  studio: (config) => {
    config.page = { enabled: true };
    return config.page;
  },
  // Homebase has none of these.
  logflare: () => undefined,
  vector: () => undefined,
  supavisor: () => undefined,
};

/** The names that it takes. */
export const EXCLUDABLE: readonly string[] = Object.keys(SERVICES);

/** Turns services off, by the names of the Supabase CLI. @throws CommandError for a name that it does not have */
export function exclude(config: Config, names: readonly string[]): void {
  for (const name of names) {
    if (name === "kong") {
      throw new CommandError("--exclude kong is not built: everything is served through the gateway.", 2);
    }
    if (!Object.hasOwn(SERVICES, name)) {
      const meant = similar(name, Object.keys(SERVICES));
      throw new CommandError(
        `--exclude knows no service ${name}.${meant === undefined ? "" : ` Did you mean ${meant}?`} It takes: ${Object.keys(SERVICES).join(", ")}.`,
        2,
      );
    }
    const section = SERVICES[name]?.(config);
    if (section) section.enabled = false;
  }
}
