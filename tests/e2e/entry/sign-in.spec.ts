/** Signing in, and access without it. */
import { demoPassword } from "../../../scripts/demo-accounts.ts";
import { expect, signIn, test } from "../fixtures.ts";

test("Ana signs in with her password and sees her plans", async ({ person }) => {
  const { page } = await person("Ana", { device: "phone" });
  await page.goto("/sign-in");
  await signIn(page, "ana@nosh.test");
  await expect(page.getByRole("heading", { level: 1, name: "Ana" })).toBeVisible();
  await expect(page.getByRole("link", { name: /Dinner before the holidays/ })).toBeVisible();
});

test("a wrong password shows an error next to the field", async ({ person }) => {
  const { page, watch } = await person("Ana");
  watch.expect(/400/);
  await page.goto("/sign-in");
  await page.getByRole("textbox", { name: "Email" }).fill("ana@nosh.test");
  await page.getByLabel("Password", { exact: true }).last().fill(`${demoPassword}!`);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/sign-in");
});

test("a code from the mail signs in, and continues to the requested page", async ({ person, stack }) => {
  const { page } = await person("Ben");
  await page.goto("/places");
  await page.waitForURL(/\/sign-in\?next=/);
  await page.getByRole("tab", { name: /code/i }).click();
  await page.getByRole("textbox", { name: "Email" }).fill("ben@nosh.test");
  const mailed = stack.backend.mails.length;
  await page.getByRole("button", { name: "Send code" }).click();
  const field = page.getByRole("textbox", { name: "Code from the email" });
  await expect(field).toBeVisible();
  const mail = stack.backend.mails[mailed];
  expect(mail?.to.map((to) => to.address)).toEqual(["ben@nosh.test"]);
  await field.fill(/^\d{6}/.exec(mail?.subject ?? "")?.[0] ?? "no code in the subject");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/places");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
});

test("the link of the mail signs in", async ({ person, stack }) => {
  const { page } = await person("Chiara");
  await page.goto("/sign-in");
  await page.getByRole("tab", { name: /code/i }).click();
  await page.getByRole("textbox", { name: "Email" }).fill("chiara@nosh.test");
  const mailed = stack.backend.mails.length;
  await page.getByRole("button", { name: "Send code" }).click();
  await expect(page.getByRole("textbox", { name: "Code from the email" })).toBeVisible();
  const html = stack.backend.mails[mailed]?.html ?? "";
  const link = /href="([^"]*\/verify\?[^"]*)"/.exec(html)?.[1]?.replaceAll("&amp;", "&");
  await page.goto(link ?? "no link in the mail");
  await page.waitForURL("/home");
  await expect(page.getByRole("heading", { level: 1, name: "Chiara" })).toBeVisible();
});

