/** The consistency check, the sweep's decisions, and the buckets of config.toml. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { silentLog } from "../../../src/core/log.ts";
import type { ServiceContext } from "../../../src/service-context.ts";
import { checkStorage } from "../../../src/storage/objects/consistency-check.ts";
import { createStorageService } from "../../../src/storage/service.ts";
import { forThisFile } from "../../for-this-file.ts";
import { adminOf, filesOf, must, storageBackend } from "../fixture.ts";

const backend = await forThisFile(
  storageBackend({
    buckets: {
      pictures: { public: true, file_size_limit: 1_000, allowed_mime_types: ["image/png"] },
      papers: { objects_path: "papers" },
    },
  }),
);

const context = (): ServiceContext => ({
  config: backend.config,
  keys: backend.backend.keys,
  database: backend.database,
  clock: backend.clock,
  log: silentLog,
  url: backend.url,
  storageFolder: backend.storageFolder,
  sendMail: async () => undefined,
  happened: () => {},
});

test("buckets of config.toml are there, with their limits and files", async () => {
  const { storage } = adminOf(backend);
  expect(must(await storage.getBucket("pictures"))).toMatchObject({
    public: true,
    file_size_limit: 1_000,
    allowed_mime_types: ["image/png"],
  });
  expect(await must(await storage.from("papers").download("sub/note.txt")).text()).toBe("A note.\n");
  expect(must(await storage.from("papers").info("sub/note.txt"))).toMatchObject({
    contentType: "text/plain; charset=utf-8",
    cacheControl: "max-age=3600",
  });
});

test("the check finds lost, damaged, orphaned and unfinished bytes, and changes nothing", async () => {
  const papers = adminOf(backend).storage.from("papers");
  const fileOf = async (key: string) => {
    const before = new Set(await filesOf(backend));
    must(await papers.upload(key, `body of ${key}`));
    const [file] = (await filesOf(backend)).filter((one) => !before.has(one));
    if (!file) throw new Error("No file.");
    return file;
  };
  const { objects } = await checkStorage(context(), { hash: true });
  await rm(await fileOf("lost"));
  await writeFile(await fileOf("cut"), "short");
  await writeFile(await fileOf("flipped"), "BODY of flipped");
  const orphan = join(dirname(await fileOf("whole")), "00000000-0000-0000-0000-000000000000");
  await writeFile(orphan, "orphan");
  const unfinished = join(backend.storageFolder, "tmp", "half");
  await mkdir(dirname(unfinished), { recursive: true });
  await writeFile(unfinished, "half");

  const before = await filesOf(backend);
  const found = await checkStorage(context());
  expect(found).toMatchObject({
    objects: objects + 4,
    missing: [{ bucket: "papers", key: "lost" }],
    damaged: [{ bucket: "papers", key: "cut" }],
    orphans: [orphan],
    unfinished: [unfinished],
  });
  const { damaged } = await checkStorage(context(), { hash: true });
  expect(damaged.map(({ key }) => key).sort()).toEqual(["cut", "flipped"]);
  expect(await filesOf(backend)).toEqual(before);
});

test("a folder that bears another database's id is not swept", async () => {
  const orphan = join(backend.storageFolder, "objects", "aa", "aa", "00000000-0000-4000-8000-000000000001");
  const id = join(backend.storageFolder, "database-id");
  await mkdir(dirname(orphan), { recursive: true });
  await writeFile(orphan, "another database's");
  await writeFile(id, "00000000-0000-4000-8000-000000000002\n");
  await (await createStorageService(context())).close();
  expect(await filesOf(backend)).toContain(orphan);
  await rm(id);
  await (await createStorageService(context())).close();
  expect(await filesOf(backend)).not.toContain(orphan);
});
