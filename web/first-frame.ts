/**
 * Owns: what stands on the page until the app draws its first screen, so that it is never blank: the frame and the
 * loading state of the screen at this address, in the classes of the app's own components (tests/e2e/entry/first-frame.spec.ts),
 * and the theme that was chosen on this device. The style sheet is in the page, because a file of its own would be
 * one more request to wait for.
 */
import type { OutputBundle } from "rolldown";
import type { Plugin } from "vite";
import { HOME_SNAPSHOT } from "./src/app/home-snapshot-key.ts";

/** Skeleton of ui/notice.tsx. */
const skeleton = (shape: string) =>
  `<div aria-hidden="true" class="${shape.includes("rounded-") ? "" : "rounded-s"} bg-line/70 ${shape}"></div>`;
const times = (count: number, html: string) => html.repeat(count);
const div = (classes: string, ...html: string[]) => `<div class="${classes}">${html.join("")}</div>`;
const wordmark = (classes = "") => `<p class="numerals ${classes} text-lg font-semibold">Nosh</p>`;

/** A screen behind sign-in (app/shell.tsx). */
const seated = (...content: string[]) =>
  div(
    "min-h-dvh lg:pl-24",
    div(
      "fixed inset-x-0 bottom-0 z-40 border-t border-line bg-card pb-[env(safe-area-inset-bottom)] lg:inset-y-0 lg:right-auto lg:w-24 lg:border-t-0 lg:border-r",
      wordmark("hidden justify-center py-5 lg:flex"),
      div(
        "mx-auto flex max-w-lg lg:flex-col lg:items-center lg:gap-1",
        times(
          5,
          div(
            "flex min-h-14 flex-1 flex-col items-center justify-center gap-1.5 lg:w-20 lg:flex-none lg:py-2",
            skeleton("size-6"),
            skeleton("h-2.5 w-9"),
          ),
        ),
      ),
    ),
    div("mx-auto max-w-[92rem] px-4 pt-5 pb-28 sm:px-6 lg:px-8 lg:pb-10", ...content),
  );

/** PlanCardSkeleton of features/table/components/plan-card.tsx. */
const cardSkeleton = div(
  "paper flex items-center gap-4 p-4",
  skeleton("size-28 rounded-full"),
  div("flex flex-1 flex-col gap-2", skeleton("h-6 w-3/4"), skeleton("h-4 w-1/2"), skeleton("h-4 w-2/5")),
);

/** A screen of one column in the middle, as those of people who are not signed in. */
const column = (...content: string[]) =>
  div("mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-10", ...content);

/** Each frame, and the addresses it is for; the first that fits is shown. */
const frames: { path: RegExp; signedIn?: boolean; html: string }[] = [
  {
    path: /^\/home\/?$/,
    signedIn: true,
    html: seated(
      div(
        "flex flex-col gap-8",
        div(
          "flex flex-wrap items-end justify-between gap-4",
          div(
            "flex w-full items-center justify-between gap-4",
            skeleton("h-6 w-40"),
            div("min-h-9 w-24 rounded-full border border-line bg-card"),
          ),
          skeleton("h-[1.04em] w-28 text-2xl"),
          div("min-h-11 w-32 rounded-full bg-action"),
        ),
        div("grid gap-3 md:grid-cols-2", times(3, cardSkeleton)),
      ),
    ),
  },
  {
    path: /^\/plans\/[0-9a-f-]{36}\/?$/,
    signedIn: true,
    html: seated(
      div(
        "page-whole",
        div("flex flex-col items-center gap-4", skeleton("size-64 rounded-full"), skeleton("h-8 w-3/4")),
        div("flex flex-col gap-3", skeleton("h-12 w-full"), times(2, skeleton("h-36 w-full"))),
      ),
    ),
  },
  {
    path: /^\/(join\/|plans\/[0-9a-f-]{36})/,
    html: column(
      div(
        "flex flex-col items-center gap-4",
        skeleton("size-64 rounded-full"),
        skeleton("h-8 w-3/4"),
        skeleton("h-11 w-full"),
      ),
    ),
  },
  {
    path: /^\/(circles|plans|places|saved|me|notifications)\b/,
    signedIn: true,
    html: seated(
      div("flex flex-col gap-8", skeleton("h-11 w-1/2"), times(2, skeleton("h-36 w-full rounded-m"))),
    ),
  },
  {
    path: /^\/$/,
    html: div(
      "mx-auto flex min-h-dvh max-w-6xl flex-col px-5 sm:px-8",
      div(
        "flex flex-wrap items-center justify-between gap-x-3 gap-y-1 py-5",
        wordmark(),
        div("min-h-11 w-24 rounded-full border border-edge bg-card"),
      ),
      div(
        "grid flex-1 content-start items-center gap-10 pb-16 md:grid-cols-[1fr_1.05fr]",
        div(
          "flex flex-col items-start gap-6",
          skeleton("h-36 w-full"),
          skeleton("h-20 w-full max-w-md"),
          div(
            "flex flex-wrap gap-3",
            div("min-h-12 w-36 rounded-full bg-action"),
            div("min-h-12 w-44 rounded-full border border-edge bg-card"),
          ),
        ),
        skeleton("mx-auto aspect-square w-full max-w-lg rounded-full"),
      ),
    ),
  },
  { path: /^/, html: column(wordmark(), skeleton("h-8 w-1/2"), skeleton("h-80 w-full rounded-m")) },
];

