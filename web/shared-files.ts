/**
 * Owns: which modules share a file of the build, by what each screen needs at once: the closure of its imports. A module
 * that several screens use would be a file of its own, and a round trip for each of fifty small files costs a phone a second.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import type { Rolldown } from "vite";

type Graph = Rolldown.ChunkingContext;
type NameFunction = Rolldown.CodeSplittingNameFunction;

const SOURCE = join(import.meta.dirname, "src");
const ENTRY = "app/main.tsx";
const PLAN = "app/routes/plan.tsx";
const SIGNED_IN = ["app/persisted-cache.ts", "app/shell.tsx"];

/** What each first view needs at once, beside the page's entry. */
const FIRST_VIEWS = {
  invite: ["app/routes/join.tsx"],
  landing: ["app/routes/landing.tsx"],
  home: [...SIGNED_IN, "app/routes/home.tsx"],
  plan: [...SIGNED_IN, PLAN],
  // Home's cards from stored plans: read without a connection, where a file that failed to load would fail for good.
  stored: ["features/plans/cards/from-plans.ts"],
};

/** The project's own modules, without German words, which only the German app loads. */
export const OWN = /^(?!.*\.de\.ts$).*\/(?:web\/src|supabase\/functions\/_shared)\//;

/** Some modules of `src` with all that they import at once. */
function closure(graph: Graph, modules: readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    for (const each of graph.getModuleInfo(id)?.importedIds ?? []) add(each);
  };
  for (const each of modules) add(join(SOURCE, each));
  return found;
}

/** A function of the graph that works once for each. */
function once<T>(work: (graph: Graph) => T): (graph: Graph) => T {
  let known: { graph: Graph; made: T } | undefined;
  return (graph) => {
    if (known?.graph !== graph) known = { graph, made: work(graph) };
    return known.made;
  };
}

/**
 * Names the file of a module that first views need: of the page's entry, of the client, which is loaded while the first
 * screen is drawn, or of exactly those views that need it, so that none loads what only others do.
 */
export function firstViewFiles(): NameFunction {
  const known = once((graph) => ({
    base: closure(graph, [ENTRY]),
    client: closure(graph, ["lib/backend/supabase.ts"]),
    views: Object.entries(FIRST_VIEWS).map(([name, modules]) => [name, closure(graph, modules)] as const),
  }));
  return (id, graph) => {
    const { base, client, views } = known(graph);
    // The entry waits for the first screen, whose file imports this one.
    if (id === join(SOURCE, ENTRY)) return null;
    if (base.has(id)) return "base";
    const names = views.flatMap(([name, needed]) => (needed.has(id) ? [name] : []));
    if (client.has(id) && !names.includes("invite") && !names.includes("landing")) return "client";
    return names.length > 1 ? names.join("-") : null;
  };
}

/** Names the file of an own module that at least two other parts of the app load. */
export function sharedFiles(): NameFunction {
  const routes = globSync("app/routes/**/*.tsx", { cwd: SOURCE }).filter((name) => name !== PLAN);
  const known = once((graph) => {
    const others = routes.map((route) => closure(graph, [route]));
    const ofPlans = join(SOURCE, "features/plans/schema.ts");
    return {
      first: closure(graph, [
        ENTRY,
        ...Object.values(FIRST_VIEWS)
          .flat()
          .filter((name) => name !== PLAN),
      ]),
      plan: closure(graph, [PLAN]),
      others,
      withoutPlans: others.filter((needed) => !needed.has(ofPlans)),
    };
  });
  return (id, graph) => {
    const { first, plan, others, withoutPlans } = known(graph);
    const needs = (screens: readonly Set<string>[]) => screens.some((needed) => needed.has(id));
    if (first.has(id)) return null;
    if (plan.has(id)) return needs(withoutPlans) ? "screens" : needs(others) ? "plans" : "plan";
    // What only parts share that load after their screen; the rest stays with the few screens that need it.
    return needs(others) ? null : "parts";
  };
}
