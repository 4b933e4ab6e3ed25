import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
const req = createRequire("/work/n/playwright.config.ts");
const { chromium } = req("@playwright/test");
const sharp = req("sharp");
const { startTestCluster } = await import(req.resolve("homebase-stack/testing"));
const { startStack } = await import("/work/n/tests/e2e/stack.ts");
const { browserArguments, ensureBrowser } = await import("/work/n/scripts/browser.ts");
const { demoPassword } = await import("/work/n/scripts/demo-accounts.ts");
process.chdir("/work/n");
const executablePath = await ensureBrowser();
const cluster = await startTestCluster("/work/n");
const stack = await startStack("production");
const browser = await chromium.launch({ executablePath, args: browserArguments });
const P = (n) => `/plans/00000000-0000-4000-8000-0000000000b${n}`;
const out = "/tmp/n-shots"; mkdirSync(out, { recursive: true });
try {
  const sql = stack.backend.sql.bind(stack.backend);
  await sql(`update public.places set phone = '+351 21 347 0000', booking_url = 'https://book.test/momo' where not home and everybody`);
  await sql(`delete from public.ratings where user_id = '00000000-0000-4000-8000-0000000000a1' and plan_id = '00000000-0000-4000-8000-0000000000b5'`);
  await sql(`update public.profiles set diets = '{gluten_free,vegetarian}', diets_known = true where id = '00000000-0000-4000-8000-0000000000a1'`);
  const confirmed = await sql(`select id, title, status from public.plans where status = 'confirmed'`);
  console.log(confirmed);
  await sql(`insert into public.messages (plan_id, author_id, client_id, body) select '00000000-0000-4000-8000-0000000000b1', '00000000-0000-4000-8000-0000000000a2', gen_random_uuid(), 'See you' from generate_series(1,3)`);
  const c0 = await browser.newContext({ baseURL: stack.app });
  const p0 = await c0.newPage();
  await p0.goto("/sign-in"); await p0.getByRole("textbox", { name: "Email" }).fill("ana@nosh.test"); await p0.getByLabel("Password", { exact: true }).last().fill(demoPassword); await p0.getByRole("button", { name: "Sign in" }).click(); await p0.waitForURL("**/home");
  const state = await c0.storageState(); await c0.close();
  const screens = [["when", P(1) + "?tab=when"], ["rate", P(5)], ["day", P(4)], ["ticket", P(2)+"?tab=when"], ["ticket3", P(3)+"?tab=when"], ["place", "/places/00000000-0000-4000-8000-000000000d04"], ["home", "/home"], ["me", "/me"], ["best", P(1) + "?tab=best"], ["new", "/plans/new"]];
  const wanted = process.argv.slice(2);
  for (const [width, height] of [[390, 844], [1280, 800]]) for (const [locale, scheme] of [["en-GB", "light"], ["de-DE", "dark"], ["de-DE","light"], ["en-US", "dark"]]) {
    const ctx = await browser.newContext({ baseURL: stack.app, storageState: state, viewport: { width, height }, isMobile: width < 500, hasTouch: width < 500, locale, colorScheme: scheme, timezoneId: locale === "en-US" ? "America/New_York" : "Europe/Lisbon", reducedMotion: "reduce" });
    const page = await ctx.newPage();
    const pics = [];
    for (const [name, path] of screens) {
      if (wanted.length && !wanted.includes(name)) continue;
      await page.goto(path); await page.waitForTimeout(1800);
      if (name === "new") { for (const b of await page.getByRole("button", { name: /^(Where|Wo)/ }).all()) { await b.click(); break; } await page.waitForTimeout(900); }
      pics.push(await page.screenshot());
    }
    const each = width < 500 ? 390 : 640, h = Math.round(height * each / width), cols = width < 500 ? 5 : 3;
    const comp = await Promise.all(pics.map(async (b, i) => ({ input: await sharp(b).resize(each).toBuffer(), left: (i % cols) * (each + 8), top: Math.floor(i / cols) * (h + 8) })));
    const rows = Math.ceil(pics.length / cols);
    await sharp({ create: { width: cols * (each + 8), height: rows * (h + 8), channels: 3, background: "#888" } }).composite(comp).png().toFile(`${out}/${width}-${locale}-${scheme}.png`);
    console.log(`${width}-${locale}-${scheme}`);
    await ctx.close();
  }
} finally { await browser.close(); await stack.close(); await cluster.stop(); }
