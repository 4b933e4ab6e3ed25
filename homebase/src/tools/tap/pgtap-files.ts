/** Owns pgTAP files: which there are, and what of psql's own commands in them is understood. */

import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Config } from "../../config/config.ts";
import { repositoryOf, staysWithin } from "../../config/project-paths.ts";
import { glob } from "../../core/glob.ts";
import { UserError } from "../../core/user-error.ts";
import {
  type FileStatement,
  firstWord,
  positionOf,
  splitStatements,
} from "../../postgres/statements/split.ts";
import { AT_RUN, ENDS_QUERY } from "./psql.ts";

export interface TapFile {
  /** Relative to the project's folder. */
  path: string;
  sql: string;
  /** Whether a line `-- coverage: off` says that it reads the text or the plans of policies. */
  plain: boolean;
}

const PLAIN = /^-- coverage: off\s*$/m;

/** A file cannot be read as SQL; the message names file and line. */
export class TapFileError extends UserError {}

/**
 * Files that end in `.sql` or `.pg` below each path, by name. Without a path: of supabase/tests, which may be missing.
 * @throws TapFileError for a path that is not there.
 */
export function findTapFiles({ projectFolder, supabaseFolder }: Config, paths: readonly string[]): TapFile[] {
  const usual = join(supabaseFolder, "tests");
  if (paths.length === 0 && !existsSync(usual)) return [];
  const found = new Set<string>();
  for (const path of paths.length > 0 ? paths : [usual]) {
    const place = resolve(projectFolder, path);
    const stat = statSync(place, { throwIfNoEntry: false });
    if (!stat) throw new TapFileError(`There is no ${relative(projectFolder, place)}.`);
    if (!stat.isDirectory()) found.add(place);
    else {
      for (const one of glob("**/*.{sql,pg}", place).sort()) {
        const file = join(place, one);
        if (!staysWithin(repositoryOf(projectFolder), file) && !staysWithin(realpathSync(place), file)) {
          throw new TapFileError(
            `${relative(projectFolder, file)} is a link to a file outside of this repository.`,
          );
        }
        found.add(file);
      }
    }
  }
  return [...found].map((place) => {
    const path = relative(projectFolder, place);
    const sql = plainSql(projectFolder, place, path);
    return { path, sql, plain: PLAIN.test(sql) };
  });
}

/** Commands of psql that only change what psql prints. */
const QUIET =
  /^\\(set\s+(QUIET|ON_ERROR_\w+|ECHO\w*|VERBOSITY)\b|unset\s+(QUIET|ON_ERROR_\w+|ECHO\w*|VERBOSITY)\b|(pset|echo|qecho|warn|timing|encoding|errverbose|conninfo|d\w*[+S]*|t|a|x|H|C|f|T)(\s|$))/;
const INCLUDE = /^\\(i|ir|include|include_relative)\s+(\S+)\s*$/;
/** Commands that follow a condition on its line. */
const ON_ONE_LINE = /^[ \t]*\\(?:if|elif|else|endif)\b.*\\.*$/gm;
const NEXT_COMMAND = /[ \t]+(?=\\(?:if|elif|else|endif|quit|q|echo|warn|set|i|ir)\b)/g;

/** A file with psql's `\i` and `\ir` carried out and what only changes its output left out. @throws TapFileError */
function plainSql(root: string, place: string, path: string): string {
  const sql = readFileSync(place, "utf8")
    .replace(/^\uFEFF/, "")
    .replace(ENDS_QUERY, "$&;")
    .replace(ON_ONE_LINE, (line) => line.replace(NEXT_COMMAND, "\n"));
  let text = "";
  let from = 0;
  for (const statement of splitStatements(sql)) {
    const at = firstWord(statement);
    const command = statement.text.slice(at - statement.offset);
    if (!command.startsWith("\\") || (AT_RUN.test(command) && !QUIET.test(command))) continue;
    text += sql.slice(from, at);
    from = statement.offset + statement.text.length;
    if (QUIET.test(command)) continue;
    const { line } = positionOf(sql, at);
    const include = INCLUDE.exec(command);
    if (!include) {
      throw new TapFileError(
        `${path}:${line}: ${command.trim()} is a command of psql that is not built here. Use the Supabase CLI: npx supabase test db`,
      );
    }
    const name = (include[2] ?? "").replace(/^'(.*)'$/, "$1");
    const folder = include[1]?.includes("r") && include[1] !== "include" ? dirname(place) : process.cwd();
    const other = resolve(folder, name);
    if (!statSync(other, { throwIfNoEntry: false })) {
      throw new TapFileError(`${path}:${line}: there is no ${name}.`);
    }
    if (!isInside(root, other)) {
      throw new TapFileError(`${path}:${line}: ${name} is not in this project's folder, so it is not read.`);
    }
    text += plainSql(root, other, name);
  }
  return text + sql.slice(from);
}

/** Whether an existing file is below a folder, whatever links lead to it. */
function isInside(folder: string, file: string): boolean {
  return !/^\.\.(\/|$)/.test(relative(realpathSync(folder), realpathSync(file)));
}

const OPENS = /^(begin|start\s+transaction)\b/i;
const CLOSES = /^(commit|end|rollback|abort)\b/i;
const HARMLESS = /^(\\[a-z]+|select|set|reset|show|create\s+extension\s+if\s+not\s+exists\s+"?pgtap"?)\b/i;

/**
 * Whether a file leaves something in the database for those after it: it commits, or changes something outside of
 * a transaction. Such files set up what others need (`000-setup-tests-hooks.sql`).
 */
export function commitsChanges(sql: string): boolean {
  let open = false;
  for (const statement of splitStatements(sql)) {
    const words = wordsOf(statement);
    if (OPENS.test(words)) open = true;
    else if (CLOSES.test(words) && !/^rollback\s+to\b/i.test(words)) {
      if (/^(commit|end)\b/i.test(words)) return true;
      open = false;
    } else if (!open && !HARMLESS.test(words)) return true;
  }
  return false;
}

/** A statement without the comments before it. */
function wordsOf(statement: FileStatement): string {
  return statement.text.slice(firstWord(statement) - statement.offset);
}
