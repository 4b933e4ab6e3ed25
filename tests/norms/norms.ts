/** Owns Nosh's norms of size and time. */

export const norms = {
  /** Kilobytes, gzipped. */
  css: 20,
  furtherRoute: 60,
  /** Seconds, on slow 4G with a CPU four times slower. */
  paint: 2,
  /** Of the first signed-in view. */
  signedInPaint: 1.6,
  shift: 0.02,
  /** Milliseconds from an input to the next frame, with a CPU four times slower. */
  interaction: 150,
  /** Milliseconds until a vote is on the board of 30 times and 20 people, with a CPU four times slower. */
  vote: 100,
  lighthousePerformance: 95,
  /** Milliseconds, among 100,000 places and 50,000 plans of strangers. */
  candidates: 100,
  suggestions: 200,
  home: 100,
} as const;

export interface FirstView {
  name: string;
  path: string;
  signedIn: boolean;
  /** The modules that its first paint needs, beginning with the page. */
  sources: string[];
  /** Modules that are loaded while it is drawn, without being asked for. */
  next?: string[];
  /** Kilobytes of JavaScript, gzipped, with `next`. */
  most: number;
}

export const firstViews: readonly FirstView[] = [
  {
    name: "invite",
    path: "/join/demo-table",
    signedIn: false,
    sources: ["index.html", "src/app/routes/join.tsx"],
    most: 150,
  },
  {
    name: "landing",
    path: "/",
    signedIn: false,
    sources: ["index.html", "src/app/routes/landing.tsx"],
    most: 190,
  },
  {
    name: "home",
    path: "/home",
    signedIn: true,
    sources: ["index.html", "src/app/persisted-cache.ts", "src/app/shell.tsx", "src/app/routes/home.tsx"],
    next: ["src/lib/backend/supabase.ts"],
    most: 190,
  },
];

/** The modules of routes in a build: those loaded by navigation. The map counts separately. */
export function routes(sources: readonly string[]): string[] {
  return sources.filter((source) => /^src\/app\/routes\/.*\.tsx$/.test(source));
}
