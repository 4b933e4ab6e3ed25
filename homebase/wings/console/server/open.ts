/** Owns the console's port. Only this is loaded by a start: the rest comes with the first request. */
import type { DeveloperStart, Opened } from "../../../src/developer/stack-wing.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import type { HttpRequest } from "../../../src/http/request.ts";
import { HttpServer } from "../../../src/http/server.ts";
import { Access } from "./access.ts";

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; " +
    "font-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; " +
    "require-trusted-types-for 'script'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** Opens the console on 127.0.0.1. @throws PortTaken */
export async function openConsole(start: DeveloperStart): Promise<Opened> {
  const { port } = start.backend.config.studio;
  const access = new Access();
  const link = (forAMinute: boolean) => `http://127.0.0.1:${port}/#${access.code({ forAMinute })}`;
  const load = async () => (await import("./server.ts")).createConsole(start, access);
  let loaded: ReturnType<typeof load> | undefined;
  const handle = async (request: HttpRequest): Promise<ServiceResponse> => {
    const refusal = misdirected(request, port);
    if (refusal) return refusal;
    loaded ??= load();
    const answer = await loaded.catch((error: unknown) => {
      // The next request tries again: what was missing may be there by then.
      loaded = undefined;
      throw error;
    });
    return answer.handle(request);
  };
  const server = new HttpServer({
    log: start.backend.log.named("console"),
    handle,
    headers: () => HEADERS,
    limits: { sockets: 256 },
  });
  await server.listen({ port });
  return {
    lines: [["Console", link(false)]],
    commands: { console: async () => ({ link: link(true) }) },
    close: async () => {
      (await loaded?.catch(() => undefined))?.close();
      await server.close();
    },
  };
}

/** One name leads to the page, so that there is one origin; a name of others could be made to lead here (DNS rebinding). */
function misdirected(
  { method, path, query, headers }: HttpRequest,
  port: number,
): ServiceResponse | undefined {
  const { host } = headers;
  if (host === `127.0.0.1:${port}`) return undefined;
  const other = host === `localhost:${port}` || host === `[::1]:${port}`;
  if (!other || (method !== "GET" && method !== "HEAD")) {
    return jsonResponse(403, { error: { message: `The console is at 127.0.0.1:${port} only.` } });
  }
  const location = `http://127.0.0.1:${port}${path}${query === "" ? "" : `?${query}`}`;
  return { status: 308, headers: { location }, body: null };
}
