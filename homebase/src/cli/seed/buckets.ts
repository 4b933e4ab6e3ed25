/** Owns `homebase seed buckets`: the buckets of config.toml as they are now, over the storage API. */
import { openAsBlob } from "node:fs";
import { resolve } from "node:path";
import { filesBelow, mediaTypeOf } from "../../storage/buckets/config-buckets.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../options.ts";
import { addressOf, targetOptions } from "../target.ts";
import { CommandError } from "../terminal.ts";
import { runningVariables } from "./running.ts";

/** The status of a vector bucket that exists. */
const CONFLICT = 409;

export const seedBuckets: Command = {
  help: `Usage: homebase seed buckets [options]

Creates the buckets of [storage.buckets] in config.toml, updates existing ones, and uploads the files of their
objects_path; a file of the same name is replaced. Creates the vector buckets of [storage.vector.buckets]. Other
buckets and files are not changed. For a hosted project: homebase deploy.

Options:
  --local            the running stack, which is the only target
  --linked           not built: Homebase keeps no links to projects
${sharedHelp}

Examples:
  homebase seed buckets`,
  run: async (args) => {
    const { linked, local } = targetOptions;
    const { values } = parseOptions(args, { linked, local });
    addressOf(values, "seed buckets");
    const config = configFor(values);
    const variables = await runningVariables(values);
    const send = async (
      method: string,
      path: string,
      body: Blob | object,
      headers: Record<string, string> = {},
    ) => {
      const binary = body instanceof Blob;
      return fetch(`${variables.API_URL}/storage/v1${path}`, {
        method,
        headers: {
          apikey: variables.SECRET_KEY ?? "",
          authorization: `Bearer ${variables.SERVICE_ROLE_KEY}`,
          ...(binary ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        body: binary ? body : JSON.stringify(body),
      });
    };
    const buckets: { id: string; made: boolean; files: string[] }[] = [];
    for (const [id, bucket] of Object.entries(config.storage.buckets)) {
      const body = {
        public: bucket.public ?? false,
        file_size_limit: bucket.file_size_limit ?? config.storage.file_size_limit,
        allowed_mime_types: bucket.allowed_mime_types?.length ? bucket.allowed_mime_types : null,
      };
      const changed = await send("PUT", `/bucket/${encodeURIComponent(id)}`, body);
      const answer = changed.ok ? changed : await send("POST", "/bucket", { id, name: id, ...body });
      if (!answer.ok) throw new CommandError(`The bucket ${id} could not be created: ${await answer.text()}`);
      const files: string[] = [];
      for (const { path, key } of bucket.objects_path
        ? filesBelow(resolve(config.supabaseFolder, bucket.objects_path))
        : []) {
        const place = `/object/${[id, ...key.split("/")].map(encodeURIComponent).join("/")}`;
        const stored = await send("POST", place, await openAsBlob(path), {
          "content-type": mediaTypeOf(path),
          "x-upsert": "true",
        });
        if (!stored.ok)
          throw new CommandError(`${path} could not be stored in bucket ${id}: ${await stored.text()}`);
        files.push(key);
      }
      buckets.push({ id, made: !changed.ok, files });
    }
    const vectorBuckets: { id: string; made: boolean }[] = [];
    for (const id of config.storage.vector.enabled ? Object.keys(config.storage.vector.buckets) : []) {
      const answer = await send("POST", "/vector/CreateVectorBucket", { vectorBucketName: id });
      if (!answer.ok && answer.status !== CONFLICT) {
        throw new CommandError(`The vector bucket ${id} could not be created: ${await answer.text()}`);
      }
      vectorBuckets.push({ id, made: answer.ok });
    }
    if (values.json) {
      const all = { buckets, ...(vectorBuckets.length > 0 ? { vectorBuckets } : {}) };
      return void process.stdout.write(`${JSON.stringify(all)}\n`);
    }
    if (buckets.length + vectorBuckets.length === 0)
      process.stdout.write("config.toml describes no buckets ([storage.buckets]).\n");
    for (const { id, made } of vectorBuckets) {
      process.stdout.write(`${made ? "Created" : "Kept"} vector bucket ${id}\n`);
    }
    for (const { id, made, files } of buckets) {
      process.stdout.write(
        `${made ? "Created" : "Updated"} bucket ${id}, stored ${files.length} ${files.length === 1 ? "file" : "files"}\n`,
      );
    }
  },
};
