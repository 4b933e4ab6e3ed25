/**
 * Owns: previews of invite links and plans' addresses at the edge of a static host. The default export is a worker for Cloudflare Pages
 * (`_worker.js`, for the paths in `_routes.json`); `onEdge` is for other hosts, whose edge functions get the request and
 * can fetch the app's page. scripts/edge-worker.ts builds it.
 */
import { unfurled } from "./unfurl.ts";

declare const BACKEND_URL: string;
declare const BACKEND_KEY: string;
/** The headers of every page: hosts do not add those of `_headers` to a worker's response. */
declare const PAGE_HEADERS: Record<string, string>;

/** @param appPage fetches index.html from the host */
export async function onEdge(request: Request, appPage: () => Promise<Response>): Promise<Response> {
  const response = await appPage();
  const html = response.headers.get("content-type")?.includes("text/html") ?? false;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(PAGE_HEADERS)) headers.set(name, value);
  if (request.method !== "GET" || !response.ok || !html) {
    return new Response(response.body, { status: response.status, headers });
  }
  const backend = { url: BACKEND_URL, publishableKey: BACKEND_KEY };
  const page = await unfurled(await response.text(), new URL(request.url), backend);
  // These headers describe the page without the preview.
  for (const name of ["content-length", "content-encoding", "etag"]) headers.delete(name);
  return new Response(page, { status: response.status, headers });
}

interface Assets {
  ASSETS: { fetch(request: Request): Promise<Response> };
}

export default {
  fetch: (request: Request, { ASSETS }: Assets) =>
    onEdge(request, () => ASSETS.fetch(new Request(new URL("/", request.url), request))),
};
