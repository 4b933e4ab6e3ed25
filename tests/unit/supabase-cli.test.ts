/** Installing the Supabase CLI where that is impossible. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { capture, node, nodeFlags, root } from "../../scripts/process.ts";

test("without a network the reason is said, and no half of it stays", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nosh-no-network-"));
  try {
    const { code, stderr } = await capture(
      node,
      [
        ...nodeFlags,
        "--input-type=module",
        "-e",
        `await (await import(${JSON.stringify(join(root, "scripts", "supabase-cli.ts"))})).ensureSupabase()`,
      ],
      {
        env: {
          ...process.env,
          SUPABASE_CLI: "",
          XDG_CACHE_HOME: join(folder, "cache"),
          // Nothing listens on port 9.
          npm_config_registry: "http://127.0.0.1:9",
          npm_config_cache: join(folder, "npm"),
        },
      },
    );
    expect(code).toBe(1);
    expect(stderr).toMatch(/npm could not install the Supabase CLI: .*ECONNREFUSED/);
    expect(readdirSync(join(folder, "cache", "nosh"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);
