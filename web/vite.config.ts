/** How the app is built and served in development. Environment files are read at the repository's root. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstFrame } from "./first-frame.ts";
import { firstViews } from "./first-views.ts";
import { leanClient } from "./lean-client.ts";
import { developmentWorker, offlineShell } from "./offline/shell.ts";
import { firstViewFiles, OWN, sharedFiles } from "./shared-files.ts";
import { unfurl } from "./unfurl/plugin.ts";

/**
 * Not German words, which only the German app loads, and not the style sheet, which is in the page: as a part of a shared
 * file it would be asked for again.
 */
const SHARED = /^(?!.*\.(?:de\.ts|css)(?:\?|$))/;
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
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: firstViewFiles(), test: SHARED },
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
