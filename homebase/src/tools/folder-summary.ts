/** Owns what is wrong with a project's folder in a few lines: each fault once, with all that it is about. */
import { type FileProblem, movesText } from "../postgres/files/errors.ts";
import type { UsedInBody } from "./used-in-bodies.ts";

const MOST_NAMES = 8;
const MOST_LINES = 10;

/** @param failing the files that cannot be applied, in the order in which they run */
export function summaryOf(failing: readonly FileProblem[]): string[] {
  const of = (fault: FileProblem["fault"]) => failing.filter((one) => one.fault === fault);
  const nowhere = of("created-nowhere");
  const roles = nowhere.filter(({ object }) => object?.kind === "role");
  const following = of("follows").length;
  const lines = [
    about(
      nowhere.filter((one) => !roles.includes(one)),
      "missing",
      "made in a dashboard or by another tool: homebase db dump --db-url URL has them",
      kindAndName,
    ),
    about(roles, "missing", "create role in supabase/roles.sql", kindAndName),
    about(
      of("extension-missing"),
      "created by no earlier file",
      "create extension if not exists",
      kindAndName,
    ),
    about(of("not-a-migration"), "created by no migration", "move the statements into one", nameAndCreator),
    about(of("created-twice"), "created twice", "remove one of the two, or guard the second"),
    ...orders(of("wrong-order")),
    about(of("dropped-before"), "used after a drop or a rename", "write for what is there then"),
    ...others(failing.filter(({ fault }) => fault === undefined)),
    following > 0
      ? `${following} more ${following === 1 ? "file fails" : "files fail"} because of these`
      : undefined,
  ].filter((line) => line !== undefined);
  return lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES - 1), `and ${lines.length - MOST_LINES + 1} more`]
    : lines;
}

/** What only functions use and no file makes, in one line. */
export function usedLines(ones: readonly UsedInBody[]): string[] {
  if (ones.length === 0) return [];
  const texts = ones.map(
    ({ object, function: name, file, line }) =>
      `${objectText(object)} (${name}${file === undefined ? "" : `, ${file}:${line}`})`,
  );
  return [
    `${ones.length === 1 ? "1 object is" : `${ones.length} objects are`} missing that only functions use: ${listed(texts)}. A start does not fail by ${ones.length === 1 ? "it" : "them"}, a call does. Made in a dashboard or by another tool: homebase db dump --db-url URL has them`,
  ];
}

const short = (file: string) => file.replace(/^supabase[\\/]migrations[\\/]/, "");
const nameOf = ({ object, file }: FileProblem) => object?.name ?? short(file);
const kindAndName = (one: FileProblem) => (one.object === undefined ? nameOf(one) : objectText(one.object));

/** An object with its kind, where its name does not say enough. */
export function objectText({ kind, name, table }: NonNullable<FileProblem["object"]>): string {
  if (kind === "relation") return name;
  if (table === undefined) return `${kind} ${name}`;
  return kind === "column" ? `column ${table}.${name}` : `${kind} "${name}" on ${table}`;
}
const nameAndCreator = (one: FileProblem) =>
  one.creator === undefined ? nameOf(one) : `${nameOf(one)} (${one.creator})`;

/** The first of the texts, each once. */
function listed(texts: readonly string[]): string {
  const each = [...new Set(texts)];
  return (
    each.slice(0, MOST_NAMES).join(", ") +
    (each.length > MOST_NAMES ? `, and ${each.length - MOST_NAMES} more` : "")
  );
}

function about(
  ones: readonly FileProblem[],
  fault: string,
  way: string,
  text: (one: FileProblem) => string = nameOf,
): string | undefined {
  const count = new Set(ones.map(text)).size;
  if (count === 0) return undefined;
  return `${count === 1 ? "1 object is" : `${count} objects are`} ${fault}: ${listed(ones.map(text))} (${way})`;
}

/** Which file has to run before which. */
function orders(ones: readonly FileProblem[]): string[] {
  const pairs = ones.flatMap(({ file, creator }) =>
    creator === undefined || creator === file ? [] : `${short(creator)} before ${short(file)}`,
  );
  const inFile = ones.filter(({ file, creator }) => creator === file);
  const inside = inFile.filter(({ moves }) => moves === undefined).map(({ file }) => short(file));
  return [
    ...(pairs.length > 0 ? [`Order these files so: ${listed(pairs)}`] : []),
    ...inFile.flatMap(({ file, moves }) => (moves ? [`In ${short(file)} move ${movesText(moves)}`] : [])),
    ...(inside.length > 0 ? [`Statements are in the wrong order in ${listed(inside)}`] : []),
  ];
}

/** Errors that are no fault of the folder as a whole: what Postgres says, and where. */
function others(ones: readonly FileProblem[]): string[] {
  const place = ({ file, line }: FileProblem) => `${short(file)}${line === undefined ? "" : `:${line}`}`;
  return [...Map.groupBy(ones, ({ message }) => message)].map(
    ([message, alike]) => `${listed(alike.map(place))}: ${message}`,
  );
}
