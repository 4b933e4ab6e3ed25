/**
 * Owns: fetching a first view's modules and data at once. Without it the browser learns of the route's module only
 * after the entry ran, and of the data only after that module ran: two round trips later. A short script in the page
 * looks at the address and starts both fetches.
 */
import type { OutputBundle, OutputChunk } from "rolldown";
import type { Plugin } from "vite";
import { HOME_SNAPSHOT } from "./src/app/home-snapshot-key.ts";
import { CARDS_AT_ONCE, cardColumns, cardOrder } from "./src/features/plans/cards/columns.ts";
import { wholePlan } from "./src/features/plans/selects.ts";

/** A request to PostgREST: POST if it has a body, else GET. */
interface ViewRequest {
  path: string;
  body?: string;
}

/** A GET as supabase-js sends it: lib/backend/prefetch.ts compares whole addresses. */
function get(resource: string, search: Record<string, string> = {}): ViewRequest {
  const params = new URLSearchParams(search);
  const select = params.get("select");
  if (select !== null) params.set("select", select.replaceAll(/\s/g, ""));
  return { path: `/rest/v1/${resource}${params.size > 0 ? `?${params}` : ""}` };
}

/** Browsers look for the encoding in the first 1024 bytes of a page. */
const CHARSET = '<meta charset="utf-8" />';
/** Stands for what the address names behind `begins`: an id in a path, any word in a body. */
const ID = "__id__";

/** The source modules and requests of each first view, by the beginning of the path and whether a session exists. */
const views = [
  {
    begins: "/join/",
    signedIn: false,
    needs: ["/src/app/routes/join.tsx"],
    // With a session the request needs the client's token, so the client makes it later.
    anonymousRequests: [{ path: "/rest/v1/rpc/preview_invite", body: JSON.stringify({ token: ID }) }],
  },
  {
    begins: "/plans/",
    signedIn: true,
    needs: ["/src/app/persisted-cache.ts", "/src/app/shell.tsx", "/src/app/routes/plan.tsx"],
    requests: [get("plans", { select: wholePlan, id: `eq.${ID}` })],
  },
  {
    begins: "/plans/",
    signedIn: false,
    onlyIds: true,
    needs: ["/src/app/routes/plan-link.tsx"],
    anonymousRequests: [{ path: "/rest/v1/rpc/preview_plan", body: JSON.stringify({ plan: ID }) }],
  },
  {
    begins: "/home",
    signedIn: true,
    needs: ["/src/app/persisted-cache.ts", "/src/app/shell.tsx", "/src/app/routes/home.tsx"],
    requests: [
      get("plan_cards", {
        select: cardColumns,
        order: cardOrder.map((column) => `${column}.asc`).join(","),
        limit: String(CARDS_AT_ONCE + 1),
      }),
      get("rpc/unread_counts"),
    ],
  },
  { begins: "/sign-in", signedIn: false, needs: ["/src/app/routes/session/sign-in.tsx"] },
  { begins: "/start", signedIn: false, needs: ["/src/app/routes/session/start.tsx"] },
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
          onlyIds: "onlyIds" in view,
          files: [...filesOf(bundle, view.needs)].map((file) => `/${file}`),
          requests: "requests" in view ? view.requests : [],
          anonymousRequests: "anonymousRequests" in view ? view.anonymousRequests : [],
        }));
        const client = [...filesOf(bundle, ["/src/lib/backend/supabase.ts"])].map((file) => `/${file}`);
        // Before the style sheet: a script behind one waits for it.
        const begun = html.replace(
          CHARSET,
          () => `${CHARSET}\n    <script>${starter(rules, service, client)}</script>`,
        );
        if (begun === html)
          throw new Error(`index.html has no ${CHARSET}, behind which web/first-views.ts writes.`);
        return begun;
      },
    },
  };
}

/** The chunks of some modules with their static imports, without those that the page's entry loads anyway. */
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
  /** The publishable key. */
  key: string;
}

interface Rule {
  begins: string;
  exact: boolean;
  signedIn: boolean;
  /** Whether requests are made for ids only: /plans/new is no plan. */
  onlyIds: boolean;
  files: string[];
  /** Requests made with the session stored on this device. */
  requests: readonly ViewRequest[];
  /** Requests made where no session is stored. */
  anonymousRequests: readonly ViewRequest[];
}

/**
 * The script in the page. It reads the session under the key of lib/backend/stored-session.ts and leaves its answers
 * where lib/backend/prefetch.ts looks for them. A build without an address fetches modules only.
 */
function starter(rules: readonly Rule[], service: Service | undefined, client: readonly string[]): string {
  // In an inline script only "<" needs escaping.
  const json = (value: unknown) => JSON.stringify(value ?? null).replaceAll("<", "\\u003c");
  return `(() => {
  // The first use of each takes a while (locale data, the tab's storage); now the page waits for its files anyway.
  setTimeout(() => {
    new Intl.DateTimeFormat().format();
    new Intl.PluralRules().select(1);
    try { sessionStorage.getItem(""); } catch {}
  });
  window.noshClientFiles = ${json(client)};
  let session = null;
  try { session = JSON.parse(localStorage.getItem("nosh.session")); } catch {}
  const path = location.pathname;
  const view = ${json(rules)}.find((one) =>
    (one.exact ? path === one.begins : path.startsWith(one.begins)) && (session !== null || !one.signedIn));
  if (!view) return;
  const service = ${json(service)};
  const word = path.slice(view.begins.length);
  const isId = /^[0-9a-f-]{36}$/.test(word);
  const token = session === null ? null : session.access_token;
  // Until its second step is done a session is refused everything (features/session/needs-second-factor.ts).
  let needsSecondFactor = false;
  try {
    const claims = JSON.parse(atob(token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")));
    needsSecondFactor = claims.aal !== "aal2" && session.user.factors.some((factor) => factor.status === "verified");
  } catch {}
  if (service && !needsSecondFactor && (session === null || session.expires_at > Date.now() / 1000 + 30)) {
    const responses = {};
    for (const request of session === null ? view.anonymousRequests : view.requests) {
      if ((view.onlyIds || request.path.includes("${ID}")) && !isId) continue;
      const address = service.address + request.path.replace("${ID}", word);
      const init = { method: "GET", headers: { apikey: service.key }, priority: "high" };
      if (token !== null) init.headers.authorization = "Bearer " + token;
      if (request.body) {
        let text = word;
        try { text = decodeURIComponent(word); } catch {}
        init.method = "POST";
        init.headers["content-type"] = "application/json";
        init.body = request.body.replace('"${ID}"', () => JSON.stringify(text));
      }
      const answer = fetch(address, init);
      answer.catch(() => {});
      responses[init.method + " " + address + (init.body ? " " + init.body : "")] = answer;
    }
    window.noshPrefetched = { token, responses };
  }
  // Without anything stored the first screen waits for the client, which reads the responses.
  let stored = null;
  try { stored = localStorage.getItem("${HOME_SNAPSHOT}"); } catch {}
  const waited = session !== null && stored === null ? window.noshClientFiles : [];
  const begin = (link) => document.head.append(Object.assign(document.createElement("link"), link));
  for (const href of view.files) begin({ rel: "modulepreload", href });
  // A failed modulepreload can fail each later import of the file; a failed fetch is repeated (lib/backend/load-client.ts).
  for (const href of waited) begin({ rel: "preload", as: "fetch", crossOrigin: "", href });
})();`;
}
