/**
 * Owns: writing the preview of an invite link or a plan's address into the app's page: title, description and picture, as chats show them.
 * Robots run no scripts, so these must be in the page itself. Pure except for one request to the backend. It runs in
 * Vite's servers (plugin.ts) and at the edge of a static host (worker.ts).
 */
import { escapeMarkup } from "../../supabase/functions/_shared/markup.ts";
import {
  addressPreviewOf,
  type InvitePreview,
  invitePreviewOf,
  inviteTexts,
} from "../../supabase/functions/_shared/unfurl/invite_texts.ts";
import { isUuid } from "../../supabase/functions/_shared/uuid.ts";

/** The backend, by the app's own two settings. */
export interface Backend {
  /** Without trailing slash. */
  url: string;
  publishableKey: string;
}

/** Robots wait only a few seconds, and a page without a preview is better than no page. */
const TIMEOUT_MS = 3000;

/** What a path leads to: an invite's token or a plan's id, as its call and its picture name it. */
type Linked = { token: string } | { plan: string };

/** Null for a path that has no preview. */
export function linkedBy(path: string): Linked | null {
  const [, token] = /^\/join\/([\w-]{1,200})\/?$/.exec(path) ?? [];
  if (token) return { token };
  const [, plan] = /^\/plans\/([^/]+)(?:\/join)?\/?$/.exec(path) ?? [];
  return isUuid(plan) ? { plan } : null;
}

/**
 * The page with its preview; unchanged if the link does not work or the backend does not answer.
 * @param page index.html
 * @param address of the link
 */
export async function unfurled(page: string, address: URL, backend: Backend): Promise<string> {
  const linked = linkedBy(address.pathname);
  if (linked === null) return page;
  const preview = await readPreview(linked, backend);
  return preview ? withPreview(page, preview, address, linked, backend) : page;
}

async function readPreview(linked: Linked, backend: Backend): Promise<InvitePreview | null> {
  const [call, previewOf] =
    "token" in linked ? ["preview_invite", invitePreviewOf] : ["preview_plan", addressPreviewOf];
  try {
    const response = await fetch(`${backend.url}/rest/v1/rpc/${call}`, {
      method: "POST",
      headers: { apikey: backend.publishableKey, "Content-Type": "application/json" },
      body: JSON.stringify(linked),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) return null;
    const rows: unknown = await response.json();
    return previewOf(Array.isArray(rows) ? rows[0] : undefined);
  } catch {
    return null;
  }
}

function withPreview(
  page: string,
  preview: InvitePreview,
  address: URL,
  linked: Linked,
  backend: Backend,
): string {
  const texts = inviteTexts(preview);
  const picture = new URL(`${backend.url}/functions/v1/invite-picture`);
  for (const [name, value] of Object.entries(linked)) picture.searchParams.set(name, value);
  // The URL changes with the content, because chats cache a picture for days.
  picture.searchParams.set(
    "v",
    [preview.people, preview.plan_state, preview.starts_at, preview.title].join(" "),
  );
  const metas: [attribute: "name" | "property", name: string, content: string][] = [
    ["name", "description", texts.description],
    // A link into a plan must not be found by search engines.
    ["name", "robots", "noindex"],
    ["property", "og:site_name", "Nosh"],
    ["property", "og:type", "website"],
    [
      "property",
      "og:url",
      `${address.origin}${"token" in linked ? `/join/${linked.token}` : `/plans/${linked.plan}`}`,
    ],
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
    ([attribute, name, content]) => `<meta ${attribute}="${name}" content="${escapeMarkup(content)}" />`,
  );
  return page
    .replace(/<meta name="description"[^>]*>\s*/, "")
    .replace(
      /<title>[^<]*<\/title>/,
      () => `<title>${escapeMarkup(texts.title)} · Nosh</title>\n    ${lines.join("\n    ")}`,
    );
}
