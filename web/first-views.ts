/**
 * Owns: fetching a first view's parts at once. The page alone knows only its entry; the entry would find the
 * route's part after it ran, a whole round trip later. A few lines in the page look at the address and begin.
 */
import type { OutputBundle, OutputChunk } from "rolldown";
import type { Plugin } from "vite";

/** Which source modules a first view needs: by the beginning of the path, signed in or not. */
const views = [
  { begins: "/join/", signedIn: false, needs: ["/src/app/routes/join.tsx"] },
  {
    begins: "/plans/",
    signedIn: true,
    needs: ["/src/app/seen.ts", "/src/app/shell.tsx", "/src/app/routes/plan.tsx"],
  },
  {
    begins: "/home",
    signedIn: true,
    needs: ["/src/app/seen.ts", "/src/app/shell.tsx", "/src/app/routes/home.tsx"],
  },
  { begins: "/sign-in", signedIn: false, needs: ["/src/app/routes/sign-in.tsx"] },
  { begins: "/", exact: true, signedIn: false, needs: ["/src/app/routes/landing.tsx"] },
] as const;

export function firstViews(): Plugin {
  return {
    name: "nosh:first-views",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        if (!bundle) return [];
        const rules = views.map((view) => ({
          begins: view.begins,
          exact: "exact" in view,
          signedIn: view.signedIn,
          files: [...filesOf(bundle, view.needs)],
        }));
        return [{ tag: "script", children: starter(rules), injectTo: "head" }];
      },
    },
  };
}

/** The chunks of some modules and all that they import at once, but for what the page itself begins with. */
function filesOf(bundle: OutputBundle, needs: readonly string[]): Set<string> {
  const chunks = Object.values(bundle).filter((part): part is OutputChunk => part.type === "chunk");
  const closure = (file: string, into: Set<string>): Set<string> => {
    const chunk = chunks.find((one) => one.fileName === file);
    if (!chunk || into.has(file)) return into;
    into.add(file);
    for (const each of chunk.imports) closure(each, into);
    return into;
  };
  const there = new Set<string>();
  for (const chunk of chunks) if (chunk.isEntry) closure(chunk.fileName, there);
  const wanted = new Set<string>();
  for (const need of needs) {
    const chunk = chunks.find((one) => one.facadeModuleId?.endsWith(`/web${need}`));
    if (!chunk) throw new Error(`The build has no part for ${need}; web/first-views.ts names it.`);
    closure(chunk.fileName, wanted);
  }
  return new Set([...wanted].filter((file) => !there.has(file)));
}

/** The lines in the page. The key is that of lib/kept-session.ts. */
function starter(
  rules: readonly { begins: string; exact: boolean; signedIn: boolean; files: string[] }[],
): string {
  return `(() => {
  let kept = null;
  try { kept = localStorage.getItem("nosh.session"); } catch {}
  const path = location.pathname;
  const view = ${JSON.stringify(rules)}.find((one) =>
    (one.exact ? path === one.begins : path.startsWith(one.begins)) && (kept !== null || !one.signedIn));
  for (const file of view ? view.files : []) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = "/" + file;
    document.head.append(link);
  }
})();`;
}
