/** Owns making one migration of many: the difference between an empty project and what the many make. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import type { ClusterClient } from "../../postgres/cluster/cluster-client.ts";
import { type Migration, readMigrations } from "../../postgres/files/project-files.ts";
import { replacesHeader } from "../../postgres/files/squashed-migrations.ts";
import { written } from "../../postgres/migrations.ts";
import { firstWord, positionOf, splitStatements } from "../../postgres/statements/split.ts";
import { schemaSteps } from "../schema-steps.ts";
import { withShadow } from "../shadow.ts";
import { migrationOf, writeMigration } from "./new-migration.ts";

/** The files cannot be squashed; the message says why. Nothing was changed. */
export class SquashRefused extends Error {}

export interface Squashed {
  /** What the many became: usually one. More, where a part needs what another has committed. */
  files: Migration[];
  /** The files that are gone. */
  removed: Migration[];
  /** Statements that write rows, which a schema does not hold: `path: first line`. */
  dataStatements: string[];
}

/** A statement about the whole server or the database itself: a comparison of two databases of one server does not see its effect. */
const OF_SERVER =
  /^(?:(?:create|alter|drop)\s+(?:role|user|group)\b|alter\s+database\b|comment\s+on\s+role\b|(?:grant|revoke)\s+(?:(?!\bon\b)[^;])*\b(?:to|from)\b)/i;
const OF_SERVER_WITHIN = /\b(?:(?:create|alter|drop)\s+(?:role|user|group)\b|alter\s+database\b)/i;
/** What a block does besides would happen a second time. */
const OF_SCHEMA =
  /\b(?:(?:create|alter|drop)\s+(?!role\b|user\b|group\b|database\b)[a-z]|insert\s+into|update\s+\S+\s+set|delete\s+from|truncate\b|(?:grant|revoke)\b[^;]*\bon\b)/i;

const WRITES_ROWS = /^(insert|update|delete|merge|copy|truncate|call|do|with|select)\b/i;

/**
 * Squashes the migrations up to a version (all without one), proves that the result makes the same schema, and
 * writes it. @throws SquashRefused, ProjectFileError
 */
export async function squash(cluster: ClusterClient, config: Config, upTo?: string): Promise<Squashed> {
  const all = readMigrations(config);
  const last = upTo === undefined ? all.length - 1 : all.findIndex(({ version }) => version === upTo);
  if (upTo !== undefined && last < 0) throw new SquashRefused(`There is no migration of version ${upTo}.`);
  const old = written(all.slice(0, last + 1));
  const newest = old.at(-1);
  if (!newest || old.length < 2) throw new SquashRefused("There are fewer than two migrations to squash.");
  const ofServer = old.flatMap(serverStatements);
  const files = await withShadow(cluster, config, "many", old, async (many) => {
    const diff = await schemaSteps(cluster, config, [], many);
    // Settings are carried over, and queues are made by statements that are listed as rows.
    const unstated = diff.notStated.filter(({ kind }) => kind === "extension");
    const lost = [...diff.notCompared, ...unstated.map(({ text }) => text)];
    if (lost.length > 0) {
      throw new SquashRefused(
        `Some objects would be lost, because they are not compared:\n${lost.join("\n")}\nUse the Supabase CLI: npx supabase migration squash`,
      );
    }
    if (diff.missing !== "") {
      throw new SquashRefused(
        `The squashed migration would not produce the same schema. It lacks:\n${diff.missing}`,
      );
    }
    const moved = [...diff.order.created, ...diff.order.altered];
    if (moved.length > 0) throw new SquashRefused(moved.join("\n"));
    const versions = old.slice(-diff.parts.length).map(({ version }) => version);
    if (diff.parts.length === 0) throw new SquashRefused("The migrations create nothing.");
    if (versions.length < diff.parts.length)
      throw new SquashRefused("The parts need more versions than there are.");
    // Each part names all: they stand for the old files only together.
    const header = replacesHeader(old.map(({ version }) => version));
    return diff.parts.map((sql, index) => {
      const own = index === diff.parts.length - 1 ? newest.name : `${newest.name}_${index + 1}`;
      const first = index === 0 ? ofServer.map((text) => `${text};\n\n`).join("") : "";
      return migrationOf(config, versions[index] ?? "", own, `${header}\n${first}${sql}\n`);
    });
  });
  const newPaths = new Set(files.map(({ path }) => path));
  for (const file of files) writeMigration(config, file);
  const removed = old.filter(({ path }) => !newPaths.has(path));
  for (const { path } of removed) rmSync(join(config.projectFolder, path));
  return { files, removed, dataStatements: old.flatMap(dataStatements) };
}

/**
 * Statements about roles and the database's settings, as they stand.
 * @throws SquashRefused for a block that does something else besides.
 */
function serverStatements({ path, sql }: Migration): string[] {
  return splitStatements(sql).flatMap((statement) => {
    const text = statement.text.slice(firstWord(statement) - statement.offset).trim();
    if (!/^do\b/i.test(text)) return OF_SERVER.test(text) ? [text] : [];
    if (!OF_SERVER_WITHIN.test(text)) return [];
    if (!OF_SCHEMA.test(text)) return [text];
    const { line } = positionOf(sql, firstWord(statement));
    throw new SquashRefused(
      `${path}:${line}: the block is about roles or the database's settings, and does something else too. Write the first as statements of their own, which are carried over.`,
    );
  });
}

function dataStatements({ path, sql }: Migration): string[] {
  return splitStatements(sql)
    .map((statement) => statement.text.slice(firstWord(statement) - statement.offset))
    .filter((text) => WRITES_ROWS.test(text) && !OF_SERVER_WITHIN.test(text))
    .map((text) => `${path}: ${text.split("\n", 1)[0]}`);
}
