/** What root does in the data folder follows no link that the server's account has put there. */
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { refuseBaseBackups } from "../../src/postgres/cluster/login-access.ts";
import { chownTree, type ServerUser } from "../../src/postgres/cluster/system-user.ts";

const SERVER: ServerUser = { uid: 54_321, gid: 54_321 };
const folder = mkdtempSync(join(tmpdir(), "homebase-account-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(process.getuid?.() !== 0)("links of the server's account give it nothing (needs root)", () => {
  const data = join(folder, "data");
  const secret = join(folder, "secret");
  mkdirSync(join(data, "pg_tblspc"), { recursive: true });
  writeFileSync(secret, "of root");
  const untouched = () => [lstatSync(secret).uid, readFileSync(secret, "utf8")];
  refuseBaseBackups(data, SERVER);
  // The account replaces the file in its own folder.
  const [version = ""] = readdirSync(join(data, "homebase_guard"));
  const inside = join(data, "homebase_guard", version);
  const [name = ""] = readdirSync(inside);
  rmSync(join(inside, name));
  symlinkSync(secret, join(inside, name));
  refuseBaseBackups(data, SERVER);
  expect(untouched()).toEqual([0, "of root"]);

  symlinkSync(secret, join(data, "link"));
  chownTree(data, SERVER);
  expect(untouched()).toEqual([0, "of root"]);
  expect(lstatSync(data).uid).toBe(SERVER.uid);
});
