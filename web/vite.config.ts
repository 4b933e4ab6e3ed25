/** How the app is built and served in development. Environment files are read at the repository's root. */
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { offlineShell } from "./offline/shell.ts";

export default defineConfig({
  envDir: "..",
  resolve: {
    // supabase-js imports it for everybody; ours fetches it when a screen first listens.
    alias: [
      {
        find: /^@supabase\/realtime-js$/,
        replacement: fileURLToPath(new URL("src/lib/realtime-later.ts", import.meta.url)),
      },
    ],
  },
  plugins: [react(), tailwindcss(), offlineShell()],
  server: { host: "127.0.0.1", port: 5173 },
  build: { target: "es2022", sourcemap: true },
});
