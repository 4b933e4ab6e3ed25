import { appendFileSync, writeFileSync } from "node:fs";
import { expect, test } from "./fixtures.ts";
import { arrange, screens, visit } from "./screens.ts";

test.setTimeout(600_000);
writeFileSync("/tmp/scan.txt", "");
const dup = (page: any) =>
  page.evaluate(() => {
    const seen = new Map<string, number>();
    for (const b of document.querySelectorAll<HTMLElement>("button, [role=button]")) {
      if (b.closest("[inert],[aria-hidden=true]") || !b.checkVisibility()) continue;
      const ids = b.getAttribute("aria-labelledby");
      const name =
        b.getAttribute("aria-label") ??
        (ids
          ? ids
              .split(" ")
              .map((i) => document.getElementById(i)?.textContent)
              .join(" ")
          : b.textContent) ??
        "";
      seen.set(name.trim(), (seen.get(name.trim()) ?? 0) + 1);
    }
    return [...seen].filter(([, n]) => n > 1);
  });
test("clock", async ({ person, stack }) => {
  for (const locale of ["en-US", "ar-EG", "de-DE"]) {
    const session = await (await import("@supabase/supabase-js"))
      .createClient(stack.backend.url, stack.backend.publishableKey, { auth: { persistSession: false } })
      .auth.signInWithPassword({
        email: "ana@nosh.test",
        password: (await import("../../scripts/demo-accounts.ts")).demoPassword,
      });
    const { page, watch } = await person("Ana", {
      device: "phone",
      locale,
      session: JSON.stringify(session.data.session),
    });
    watch.expect(/./);
    for (const path of [
      "/home",
      "/plans/new",
      ...["when", "where", "best", "chat", "photos", "day"].flatMap((t) =>
        [1, 2, 3, 5].map((n) => `/plans/00000000-0000-4000-8000-0000000000b${n}?tab=${t}`),
      ),
      "/circles/00000000-0000-4000-8000-0000000000c1",
      "/places/00000000-0000-4000-8000-000000000d04",
      "/notifications",
      "/me",
    ]) {
      await page.goto(path);
      await page.getByRole("heading").first().waitFor();
      await page.waitForLoadState("networkidle");
      const text = await page.evaluate(
        () =>
          document.body.innerText +
          " " +
          [...document.querySelectorAll("[aria-label]")].map((e) => e.getAttribute("aria-label")).join(" | "),
      );
      const found = [...new Set(text.match(/.{0,12}\d{1,2}:\d\d.{0,12}/g) ?? [])];
      const bad =
        locale === "en-US"
          ? found.filter((t) => /\b0\d:\d\d|\b(1[3-9]|2[0-3]):\d\d/.test(t))
          : found.filter((t) => /[AP]M|\b\d:\d\d/i.test(t));
      appendFileSync(
        "/tmp/scan.txt",
        `CLOCK ${locale} ${path}: ${found.length} ${JSON.stringify(bad.slice(0, 8))} e.g. ${JSON.stringify(found.slice(0, 2))}\n`,
      );
    }
  }
});
test("scan", async ({ ana, person, stack }) => {
  for (const screen of screens) {
    const { page, watch } = screen.signedOut
      ? await person("x", { device: "phone" })
      : await ana({ device: "phone" });
    watch.expect(/./);
    try {
      await arrange(stack.backend.sql.bind(stack.backend), screen);
      await visit(page, screen);
      appendFileSync("/tmp/scan.txt", `${screen.name}: ${JSON.stringify(await dup(page))}\n`);
    } catch (e) {
      appendFileSync("/tmp/scan.txt", `${screen.name}: FAILED ${String(e).slice(0, 100)}\n`);
    }
  }
});
