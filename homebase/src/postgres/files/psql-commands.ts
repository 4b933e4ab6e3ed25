/**
 * Owns the commands of psql that a project's files may have: `\i` and `\ir`, and `\copy … from`, which becomes a COPY
 * with its data. They read files of the repository only, links resolved. Other commands stay, and Postgres refuses them.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Config } from "../../config/config.ts";
import { firstWord, positionOf, splitStatements } from "../statements/split.ts";
import { UnreadableFile } from "./errors.ts";
import { type Piece, placeIn, type SqlFile } from "./sql-file.ts";

const INCLUDE = /^\\(i|ir|include|include_relative)\s+(?:'((?:[^']|'')+)'|(\S+))$/;
const COPY = /^\\copy\s+(.+?)\s+from\s+(?:(program)\s.*|(p?stdin)\b|'((?:[^']|'')+)'|([^\s;']+))\s*(.*)$/i;
const MOST_FILES_WITHIN = 16;

/** The file with its commands carried out. @param read reads a file by its path. @throws UnreadableFile */
export function withPsqlCommands(
  config: Config,
  file: SqlFile,
  read: (path: string) => SqlFile,
  depth = 0,
): SqlFile {
  if (!/^\s*\\(?:i|copy)/im.test(file.sql)) return file;
  if (depth > MOST_FILES_WITHIN)
    throw new UnreadableFile(file.path, "Its \\i leads to itself, or through more than 16 files.");
  const pieces: Piece[] = [];
  let sql = "";
  let from = 0;
  const keepUntil = (end: number) => {
    const start = from;
    pieces.push({ from: sql.length, place: (offset) => positionOf(file.sql, start + offset) });
    sql += file.sql.slice(from, end);
  };
  for (const statement of splitStatements(file.sql)) {
    const at = firstWord(statement);
    const command = statement.text.slice(at - statement.offset);
    if (!command.startsWith("\\")) continue;
    const place = positionOf(file.sql, at);
    /** The repository's file of a name. Scripts are run from the project's folder, from `supabase/` or beside their files. */
    const open = (name: string, folders: readonly string[]) => {
      const beside = join(config.projectFolder, dirname(file.path));
      const path = [...folders, beside].map((folder) => join(folder, name)).find((one) => existsSync(one));
      if (path === undefined)
        throw new UnreadableFile(
          file.path,
          `Line ${place.line}: there is no ${name}, which \\${command.split(/\s/, 1)[0]?.slice(1)} names.`,
        );
      return read(path);
    };
    const everywhere = [config.projectFolder, config.supabaseFolder];
    const include = INCLUDE.exec(command);
    const [, table = "", program, standard, quoted, bare, options = ""] = COPY.exec(command) ?? [];
    if (!include && table === "") continue;
    if (program)
      throw new UnreadableFile(
        file.path,
        `Line ${place.line}: \\copy from a program runs commands of the shell, which a project's file may not.`,
      );
    keepUntil(at);
    from = statement.offset + statement.text.length;
    const copy = `copy ${table} from stdin ${options.replace(/;$/, "")}`.trimEnd();
    const add = (text: string, inner?: Piece["inner"]) => {
      pieces.push({ from: sql.length, place: () => place, ...(inner ? { inner } : {}) });
      sql += text;
    };
    if (standard) add(`${copy};`);
    else if (include) {
      const other = open(unquoted(include[2], include[3]), include[1]?.includes("r") ? [] : everywhere);
      const whole = withPsqlCommands(config, other, read, depth + 1);
      add(ended(whole.sql), (offset) => {
        const { inner, line, column } = placeIn(whole, offset);
        return inner ?? `${whole.path}:${line}:${column}`;
      });
    } else {
      const data = open(unquoted(quoted, bare), everywhere);
      add(`${copy};\n`);
      add(
        data.sql.replace(/\n?$/, "\n\\.\n"),
        (offset) => `${data.path}:${positionOf(data.sql, offset).line}`,
      );
    }
  }
  keepUntil(file.sql.length);
  return { path: file.path, sql, pieces };
}

const unquoted = (quoted: string | undefined, bare = "") => quoted?.replaceAll("''", "'") ?? bare;

/** A file's statements end with it, also where its last line lacks the semicolon or the end of a COPY's data. */
function ended(sql: string): string {
  if (splitStatements(sql).at(-1)?.data === undefined) return `${sql}\n;`;
  return /\n\\\.\s*$/.test(sql) ? sql : `${sql}\n\\.\n`;
}
