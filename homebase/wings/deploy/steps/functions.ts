/**
 * Owns deploying functions: the files of each, their upload, and activating all of them at once
 * (docs/compat/platform.md 5.4).
 */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Config } from "../../../src/config/config.ts";
import { glob } from "../../../src/core/glob.ts";
import { isRecord } from "../../../src/core/record.ts";
import { modulesOf } from "../../../src/functions/modules/graph.ts";
import {
  type FunctionDefinition,
  findFunction,
  listFunctions,
} from "../../../src/functions/project-functions.ts";
import { DeployRefused, type Step, type StepContext } from "./step.ts";

/** The platform's rule for names. */
const SLUG = /^[A-Za-z][\w-]*$/;

/** A function to upload. */
export interface FunctionUpload {
  name: string;
  /** Paths below the project's root, with slashes. */
  files: { path: string; bytes: Buffer }[];
  metadata: {
    name: string;
    entrypoint_path: string;
    import_map_path: string;
    static_patterns: string[];
    verify_jwt: boolean;
  };
  digest: string;
}

/** All functions with their files. @throws DeployRefused for a missing module */
export function functionUploads(config: Config): FunctionUpload[] {
  return listFunctions(config).flatMap((name) => {
    const definition = findFunction(config, name);
    return definition ? [uploadOf(config, definition)] : [];
  });
}

/** Functions that exist only on the target are kept, unless pruned. */
export async function functionStep(context: StepContext): Promise<Step> {
  const { management, known, prune } = context;
  const uploads = functionUploads(context.config);
  const list = await management.list("/functions");
  // A name stands in the path of the call that removes its function.
  const unsafe = list.filter(({ slug }) => typeof slug !== "string" || !SLUG.test(slug));
  if (unsafe.length > 0) {
    const names = unsafe.map(({ slug }) => JSON.stringify(slug)).join(", ");
    throw new DeployRefused([`The Management API names functions that cannot be: ${names}.`]);
  }
  const present = new Map(list.map((one) => [String(one.slug), one]));
  const due = uploads.filter(({ name, digest, metadata }) => {
    const there = present.get(name);
    const before = known.functions[name];
    return !(
      there &&
      before?.digest === digest &&
      before.version === there.version &&
      there.verify_jwt === metadata.verify_jwt
    );
  });
  const own = new Set(uploads.map(({ name }) => name));
  const foreign = [...present.keys()].filter((slug) => !own.has(slug));
  const words = ({ name, metadata }: FunctionUpload) =>
    `${present.has(name) ? "replace" : "deploy"} the function ${name}${metadata.verify_jwt ? "" : " (callable without a token)"}`;
  return {
    name: "functions",
    changes: [...due.map(words), ...(prune ? foreign.map((slug) => `remove the function ${slug}`) : [])],
    warnings:
      prune || foreign.length === 0
        ? []
        : [`Only on the target, and left there: ${foreign.join(", ")} (--prune removes them).`],
    undo: "Check out the commit that was deployed before (supabase_migrations.deploys on the target names it) and deploy its functions: supabase functions deploy --use-api.",
    apply: async (done) => {
      const answers: Record<string, unknown>[] = [];
      // Nothing is activated before all of them have been bundled.
      for (const upload of due) answers.push(await send(context, upload));
      if (answers.length > 0) {
        const live = await management.object("PUT", "/functions", answers.map(withoutTimes));
        const functions = Array.isArray(live.functions) ? live.functions.filter(isRecord) : [];
        for (const upload of due) {
          const version = functions.find(({ slug }) => slug === upload.name)?.version;
          if (typeof version === "number") known.functions[upload.name] = { digest: upload.digest, version };
          done(words(upload));
        }
      }
      for (const slug of prune ? foreign : []) {
        await management.call("DELETE", `/functions/${slug}`);
        delete known.functions[slug];
        done(`remove the function ${slug}`);
      }
    },
  };
}

async function send({ management }: StepContext, { name, files, metadata }: FunctionUpload) {
  const form = new FormData();
  for (const { path, bytes } of files) {
    form.append("file", new Blob([new Uint8Array(bytes)], { type: "application/octet-stream" }), path);
  }
  form.append("metadata", JSON.stringify(metadata));
  return management.object(
    "POST",
    `/functions/deploy?slug=${encodeURIComponent(name)}&bundleOnly=true`,
    form,
  );
}

/** The activation request takes the upload responses without their activation times. */
function withoutTimes({ updated_at: _updated, ...answer }: Record<string, unknown>): Record<string, unknown> {
  return answer;
}

function uploadOf(config: Config, definition: FunctionDefinition): FunctionUpload {
  const map = definition.importMap?.path;
  if (map !== undefined && !existsSync(map))
    throw new DeployRefused([
      `The import_map of the function ${definition.name}, ${inProject(config, map)}, does not exist.`,
    ]);
  const { files: modules, maps, missing } = modulesOf(definition);
  if (missing.length > 0) {
    throw new DeployRefused(
      missing.map((file) => `The function ${definition.name} imports ${file}, which is not there.`),
    );
  }
  const { importMap, packageJson } = definition;
  if (importMap?.shared) {
    throw new DeployRefused([
      `The function ${definition.name} takes its imports from ${inProject(config, importMap.path)}, which is for development only: put a deno.json with them into ${inProject(config, dirname(definition.entry))}.`,
    ]);
  }
  const patterns = config.functions[definition.name]?.static_files ?? [];
  const statics = patterns.flatMap((pattern) =>
    glob(pattern, config.supabaseFolder)
      .map((file) => resolve(config.supabaseFolder, file))
      // A pattern that matches everything must not include the secrets file.
      .filter((file) => !/^\.env(\.|$)/.test(basename(file))),
  );
  const paths = new Set([...maps, ...(packageJson ? [packageJson] : []), ...statics, ...modules]);
  const files = [...paths].map((path) => ({ path: inProject(config, path), bytes: readFileSync(path) }));
  const metadata = {
    name: definition.name,
    entrypoint_path: inProject(config, definition.entry),
    import_map_path: importMap ? inProject(config, importMap.path) : "",
    static_patterns: patterns.map((pattern) => inProject(config, join(config.supabaseFolder, pattern))),
    verify_jwt: definition.verifyJwt,
  };
  const hash = createHash("sha256").update(JSON.stringify(metadata));
  for (const { path, bytes } of files) hash.update(path).update("\0").update(bytes).update("\0");
  return { name: definition.name, files, metadata, digest: hash.digest("hex") };
}

function inProject(config: Config, path: string): string {
  const inside = relative(config.projectFolder, path);
  if (inside.startsWith("..")) {
    throw new DeployRefused([
      `${path} is outside of the project, so it cannot be deployed with a function. ` +
        "Copy it to supabase/functions/_shared and import it from there, or import a published package.",
    ]);
  }
  return inside.split(sep).join("/");
}