/**
 * Runs in the head. Reads the theme of app/theme.ts, the session of lib/backend/stored-session.ts and the snapshot of
 * app/home-snapshot.ts, and decides what is shown.
 * @param font the address of the headings' font
 */
function choice(font: string): string {
  const list = frames
    .map(({ path, signedIn = false, html }) => `[${path}, ${signedIn}, ${JSON.stringify(html)}]`)
    .join(",\n    ");
  return `(() => {
  let session = null, theme = null, snapshot = null;
  try {
    session = JSON.parse(localStorage.getItem("nosh.session"));
    theme = localStorage.getItem("nosh-theme");
    snapshot = JSON.parse(localStorage.getItem("${HOME_SNAPSHOT}"));
  } catch {}
  const page = document.documentElement;
  if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  const { pathname } = location;
  [, , window.noshFirstFrame] = [
    ${list},
  ].find(([path, signedIn]) => path.test(pathname) && (session !== null || !signedIn));
  // Only for a session that the page could use for its requests (web/first-views.ts).
  if (snapshot === null || pathname !== "/home" || !window.noshPrefetched || window.noshPrefetched.token === null ||
    snapshot.person !== session.user.id || snapshot.day !== new Date().toDateString() ||
    snapshot.script !== document.querySelector("script[type=module]").getAttribute("src")) return;
  window.noshFirstFrame = snapshot.html;
  page.dataset.snapshot = "";
  // A font that is on the device is then there before the first frame is drawn, and stays the font of this page.
  const link = document.createElement("link");
  Object.assign(link, { rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", href: "${font}" });
  document.head.append(link);
})();`;
}

/** Runs behind #root. */
const SHOW = `(() => {
  const frame = document.createElement("div");
  frame.dataset.firstFrame = "";
  frame.inert = true;
  frame.ariaHidden = "true";
  frame.innerHTML = window.noshFirstFrame;
  for (const styled of frame.querySelectorAll("[data-style]")) styled.style.cssText = styled.dataset.style;
  document.getElementById("root").append(frame);
})();`;

const ROOT = '<div id="root"></div>';

export function firstFrame(): Plugin {
  return {
    name: "nosh:first-frame",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (!bundle) return html;
        if (!html.includes(ROOT)) throw new Error(`index.html has no ${ROOT} for web/first-frame.ts.`);
        const font = Object.keys(bundle).find((file) => /fraunces-latin-opsz-normal.*\.woff2$/.test(file));
        if (!font) throw new Error("The build has no font for web/first-frame.ts.");
        return withStyles(html, bundle)
          .replace("</head>", () => `  <script>${choice(`/${font}`)}</script>\n  </head>`)
          .replace(ROOT, () => `${ROOT}\n    <script>${SHOW}</script>`);
      },
    },
  };
}

/** Puts the entry's style sheet into the page, in place of its link and its file. */
function withStyles(html: string, bundle: OutputBundle): string {
  const inlined = html.replace(/<link rel="stylesheet"[^>]* href="\/([^"]+)">/, (_link, file: string) => {
    const sheet = bundle[file];
    if (sheet?.type !== "asset") throw new Error(`The build has no style sheet ${file}.`);
    delete bundle[file];
    return `<style>${String(sheet.source)}</style>`;
  });
  if (inlined === html) throw new Error("index.html has no style sheet for web/first-frame.ts.");
  return inlined;
}
