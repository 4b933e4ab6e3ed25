/**
 * invite-picture: GET ?token=<invite> or ?plan=<id> returns the picture that chats show for an invite link or a plan's own
 * address, a PNG of 1200 by 630. Robots call it without any header, so it shows only what `preview_invite` and
 * `preview_plan` return to signed-out callers. One picture of each plan or circle, and one of each address, is stored in
 * the private bucket `invite-pictures`, and drawn again when its content changes. Errors are `{"code", "message"}`.
 */
import { initWasm, Resvg } from "npm:@resvg/resvg-wasm@2.6.2";
import { anonymousClient, dataOf, Refusal, serve, serviceClient } from "../_shared/http.ts";
import { invitePicture } from "../_shared/unfurl/invite_picture.ts";
import {
  addressPreviewOf,
  type InvitePreview,
  invitePreviewOf,
  inviteTexts,
} from "../_shared/unfurl/invite_texts.ts";
import { isUuid } from "../_shared/uuid.ts";

const BUCKET = "invite-pictures";
/** Raised when the drawing changes, so that stored pictures are drawn again. */
const DRAWING = "1";
/** Seconds. The picture's URL in the page changes with its content, so caches may keep it. */
const CACHE_S = 86_400;

serve(
  { name: "invite-picture", methods: ["GET", "HEAD"], errorMessage: "The picture could not be drawn." },
  async (request) => {
    const { preview, storedAs } = await asked(new URL(request.url).searchParams);
    const texts = inviteTexts(preview);
    const version = await digest(JSON.stringify([DRAWING, texts, preview.people]));
    const headers = {
      "Content-Type": "image/png",
      "Cache-Control": `public, max-age=${CACHE_S}`,
      ETag: `"${version}"`,
    };
    if (request.headers.get("If-None-Match") === headers.ETag) {
      return new Response(null, { status: 304, headers });
    }
    const picture = await storedOrDrawn(storedAs, version, () => draw(invitePicture(texts, preview.people)));
    return new Response(request.method === "HEAD" ? null : picture, { headers });
  },
);

/** What the picture shows, and the name of its file, which is asked for once the link is known to work. */
async function asked(
  search: URLSearchParams,
): Promise<{ preview: InvitePreview; storedAs: () => Promise<string> }> {
  const token = search.get("token");
  // In one spelling, so that a plan has one file.
  const plan = search.get("plan")?.toLowerCase();
  if (isUuid(plan)) {
    const preview = addressPreviewOf(firstRow(dataOf(await anonymousClient().rpc("preview_plan", { plan }))));
    return { preview, storedAs: () => Promise.resolve(`address/${plan}`) };
  }
  if (!token || token.length > 200)
    throw new Refusal(400, "invalid_request", "Send the token of an invite, or the id of a plan.");
  const preview = invitePreviewOf(firstRow(dataOf(await anonymousClient().rpc("preview_invite", { token }))));
  return {
    preview,
    storedAs: async () => String(dataOf(await serviceClient().rpc("invite_subject", { token }))),
  };
}

const firstRow = (rows: unknown): unknown => (Array.isArray(rows) ? rows[0] : undefined);

/** The stored picture if it is of this version, else a new one, which replaces it. */
async function storedOrDrawn(
  storedAs: () => Promise<string>,
  version: string,
  drawNew: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Blob | Uint8Array<ArrayBuffer>> {
  const path = `${await storedAs()}.png`;
  const bucket = serviceClient().storage.from(BUCKET);
  const { data: info } = await bucket.info(path);
  if (info?.metadata?.version === version) {
    const { data } = await bucket.download(path);
    if (data) return data;
  }
  const picture = await drawNew();
  const { error } = await bucket.upload(path, picture, {
    contentType: "image/png",
    upsert: true,
    metadata: { version },
  });
  // A picture that cannot be stored is still sent; the next request draws it again.
  if (error) console.error("invite-picture: not stored", error.message);
  return picture;
}

let ready: Promise<Uint8Array[]> | undefined;

async function draw(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  ready ??= prepare();
  const fontBuffers = await ready.catch((error: unknown) => {
    ready = undefined;
    throw error;
  });
  const renderer = new Resvg(svg, {
    font: { fontBuffers, loadSystemFonts: false, defaultFontFamily: "Fraunces" },
  });
  try {
    const image = renderer.render();
    try {
      return new Uint8Array(image.asPng());
    } finally {
      image.free();
    }
  } finally {
    renderer.free();
  }
}

/** Loads resvg and the fonts, once for each worker. */
async function prepare(): Promise<Uint8Array[]> {
  const read = (address: URL) => Deno.readFile(address);
  const [wasm, ...fonts] = await Promise.all([
    read(new URL("index_bg.wasm", import.meta.resolve("npm:@resvg/resvg-wasm@2.6.2"))),
    ...["fraunces-latin.ttf", "fraunces-latin-ext.ttf"].map((name) =>
      read(new URL(`../_shared/unfurl/fonts/${name}`, import.meta.url)),
    ),
  ]);
  await initWasm(wasm);
  return fonts;
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
