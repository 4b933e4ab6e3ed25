/** Owns the servers for a browser: an isolated Backend, and the app built for it. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "@playwright/test";
import { withFreePort } from "homebase-stack/ports";
import { build, preview } from "vite";
import { makeVapidKeys } from "../../scripts/vapid-keys.ts";
import { type MailService, startMailService } from "../integration/mail-service.ts";
import { type PushService, startPushService } from "../integration/push-service.ts";
import { backendFor, type TargetBackend, targetOf } from "../target/target.ts";

export interface Stack {
  backend: TargetBackend;
  /** The app's URL, without trailing slash. */
  app: string;
  /** The folder that is served. */
  files: string;
  /** The push service that receives notifications, and the public key for its devices. */
  push: PushService & { publicKey: string };
  /** The mail provider. Mails reach it once the database calls the functions (`callFunctions`). */
  mail: MailService;
  /** From now on, until the data is restored, the database calls the functions of this stack. */
  callFunctions(): Promise<void>;
  /** How often the data was restored. */
  readonly resets: number;
  /** Restores the seed's data. Sessions end. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** Which React the app is built with: `development` warns of what is wrong, which fails a test, and is slower. */
export type Mode = "development" | "production";

/** The environment variable with a folder: the app as a run has built it for all its workers, a folder a mode. */
export const BUILT = "NOSH_E2E_APP";
const WEB = join(process.cwd(), "web");
/** What a build has in place of its backend's address and key, until a worker knows them. */
const NO_BACKEND = { url: "http://backend.invalid", publishableKey: "sb_publishable_of_no_backend" };

/** Builds the app for a backend that `nameBackend` names later. @returns `folder` */
export async function buildApp(mode: Mode, folder: string): Promise<string> {
  // Vite reads both from the environment: the app's variables, and which React it bundles.
  process.env.VITE_SUPABASE_URL = NO_BACKEND.url;
  process.env.VITE_SUPABASE_PUBLISHABLE_KEY = NO_BACKEND.publishableKey;
  process.env.NODE_ENV = mode;
  await build({
    root: WEB,
    mode,
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, sourcemap: false, minify: mode === "production" },
  });
  return folder;
}

/** Writes a backend's address and key into a build of `buildApp`. */
async function nameBackend(folder: string, backend: TargetBackend): Promise<void> {
  const files = await readdir(folder, { recursive: true });
  await Promise.all(
    files
      .filter((name) => /\.(js|html)$/.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        const text = await readFile(path, "utf8");
        const named = text
          .replaceAll(NO_BACKEND.url, backend.url)
          .replaceAll(NO_BACKEND.publishableKey, backend.publishableKey);
        if (named !== text) await writeFile(path, named);
      }),
  );
}

/** Starts a Backend with the project's seed and serves the app, built for its address. */
export function startStack(mode: Mode): Promise<Stack> {
  return withFreePort(
    (port) => startOn(port, mode),
    // Vite has its own message for a required port.
    (error) => error instanceof Error && /EADDRINUSE|is already in use/.test(error.message),
    (port) => console.error(`Port ${port} was taken before the app listened on it; trying another.`),
  );
}

async function startOn(port: number, mode: Mode): Promise<Stack> {
  const app = `http://127.0.0.1:${port}`;
  const vapid = makeVapidKeys("mailto:table@nosh.test");
  const [push, mail] = await Promise.all([startPushService(), startMailService()]);
  const [backend, folder] = await Promise.all([
    // A fixed target has its own site URL: tests that follow a link in a mail are skipped there.
    backendFor(
      targetOf()
        ? {}
        : {
            config: {
              auth: { site_url: app, additional_redirect_urls: [`${app}/**`] },
              edge_runtime: {
                secrets: {
                  SITE_URL: app,
                  MAIL_URL: mail.url,
                  ...vapid,
                  PUSH_STAND_IN: push.standIn,
                },
              },
            },
          },
      skip,
    ),
    mkdtemp(join(tmpdir(), "nosh-e2e-")),
  ]);
  const outDir = join(folder, "dist");
  const built = process.env[BUILT];
  await cp(built ? join(built, mode) : await buildApp(mode, join(folder, "built")), outDir, {
    recursive: true,
  });
  await nameBackend(outDir, backend);
  // For previews of links, which the server makes.
  process.env.VITE_SUPABASE_URL = backend.url;
  process.env.VITE_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
  const server = await preview({
    root: WEB,
    logLevel: "error",
    build: { outDir },
    preview: { host: "127.0.0.1", port, strictPort: true },
  }).catch(async (error: unknown) => {
    await backend.drop();
    await rm(folder, { recursive: true, force: true });
    throw error;
  });
  let resets = 0;
  return {
    backend,
    app,
    files: outDir,
    push: { ...push, publicKey: vapid.VAPID_PUBLIC_KEY },
    mail,
    callFunctions: async () => {
      await backend.sql(
        `select vault.update_secret((select id from vault.secrets where name = 'project_url'), '${backend.url}')`,
      );
    },
    get resets() {
      return resets;
    },
    reset: async () => {
      resets += 1;
      await backend.reset();
    },
    close: async () => {
      await server.close();
      await backend.drop();
      push.close();
      mail.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the running test as skipped. */
function skip(reason: string): never {
  test.skip(true, `on this target: ${reason}`);
  throw new Error(reason);
}
