/** A picture that would keep the renderer busy for hours is ended, and holds no other picture up for longer. */
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { adminOf, createPubAndPriv, storageBackend } from "./fixture.ts";

/** 300 bytes; each of the ten filters looks at 1,800 columns and rows around each of 49 million pixels. */
const OVERLONG = `<svg xmlns="http://www.w3.org/2000/svg" width="7000" height="7000">
<filter id="f" x="0" y="0" width="1" height="1">${'<feMorphology operator="dilate" radius="900"/>'.repeat(10)}</filter>
<rect width="7000" height="7000" fill="red" filter="url(#f)"/></svg>`;

const backend = await forThisFile(storageBackend());
beforeAll(async () => {
  const small = await sharp({ create: { width: 20, height: 10, channels: 3, background: "#00f" } })
    .png()
    .toBuffer();
  await createPubAndPriv(backend, {
    "overlong.svg": new Blob([OVERLONG], { type: "image/svg+xml" }),
    "small.png": new Blob([new Uint8Array(small)], { type: "image/png" }),
  });
});

const render = async (name: string, query = "") => {
  const response = await fetch(`${backend.url}/storage/v1/render/image/public/pub/${name}${query}`);
  return [
    response.status,
    response.ok ? response.headers.get("content-type") : await response.text(),
  ] as const;
};

test("a picture that takes too long is refused, the next one is rendered, and it is not tried again", async () => {
  const refused = [400, expect.stringContaining("takes more than 10 seconds")];
  const overlong = render("overlong.svg");
  expect(await render("small.png", "?width=10")).toEqual([200, "image/png"]);
  expect(await overlong).toEqual(refused);
  // Another size would take as long: the source is refused while another picture is made.
  const [again, other] = await Promise.all([
    render("overlong.svg", "?quality=50"),
    render("small.png", "?width=5"),
  ]);
  expect([again, other]).toEqual([refused, [200, "image/png"]]);
  expect((await adminOf(backend).storage.from("pub").download("overlong.svg")).error).toBeNull();
});
