/**
 * Owns a project's ports: those of config.toml plus an offset. A project without ports of its own gets
 * another offset when its ports are in use, e.g. for a second worktree, and stores it in
 * `.homebase/ports.json`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { configSchema } from "../config/schema.ts";
import { claimStateFolder, isTrusted, stateFolderOf } from "../postgres/cluster/state-folder.ts";
import { portFree, portHolder } from "./ports.ts";

const STEP = 100;
const ATTEMPTS = 20;

/** Adds `offset` to every port of a configuration, and to the API's in addresses. */
export function moveConfigPorts(config: Config, offset: number): void {
  // The stack speaks HTTP: an address with HTTPS is a proxy's, whatever its port.
  const served = new RegExp(`^(http://[^/?#@]+):${config.api.port}(?=/|$)`);
  const own = new RegExp(`^(https?://(?:127\\.0\\.0\\.1|localhost)):${config.api.port}(?=/|$)`);
  config.api.port += offset;
  // What the database calls the API by must not lead to the stack beside this one.
  for (const [name, value] of Object.entries(config.db.vault))
    config.db.vault[name] = value.replace(own, `$1:${config.api.port}`);
  const moved = (address: string) => address.replace(served, `$1:${config.api.port}`);
  for (const part of [config.api, config.auth])
    if (part.external_url !== undefined) part.external_url = moved(part.external_url);
  for (const provider of Object.values(config.auth.external))
    provider.redirect_uri = moved(provider.redirect_uri);
  config.db.port += offset;
  config.local_smtp.port += offset;
  config.studio.port += offset;
  config.edge_runtime.inspector_port += offset;
  for (const path of MOVED) {
    const origin = config.origins.get(path);
    config.origins.set(path, { ...origin, moved: (origin?.moved ?? 0) + offset });
  }
}

const MOVED = ["api.port", "db.port", "local_smtp.port", "studio.port", "edge_runtime.inspector_port"];

/** The part of a wing that takes a port (stack-wing.ts). */
export interface PortTaker {
  beside?: { port(config: Config): [port: number, purpose: string] | undefined };
}

/** The stack's ports with their purpose. @param wings what it has besides the core */
export function neededPorts(
  config: Config,
  wings: readonly PortTaker[] = [],
): [port: number, purpose: string][] {
  const needed: [number, string][] = [
    [config.api.port, "API"],
    [config.db.port, "database"],
  ];
  if (config.local_smtp.enabled) needed.push([config.local_smtp.port, "inbox"]);
  for (const { beside } of wings) {
    const taken = beside?.port(config);
    if (taken) needed.push(taken);
  }
  return needed;
}

/** The project's stored offset; 0 by default. */
export function storedOffset(projectFolder: string): number {
  if (!isTrusted(projectFolder)) return 0;
  try {
    const { offset } = JSON.parse(readFileSync(file(projectFolder), "utf8")) as { offset?: unknown };
    return Number.isInteger(offset) && Number(offset) > 0 && Number(offset) <= STEP * ATTEMPTS
      ? Number(offset)
      : 0;
  } catch {
    return 0;
  }
}

/**
 * Moves the ports of a configuration to free ones, unless the project configures its own. @returns a message
 * for the developer when they changed.
 */
export async function chooseFreePorts(
  config: Config,
  wings: readonly PortTaker[] = [],
): Promise<string | undefined> {
  const taken = await firstTaken(config, wings, 0);
  const offset = taken && (await freeOffset(config, wings));
  if (!taken || offset === undefined) return undefined;
  moveConfigPorts(config, offset - storedOffset(config.projectFolder));
  claimStateFolder(config.projectFolder);
  writeFileSync(file(config.projectFolder), `${JSON.stringify({ offset })}\n`, { mode: 0o600 });
  return (
    `Port ${taken.port} (${taken.purpose}) is in use by ${taken.holder ?? "another process"}. This project gets ports ` +
    `${offset} higher from now on: ${neededPorts(config, wings)
      .map(([port, purpose]) => `${purpose} ${port}`)
      .join(", ")}.`
  );
}

/** The offset that a start would choose where a port is taken; undefined when the project has ports of its own. */
export async function freeOffset(
  config: Config,
  wings: readonly PortTaker[] = [],
): Promise<number | undefined> {
  if (demandsPorts(config)) return undefined;
  const before = storedOffset(config.projectFolder);
  for (let offset = STEP; offset <= STEP * ATTEMPTS; offset += STEP) {
    if (offset !== before && !(await firstTaken(config, wings, offset - before))) return offset;
  }
  return undefined;
}

/** The first two services with the same port, in words. */
export function equalPorts(config: Config, wings: readonly PortTaker[] = []): string | undefined {
  const needed = neededPorts(config, wings);
  for (const [at, [port, purpose]] of needed.entries()) {
    const other = needed.slice(at + 1).find(([another]) => another === port);
    if (other)
      return `supabase/${config.file} gives port ${port} to both ${purpose} and ${other[1]}: change one of them.`;
  }
  return undefined;
}

/** Whether config.toml has a port other than the default: the CLI's template lists all defaults. */
function demandsPorts(config: Config): boolean {
  const offset = storedOffset(config.projectFolder);
  const defaults = configSchema.parse({});
  return (
    config.api.port - offset !== defaults.api.port ||
    config.db.port - offset !== defaults.db.port ||
    config.local_smtp.port - offset !== defaults.local_smtp.port ||
    config.studio.port - offset !== defaults.studio.port
  );
}

async function firstTaken(config: Config, wings: readonly PortTaker[], move: number) {
  for (const [port, purpose] of neededPorts(config, wings)) {
    if (!(await portFree(port + move))) return { port, purpose, holder: portHolder(port) };
  }
  return undefined;
}

function file(projectFolder: string): string {
  return join(stateFolderOf(projectFolder), "ports.json");
}
