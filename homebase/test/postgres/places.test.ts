/** Location of the binaries: in the project if links work, else once for all projects. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binariesPlace, SYSTEM_FOLDER } from "../../src/postgres/cluster/user.ts";

const STRANGER = { uid: 54_321, gid: 54_321 };

let folder: string;
let open: string;
let closed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "homebase-places-"));
  chmodSync(folder, 0o755);
  open = join(folder, "open");
  closed = join(folder, "closed");
  mkdirSync(open, { mode: 0o755 });
  mkdirSync(closed, { mode: 0o700 });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a project and a package that the server's user reaches are linked in the project", () => {
  expect(binariesPlace(open, open, STRANGER)).toEqual({ parent: join(open, ".homebase"), linkable: true });
  expect(binariesPlace(closed, closed, undefined)).toEqual({
    parent: join(closed, ".homebase"),
    linkable: true,
  });
});

test("where either is out of reach, one copy serves all", () => {
  const shared = { parent: SYSTEM_FOLDER, linkable: false };
  expect(binariesPlace(closed, open, STRANGER)).toEqual(shared);
  expect(binariesPlace(open, closed, STRANGER)).toEqual(shared);
});
