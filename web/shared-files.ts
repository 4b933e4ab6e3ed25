/**
 * Owns: which of the project's modules share a file of the build, beside those of the first views (`vite.config.ts`).
 * A module that several screens use would be a file of its own: the plan's page asked for a hundred.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "vite";

type Graph = Rolldown.ChunkingContext;

const APP = join(import.meta.dirname, "src", "app");
const FIRST = ["main.tsx", "shell.tsx", "persisted-cache.ts"];
const FIRST_ROUTES = ["routes/join.tsx", "routes/landing.tsx", "routes/home.tsx"];
const PLAN = "routes/plan.tsx";

/** The project's own modules, without German words, which only the German app loads. */
export const OWN = /^(?!.*\.de\.ts$).*\/(?:web\/src|supabase\/functions\/_shared)\//;

/** The own modules that some modules of `src/app` need at once. */
function needs(graph: Graph, modules: readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (id: string) => {
    if (found.has(id) || !OWN.test(id)) return;
    found.add(id);
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each);
  };
  for (const each of modules) add(join(APP, each));
  return found;
}

/** Names the file of a module that at least two parts of the app load. */
export function sharedFiles(): Rolldown.CodeSplittingNameFunction {
  const others = globSync("routes/**/*.tsx", { cwd: APP }).filter((name) => name !== PLAN);
  let known: { graph: Graph; first: Set<string>; plan: Set<string>; other: Set<string> } | undefined;
  return (id, graph) => {
    if (known?.graph !== graph)
      known = {
        graph,
        first: needs(graph, [...FIRST, ...FIRST_ROUTES]),
        plan: needs(graph, [PLAN]),
        other: needs(graph, others),
      };
    if (known.first.has(id)) return null;
    if (known.plan.has(id)) return known.other.has(id) ? "screens" : "plan";
    // What only parts share that load after their screen; the rest stays with the few screens that need it.
    return known.other.has(id) ? null : "parts";
  };
}