test("one click gives each visitor a table of their own, with people who have voted", async ({ person }) => {
  const visit = async (name: string) => {
    const { page } = await person(name, { device: "phone" });
    await page.goto("/");
    await page.getByRole("button", { name: "Try a sample table" }).click();
    await page.waitForURL(/\/plans\//);
    await expect(page.getByRole("heading", { level: 1, name: "Sample dinner" })).toBeVisible();
    await expect(page.getByText("The others here are made up.")).toBeVisible();
    await expect(page.getByRole("img", { name: /^Sample dinner. A table for 5/ })).toBeVisible();
    return page;
  };
  const first = await visit("First");
  const second = await visit("Second");
  expect(first.url()).not.toBe(second.url());
  await first.goto("/");
  await first.getByRole("button", { name: "Try a sample table" }).click();
  await first.waitForURL(/\/plans\//);
  // Back at the same table, which is on the home screen too.
  await first.goto("/home");
  await expect(first.getByRole("link", { name: "Sample dinner" })).toHaveCount(1);
});

test("signed out, a screen of the app redirects to sign-in", async ({ person }) => {
  const { page } = await person("Nobody");
  for (const path of ["/home", "/circles", "/plans/new", "/saved", "/me"]) {
    await page.goto(path);
    await page.waitForURL(/\/sign-in/);
  }
});

test("the sign-in page says why one is there", async ({ person, ana, stack }) => {
  const { page } = await person("Nobody", { device: "phone" });
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b2");
  await page.getByRole("link", { name: "I have an account" }).click();
  await expect(page.getByText("Sign in to open this plan. If you were sent an invite link")).toBeVisible();
  await page.goto("/circles/00000000-0000-4000-8000-0000000000c1");
  await expect(page.getByText("Sign in to open this circle.")).toBeVisible();
  await page.goto("/sign-in?next=/join/demo-table");
  await expect(page.getByText("Sign in to join “Dinner before the holidays”.")).toBeVisible();
  await page.goto("/auth/callback?error_description=gone");
  await page.getByRole("link", { name: "Get a new one" }).click();
  await expect(page.getByText("That link has expired or was already used.")).toBeVisible();

  const { page: anas, watch } = await ana();
  await anas.goto("/circles");
  await expect(anas.getByRole("heading", { level: 1, name: "Circles" })).toBeVisible();
  watch.expect(/40[0-3]|refresh_token/);
  // A file beside the app: an open screen might find out before the page is loaded anew.
  await anas.goto("/manifest.webmanifest");
  await stack.backend.sql("delete from auth.sessions");
  // The token is still valid for REST; renewing it is refused.
  await anas.evaluate((key) => {
    const session = JSON.parse(localStorage.getItem(key) ?? "{}");
    localStorage.setItem(key, JSON.stringify({ ...session, expires_at: 1 }));
  }, "nosh.session");
  await anas.goto("/circles");
  await expect(anas.getByText("You've been signed out on this device.")).toBeVisible();
  await signIn(anas, "ana@nosh.test", "/circles");
});

test("a guest is told what signing in to an account would leave behind", async ({ person }) => {
  const { page } = await person("Kim", { device: "small" });
  await page.goto("/start");
  await page.getByRole("textbox", { name: "Your name" }).fill("Kim");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.waitForURL("/plans/new");
  await page.goto("/sign-in");
  await expect(page.getByText("your guest plans stay behind")).toBeVisible();
  await page.getByRole("link", { name: "Move my plans" }).click();
  await expect(page.getByRole("button", { name: "Add email" })).toBeVisible();
});

test("a forgotten password is replaced by means of a mailed code", async ({ person, stack }) => {
  const { page, watch } = await person("Chiara", { device: "phone" });
  watch.expect(/403/);
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await expect(page.getByRole("heading", { name: "Forgot your password?" })).toBeVisible();
  await page.getByRole("textbox", { name: "Email" }).fill("chiara@nosh.test");
  const mailed = stack.backend.mails.length;
  await page.getByRole("button", { name: "Send email" }).click();
  const code = page.getByRole("textbox", { name: "Code from the email" });
  await expect(code).toBeVisible();
  await code.fill("000000");
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("alert")).toBeVisible();
  await code.fill(
    /<strong>(\d{6})<\/strong>/.exec(stack.backend.mails[mailed]?.html ?? "")?.[1] ?? "no code",
  );
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("New password").fill("eight-or-more");
  await page.getByRole("button", { name: "Save password" }).click();
  await page.waitForURL("/me");
  await page.getByRole("button", { name: "Sign out on this device" }).click();
  await page.goto("/sign-in");
  await page.getByRole("textbox", { name: "Email" }).fill("chiara@nosh.test");
  await page.getByLabel("Password", { exact: true }).last().fill("eight-or-more");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("/home");
  // Other tests sign her in with the seed's password.
  await stack.backend.sql(
    `update auth.users set encrypted_password = extensions.crypt('${demoPassword}', extensions.gen_salt('bf'))
     where email = 'chiara@nosh.test'`,
  );
});

test("a person exports their data and deletes the account", async ({ person }) => {
  const { page, watch } = await person("Newcomer");
  // Signing out ends the session on the server.
  watch.expect(/403/);
  await page.goto("/sign-in");
  await page.getByRole("tab", { name: "Sign up" }).click();
  await page.getByLabel("Your name").fill("Newcomer");
  await page.getByRole("textbox", { name: "Email" }).fill("newcomer@nosh.test");
  await page.getByLabel("Password", { exact: true }).last().fill("eight-or-more");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("/home");
  await page.goto("/me");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export my data" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("nosh-export.json");
  const { readFile } = await import("node:fs/promises");
  const data = JSON.parse(await readFile(await file.path(), "utf8")) as { account: { email: string } };
  expect(data.account.email).toBe("newcomer@nosh.test");
  await page.getByRole("button", { name: "Delete my account" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete my account" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.goto("/home");
  await page.waitForURL(/\/sign-in/);
});

test("the app opens where the browser denies storage", async ({ person }) => {
  const { page } = await person("Ana");
  await page.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
    }
  });
  await page.goto("/");
  await page.getByRole("link", { name: "Sign in" }).first().click();
  await page.getByText("Deutsch", { exact: true }).click();
  await expect(page.getByRole("button", { name: "Anmelden" })).toBeVisible();
});
