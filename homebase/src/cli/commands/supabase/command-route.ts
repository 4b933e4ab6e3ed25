/**
 * Owns where a command line of the Supabase CLI is run: by Homebase, or by the real CLI. A line that names a hosted
 * project, or whose target the CLI's versions choose differently, always goes to the real one.
 */
import { noEffect, optionName, withoutGlobals, yesHasNoEffect } from "./global-options.ts";

export type Route =
  | { to: "homebase"; command: string; args: string[]; notes: string[] }
  | { to: "real"; reason: string };

/** What a command line's meaning depends on besides its words. */
export interface RouteContext {
  /** Whether `supabase link` has linked the folder, or the environment names a project. */
  linked: boolean;
}

interface LocalCommand {
  /**
   * When its target is this machine without --local: in every version of the CLI; if no project is linked; never, because
   * the linked project is the default of versions 1 and 2.
   */
  local: "always" | "unlinked" | "named";
  /** Options of every command of the CLI that this one has itself. */
  takes?: readonly ("yes" | "version")[];
  /** Options without an effect here, by name, with the reason. */
  dropped?: Readonly<Record<string, string>>;
}

const ONE_ENGINE = "Homebase compares with one engine, pg-delta";

/** The commands of the CLI that Homebase has with the same options, by their words. */
const COMMANDS: Readonly<Record<string, LocalCommand>> = {
  start: {
    local: "always",
    dropped: { "ignore-health-check": "a start ends only when a service cannot run, and -x leaves one out" },
  },
  stop: { local: "always" },
  status: { local: "always" },
  "db start": { local: "always" },
  "db reset": { local: "always", takes: ["yes", "version"] },
  "db diff": {
    local: "always",
    dropped: {
      "use-migra": ONE_ENGINE,
      "use-pgadmin": ONE_ENGINE,
      "use-pg-schema": ONE_ENGINE,
      "use-pg-delta": ONE_ENGINE,
    },
  },
  "db dump": { local: "named" },
  "db lint": { local: "always" },
  "gen types": { local: "unlinked" },
  "test db": { local: "always" },
  "test new": { local: "always" },
  "migration new": { local: "always" },
  "migration up": { local: "always" },
  "migration squash": { local: "always", takes: ["version"] },
  "migration list": { local: "named" },
  "migration repair": { local: "named" },
  "migration fetch": { local: "named" },
  "functions new": { local: "always" },
  "functions serve": { local: "always" },
  "seed buckets": { local: "unlinked" },
};

/** Other names of the same commands. */
const ALIASES: Readonly<Record<string, string>> = { "db test": "test db" };

/** Options that name something that is not on this machine. */
const REMOTE = /^--(linked|remote|db-url|project-ref|project-id|branch|from|to|password|profile)(=|$)|^-p/;
/** Where a command line is run. @param args after `supabase` */
export function routeOf(args: readonly string[], { linked }: RouteContext): Route {
  const { words, handedOn, output, yes, ownOf, notes } = withoutGlobals(args);
  const [first = "", second = "", ...rest] = words;
  const pair = `${first === "migrations" ? "migration" : first} ${second}`;
  const command = [ALIASES[pair] ?? pair, first].find((name) => Object.hasOwn(COMMANDS, name));
  const found = command === undefined ? undefined : COMMANDS[command];
  if (command === undefined || !found) return real("Homebase has no such command");
  const own = command === first ? words.slice(1) : rest;
  const takes = (name: "yes" | "version") => found.takes?.includes(name) === true;
  const others = takes("version") ? ownOf : (ownOf ?? own.find((word) => optionName(word) === "version"));
  if (others !== undefined) return real(`${others} is about the CLI itself`);

  const remote = args.find(
    (word) => REMOTE.test(word) && !(command === "stop" && word.startsWith("--project-id")),
  );
  if (remote !== undefined) return real(`${remote.replace(/=.*/, "")} names what is not on this machine`);
  if (own.some((word) => /^--local=(?!true$)/.test(word))) return real("--local is off");
  const local = own.some((word) => /^--local(=true)?$/.test(word));
  if (!local && found.local === "named") return real("without --local it may mean the linked project");
  if (!local && found.local === "unlinked" && linked)
    return real("a project is linked, and --local is not given");
  if (output !== undefined && command !== "status") return real(`its --output ${output} is the CLI's own`);
  if (command === "gen types" && otherLanguage(own)) return real("Homebase has types for TypeScript only");

  if (yes && takes("yes")) handedOn.push("--yes");
  else if (yes) notes.push(yesHasNoEffect());
  const kept = own.flatMap((word) => {
    const name = optionName(word);
    const reason = name === undefined ? undefined : found.dropped?.[name];
    if (reason !== undefined) notes.push(noEffect(name ?? "", reason));
    if (reason !== undefined) return [];
    return /^--local=true$/.test(word) ? ["--local"] : [word];
  });
  const format = output === undefined ? [] : ["--output", output];
  return { to: "homebase", command, args: [...kept, ...handedOn, ...format], notes };
}

const real = (reason: string): Route => ({ to: "real", reason });

function otherLanguage(words: readonly string[]): boolean {
  return words.some((word, at) => {
    const before = words[at - 1] ?? "";
    const language = /^--lang=(.*)$/.exec(word)?.[1] ?? (before === "--lang" ? word : undefined);
    const named = language ?? (at === 0 && !word.startsWith("-") ? word : undefined);
    return named !== undefined && named !== "typescript";
  });
}
