/**
 * Owns: fetching a first view's parts and data at once. The page alone knows only its entry; the entry would find
 * the route's part after it ran, and the part would ask for its data after that: two round trips later. A few
 * lines in the page look at the address and begin with both.
 */
import type { OutputBundle, OutputChunk } from "rolldown";
import type { Plugin } from "vite";
import { PLANS_AT_ONCE, RATINGS_AT_ONCE, ratingColumns, wholePlan } from "./src/features/plans/selects.ts";

/** What is asked of PostgREST: by POST where there is a body. */
interface Ask {
  path: string;
  body?: string;
}

/** A GET as supabase-js would ask it: lib/backend/prefetch.ts compares whole addresses. */
function ask(resource: string, search: Record<string, string> = {}): Ask {
  const params = new URLSearchParams(search);
  const select = params.get("select");
  if (select !== null) params.set("select", select.replaceAll(/\s/g, ""));
  return { path: `/rest/v1/${resource}${params.size > 0 ? `?${params}` : ""}` };
}

/** Has to be among the first bytes of a page. */
const CHARSET = '<meta charset="utf-8" />';
/** Stands for what the address names behind `begins`: an id in a path, any word in a body. */
const ID = "__id__";

/** Which source modules and answers a first view needs: by the beginning of the path, signed in or not. */
const views = [
  {
    begins: "/join/",
    signedIn: false,
    needs: ["/src/app/routes/join.tsx"],
    // Who is signed in needs the client for it, and asks later.
    asksAsNobody: [{ path: "/rest/v1/rpc/preview_invite", body: JSON.stringify({ token: ID }) }],
  },
  {
    begins: "/plans/",
    signedIn: true,
    needs: ["/src/app/persisted-cache.ts", "/src/app/shell.tsx", "/src/app/routes/plan.tsx"],
    asks: [ask("plans", { select: wholePlan, id: `eq.${ID}` })],
  },
  {
    begins: "/home",
    signedIn: true,
    needs: ["/src/app/persisted-cache.ts", "/src/app/shell.tsx", "/src/app/routes/home.tsx"],
    asks: [
      ask("plans", { select: wholePlan, order: "created_at.desc", limit: String(PLANS_AT_ONCE) }),
      ask("ratings", { select: ratingColumns, limit: String(RATINGS_AT_ONCE) }),
      ask("rpc/unread_counts"),
    ],
  },
  { begins: "/sign-in", signedIn: false, needs: ["/src/app/routes/sign-in.tsx"] },
  { begins: "/", exact: true, signedIn: false, needs: ["/src/app/routes/landing.tsx"] },
] as const;

export function firstViews(): Plugin {
  let service: Service | undefined;
  return {
    name: "nosh:first-views",
    apply: "build",
    configResolved({ env }) {
      const { VITE_SUPABASE_URL: address, VITE_SUPABASE_PUBLISHABLE_KEY: key } = env;
      if (address && key) service = { address: String(address).replace(/\/+$/, ""), key: String(key) };
    },
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (!bundle) return html;
        const rules = views.map((view) => ({
          begins: view.begins,
          exact: "exact" in view,
          signedIn: view.signedIn,
          files: [...filesOf(bundle, view.needs)],
          asks: "asks" in view ? view.asks : [],
          asksAsNobody: "asksAsNobody" in view ? view.asksAsNobody : [],
        }));
        // Before the style sheet: a script behind one waits for it.
        const begun = html.replace(
          CHARSET,
          () => `${CHARSET}\n    <script>${starter(rules, service)}</script>`,
        );
        if (begun === html)
          throw new Error(`index.html has no ${CHARSET}, behind which web/first-views.ts writes.`);
        return begun;
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

interface Service {
  /** Without trailing slash. */
  address: string;
  /** The publishable one. */
  key: string;
}

interface Rule {
  begins: string;
  exact: boolean;
  signedIn: boolean;
  files: string[];
  /** With the session that is kept on this device. */
  asks: readonly Ask[];
  /** Where none is. */
  asksAsNobody: readonly Ask[];
}

/**
 * The lines in the page. The key is that of lib/backend/stored-session.ts, what is left behind that of lib/backend/prefetch.ts.
 * Without a service (a build that was given none) only the parts are fetched.
 */
function starter(rules: readonly Rule[], service: Service | undefined): string {
  // Anything but "<" may stand in a script as it is.
  const json = (value: unknown) => JSON.stringify(value ?? null).replaceAll("<", "\\u003c");
  return `(() => {
  // The first formatter of a page looks through all locales that there are. Now nobody waits for it.
  setTimeout(() => new Intl.DateTimeFormat());
  let kept = null;
  try { kept = JSON.parse(localStorage.getItem("nosh.session")); } catch {}
  const path = location.pathname;
  const view = ${json(rules)}.find((one) =>
    (one.exact ? path === one.begins : path.startsWith(one.begins)) && (kept !== null || !one.signedIn));
  if (!view) return;
  const service = ${json(service)};
  const word = path.slice(view.begins.length);
  const isId = /^[0-9a-f-]{36}$/.test(word);
  const token = kept === null ? null : kept.access_token;
  if (service && (kept === null || kept.expires_at > Date.now() / 1000 + 30)) {
    const asked = {};
    for (const ask of kept === null ? view.asksAsNobody : view.asks) {
      if (ask.path.includes("${ID}") && !isId) continue;
      const address = service.address + ask.path.replace("${ID}", word);
      const init = { method: "GET", headers: { apikey: service.key }, priority: "high" };
      if (token !== null) init.headers.authorization = "Bearer " + token;
      if (ask.body) {
        let text = word;
        try { text = decodeURIComponent(word); } catch {}
        init.method = "POST";
        init.headers["content-type"] = "application/json";
        init.body = ask.body.replace('"${ID}"', () => JSON.stringify(text));
      }
      const answer = fetch(address, init);
      answer.catch(() => {});
      asked[init.method + " " + address + (init.body ? " " + init.body : "")] = answer;
    }
    window.noshPrefetched = { token, asked };
  }
  for (const file of view.files) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = "/" + file;
    document.head.append(link);
  }
})();`;
}
