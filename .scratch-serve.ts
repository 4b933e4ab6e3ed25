import { createServer } from "vite";
import { createBackend } from "./homebase/src/testing/index.ts";
import { writeFileSync } from "node:fs";
const port = 45871;
const app = `http://127.0.0.1:${port}`;
const backend = await createBackend({ config: { auth: { site_url: app, additional_redirect_urls: [`${app}/**`] } } });
process.env.VITE_SUPABASE_URL = backend.url;
process.env.VITE_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
const server = await createServer({ root: process.cwd() + "/web", logLevel: "error", server: { host: "127.0.0.1", port, strictPort: true } });
await server.listen();
console.log("ready", process.pid);
writeFileSync("/tmp/plans-serve.pid", String(process.pid));
import { createServer as http } from "node:http";
http(async (req, res) => {
  let body = ""; for await (const c of req) body += c;
  try { res.end(JSON.stringify(await backend.sql(body))); } catch (e) { res.statusCode = 500; res.end(String(e)); }
}).listen(45872, "127.0.0.1");
const stop = async () => { await server.close(); await backend.drop(); process.exit(0); };
process.on("SIGTERM", stop); process.on("SIGINT", stop);
