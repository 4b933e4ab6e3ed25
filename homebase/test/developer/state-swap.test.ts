/** A replacement of the state that is killed at any of its steps, and settled by the next command. */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { settleState, staged, statePaths } from "../../src/developer/state-swap.ts";
import { DataFolderError } from "../../src/postgres/cluster/data-folder.ts";

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true });
});

const KEPT = join(".homebase", "snapshots", "before-restore");
const PARTS = ["data", "storage", "inbox"] as const;

/** A project whose old state has no inbox, and whose new one has no stored files. */
function project(): string {
  const root = mkdtempSync(join(tmpdir(), "homebase-swap-"));
  roots.push(root);
  const paths = statePaths(root);
  const put = (folder: string, text: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file"), text);
  };
  put(paths.data, "old");
  put(paths.storage, "old");
  put(staged(paths.data), "new");
  put(staged(paths.inbox), "new");
  writeFileSync(paths["vault-key"], "old");
  writeFileSync(staged(paths["vault-key"]), "new");
  writeFileSync(paths.branch, "old");
  writeFileSync(staged(paths.branch), "new");
  put(join(root, KEPT), "earlier");
  put(`${join(root, KEPT)}.making`, "description");
  return root;
}

/** What each part is, and everything else that is there. */
function found(root: string) {
  const paths = statePaths(root);
  const read = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  const own = [...Object.values(paths), join(root, ".homebase", "snapshots")];
  const folders = [dirname(paths.data), join(root, ".homebase")];
  const rest = folders.flatMap((folder) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => !own.includes(path)),
  );
  const kept = join(root, KEPT);
  return {
    state: [
      ...PARTS.map((part) => read(join(paths[part], "file"))),
      read(paths["vault-key"]),
      read(paths.branch),
    ],
    kept: [
      ...PARTS.map((part) => read(join(kept, part, "file"))),
      read(join(kept, "vault-key")),
      read(join(kept, "branch")),
      read(join(kept, "file")),
    ],
    rest,
  };
}

const OLD = { state: ["old", "old", undefined, "old", "old"], rest: [] };
const NEW = {
  state: ["new", undefined, "new", "new", "new"],
  kept: ["old", "old", undefined, "old", "old", "description"],
  rest: [],
};

/** @returns whether it was killed before that step. */
function run(what: "replace" | "settle", root: string, step: number): Promise<boolean> {
  const program = join(import.meta.dirname, "swap-steps.ts");
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, what, root, String(step)], (error) => {
      if (error && error.signal !== "SIGKILL") reject(error);
      else resolve(error !== null);
    });
  });
}

test("a kill before any step leaves the old state until the new one is confirmed, and the new one from then on", async () => {
  const outcomes: string[] = [];
  for (let step = 1; ; step += 1) {
    const root = project();
    const killed = await run("replace", root, step);
    const undone = killed && (await settleState(root)) !== undefined;
    const is = found(root);
    const old = is.state[0] === "old";
    expect(is, `step ${step}`).toMatchObject(old ? OLD : NEW);
    // Nothing is to be undone before the first rename of the file that says so.
    expect(undone, `step ${step}`).toBe(old && step > 1);
    if (!killed) break;
    outcomes.push(old ? "old" : "new");
  }
  expect(outcomes.join(" ")).toMatch(/^(old ){9,}(new ){6}new$/);
}, 120_000);

test.each([
  ["undone", 6, OLD],
  ["completed", 11, NEW],
])(
  "settling is killed before any step too: it is %s by the next one",
  async (_, at, expected) => {
    let steps = 0;
    for (let step = 1; ; step += 1) {
      const root = project();
      expect(await run("replace", root, at)).toBe(true);
      const killed = await run("settle", root, step);
      if (killed) await settleState(root);
      expect(found(root), `step ${step}`).toMatchObject(expected);
      if (!killed) break;
      steps += 1;
    }
    expect(steps).toBeGreaterThan(3);
  },
  120_000,
);

test("a damaged file of a replacement is refused, and nothing is changed", async () => {
  const root = project();
  writeFileSync(join(root, ".homebase", "replacing.json"), '{"by":"x"');
  await expect(settleState(root)).rejects.toThrow(DataFolderError);
  expect(found(root).state).toEqual(OLD.state);
});
