/** Owns what a browser needs to meet Nosh: an isolated Backend, and the app built for it, served. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, preview } from "vite";
import { freePort } from "../../homebase/src/backend/ports.ts";
import { createBackend, type TestBackend } from "../../homebase/src/testing/index.ts";

export interface Stack {
  backend: TestBackend;
  /** Where the app is, without trailing slash. */
  app: string;
  /** The folder that it is served from. */
  files: string;
  close(): Promise<void>;
}

/**
 * Starts a Backend with the project's seed and serves the app, built for its address.
 * @param mode "development" builds React so that it warns of what is wrong, which fails a test.
 */
export async function startStack(mode: "development" | "production"): Promise<Stack> {
  const port = await freePort();
  const app = `http://127.0.0.1:${port}`;
  const [backend, folder] = await Promise.all([
    createBackend({ config: { auth: { site_url: app, additional_redirect_urls: [`${app}/**`] } } }),
    mkdtemp(join(tmpdir(), "nosh-e2e-")),
  ]);
  const outDir = join(folder, "dist");
  // Vite reads both from the environment: the app's variables, and which React it bundles.
  process.env.VITE_SUPABASE_URL = backend.url;
  process.env.VITE_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
  process.env.NODE_ENV = mode;
  const root = join(process.cwd(), "web");
  await build({
    root,
    mode,
    logLevel: "error",
    build: { outDir, emptyOutDir: true, sourcemap: false, minify: mode === "production" },
  });
  const server = await preview({
    root,
    logLevel: "error",
    build: { outDir },
    preview: { host: "127.0.0.1", port, strictPort: true },
  });
  return {
    backend,
    app,
    files: outDir,
    close: async () => {
      await server.close();
      await backend.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
