/** How the app is built and served in development. Environment files are read at the repository's root. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { firstViews } from "./first-views.ts";
import { leanClient } from "./lean-client.ts";
import { offlineShell } from "./offline/shell.ts";

export default defineConfig({
  envDir: "..",
  plugins: [react(), tailwindcss(), leanClient(), firstViews(), offlineShell()],
  server: { host: "127.0.0.1", port: 5173 },
  build: { target: "es2022", sourcemap: true },
});
