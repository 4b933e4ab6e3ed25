/** What a browser of another origin may read from REST's responses, through the gateway. */
import { expect, test } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";

test("counts are for browsers of other origins, too", async () => {
  await using backend = await createBackend({ bare: true });
  await backend.sql(
    "create table public.things (id int primary key); insert into public.things values (1), (2)",
  );
  await backend.sql("grant select on public.things to anon");
  await expect
    .poll(
      async () =>
        (await fetch(`${backend.url}/rest/v1/things`, { headers: { apikey: backend.publishableKey } }))
          .status,
    )
    .toBe(200);
  const head = (origin?: string) =>
    fetch(`${backend.url}/rest/v1/things?select=id`, {
      method: "HEAD",
      headers: {
        apikey: backend.publishableKey,
        prefer: "count=exact",
        ...(origin ? { origin } : {}),
      },
    });
  const { headers } = await head("https://nosh.test");
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("content-range")).toBe("0-1/2");
  const exposed = headers.get("access-control-expose-headers")?.split(", ");
  expect(exposed).toEqual(
    expect.arrayContaining(["Content-Range", "Location", "Content-Location", "Range-Unit"]),
  );
  // Without an origin there is no cross-origin request.
  expect((await head()).headers.get("access-control-expose-headers")).toBeNull();
});
