/** How the app is built and served in development. Environment files are read at the repository's root. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstFrame } from "./first-frame.ts";
import { firstViews } from "./first-views.ts";
import { leanClient } from "./lean-client.ts";
import { developmentWorker, offlineShell } from "./offline/shell.ts";
import { OWN, sharedFiles } from "./shared-files.ts";
import { unfurl } from "./unfurl/plugin.ts";

const ARIA = /node_modules\/(?:react-aria|react-stately|clsx)/;

export default defineConfig({
  envDir: "..",
  plugins: [
    react(),
    tailwindcss(),
    leanClient(),
    firstViews(),
    firstFrame(),
    offlineShell(),
    developmentWorker(),
    unfurl(),
  ],
  server: { host: "127.0.0.1", port: 5173 },
  build: {
    target: "es2022",
    // From these on browsers know light-dark(). Written out for older ones, it would be settled at the root, and a
    // part that is always evening (the arrival board) would have the colours of the day.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    sourcemap: true,
    rolldownOptions: {
      output: {
        // A round trip for each of fifty small files would cost a phone a second: what every first view needs
        // is one file, what every signed-in view needs is another.
        codeSplitting: {
          includeDependenciesRecursively: false,
          // German words are in a chunk of their own, which only the German app loads.
          groups: [
            {
              name: "base",
              test: /^(?!.*\.de\.ts$).*(?:node_modules\/(react|react-dom|scheduler|use-sync-external-store|@tanstack|lucide-react)\/|vite\/preload-helper|\/_shared\/(uuid|ranking\/diets|table\/seating)|\/web\/src\/(lib\/(?!backend\/(?:supabase|lazy-realtime|lazy-storage|session-fetch|functions|avatars)|device\/(?:image|local-store|guest-to-move|download)|rules)|ui\/(button|fields\/field|notice|icons|words\.|announcer|avatar|theme\/hue)|app\/(theme|words|home-snapshot-key|languages\/language)|features\/(session\/(session|needs-second-factor|words)|places\/search|plans\/words\/table|table\/components\/table-drawing)))/,
              minShareCount: 2,
            },
            {
              name: "signed-in",
              test: /^(?!.*\.de\.ts$).*(?:\/_shared\/table\/person_state\.|\/web\/src\/(app\/(shell|persisted-cache|brief-wait)|features\/(plans\/(answers|arrival|mutations|cards\/(columns|schema|card|queries)|domain|words\/plan)|table\/(components\/(plan-card|more-cards)|drawn-seats)|people\/(queries|schema|words)|outbox\/(?!components|shown-plan|mutations)|messages\/(domain|mutations|schema)|notifications\/(queries|realtime|words|components\/news-link)))|node_modules\/(zod|idb)\/|\/web\/src\/lib\/(device\/local-store|rules)\.)/,
            },
            {
              // Loaded while the first screen is drawn (lib/backend/load-client.ts).
              name: "client",
              test: /left-out:|node_modules\/(@supabase\/(auth-js|postgrest-js|functions-js|supabase-js)|tslib)\/|\/web\/src\/lib\/backend\/(supabase|lazy-realtime|lazy-storage|session-fetch)\./,
            },
            {
              // Read without a connection too, where a file that failed to load would fail for good.
              name: "card-of-plan",
              test: /\/_shared\/table\/next_step\.|\/web\/src\/features\/plans\/(?:tally|cards\/of-plan)\./,
            },
            // React Aria: what nearly every screen needs, and what many do.
            { name: "controls", test: ARIA, minShareCount: 12 },
            { name: "more-controls", test: ARIA, minShareCount: 6 },
            { name: sharedFiles(), test: OWN, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
