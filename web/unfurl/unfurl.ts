/**
 * Owns: writing the preview of an invite link into the app's page: title, description and picture, as chats show them.
 * Robots run no scripts, so these must be in the page itself. Pure except for one request to the backend. It runs in
 * Vite's servers (plugin.ts) and at the edge of a static host (worker.ts).
 */
import {
  type InvitePreview,
  invitePreviewOf,
  inviteTexts,
} from "../../supabase/functions/_shared/unfurl/invite_texts.ts";

/** The backend, by the app's own two settings. */
export interface Backend {
  /** Without trailing slash. */
  url: string;
  publishableKey: string;
}

/** Robots wait only a few seconds, and a page without a preview is better than no page. */
const TIMEOUT_MS = 3000;

/** The token of an invite link's path, null for any other path. */
export function inviteTokenOf(path: string): string | null {
  const [, token] = /^\/join\/([\w-]{1,200})\/?$/.exec(path) ?? [];
  return token ?? null;
}

/**
 * The page with its preview; unchanged if the link does not work or the backend does not answer.
 * @param page index.html
 * @param address of the link
 */
export async function unfurled(page: string, address: URL, backend: Backend): Promise<string> {
  const token = inviteTokenOf(address.pathname);
  if (token === null) return page;
  const preview = await readPreview(token, backend);
  return preview ? withPreview(page, preview, address, token, backend) : page;
}

async function readPreview(token: string, backend: Backend): Promise<InvitePreview | null> {
  try {
    const response = await fetch(`${backend.url}/rest/v1/rpc/preview_invite`, {
      method: "POST",
      headers: { apikey: backend.publishableKey, "Content-Type": "application/json" },
      body: JSON.stringify({ token }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return null;
    const rows: unknown = await response.json();
    return invitePreviewOf(Array.isArray(rows) ? rows[0] : undefined);
  } catch {
    return null;
  }
}

function withPreview(
  page: string,
  preview: InvitePreview,
  address: URL,
  token: string,
  backend: Backend,
): string {
  const texts = inviteTexts(preview);
  const picture = new URL(`${backend.url}/functions/v1/invite-picture`);
  picture.searchParams.set("token", token);
  // The URL changes with the content, because chats cache a picture for days.
  picture.searchParams.set(
    "v",
    [preview.people, preview.plan_state, preview.starts_at, preview.title].join(" "),
  );
  const metas: [attribute: "name" | "property", name: string, content: string][] = [
    ["name", "description", texts.description],
    // An invite link must not be found by search engines.
    ["name", "robots", "noindex"],
    ["property", "og:site_name", "Nosh"],
    ["property", "og:type", "website"],
    ["property", "og:url", `${address.origin}/join/${token}`],
    ["property", "og:locale", texts.language === "de" ? "de_DE" : "en_GB"],
    ["property", "og:title", texts.title],
    ["property", "og:description", texts.description],
    ["property", "og:image", picture.href],
    ["property", "og:image:type", "image/png"],
    ["property", "og:image:width", "1200"],
    ["property", "og:image:height", "630"],
    ["property", "og:image:alt", `${texts.title}. ${texts.description}`],
    ["name", "twitter:card", "summary_large_image"],
  ];
  const lines = metas.map(
    ([attribute, name, content]) => `<meta ${attribute}="${name}" content="${escaped(content)}" />`,
  );
  return page
    .replace(/<meta name="description"[^>]*>\s*/, "")
    .replace(
      /<title>[^<]*<\/title>/,
      () => `<title>${escaped(texts.title)} · Nosh</title>\n    ${lines.join("\n    ")}`,
    );
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
