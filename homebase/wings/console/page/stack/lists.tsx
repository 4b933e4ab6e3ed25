/** Owns the lists of migrations, values of config.toml, functions and extensions. */
import type { ConfigValue, MigrationState, StackFunction } from "../../server/api.ts";
import { goTo, pathOfFilter } from "../app/address.ts";
import { Button } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { duration, length } from "../parts/words.ts";
import type { ListingOf } from "./listing.tsx";

export const MIGRATIONS: ListingOf<"migrations"> = {
  call: "migrations",
  title: "Migrations",
  one: "migration",
  columns: ["version", "name", "state"],
  rows: ({ migrations }) =>
    migrations.map((migration) => {
      const { version, name, state, file, problem } = migration;
      const command = commandOf(migration);
      const text = `${state}${lineOf(problem, " at line ")}${problem ? `: ${problem.message}` : ""}`;
      const place = `${file}${lineOf(problem, ":")}`;
      return {
        title: `${version} ${name}`.trim(),
        cells: [version || "–", name, text],
        ...(state === "applied" ? {} : { marks: { 2: state === "failed" ? "shut" : "part" } as const }),
        facts: [["file", file === undefined ? "none: the history alone has it" : place]],
        details: (
          <>
            {problem?.advice !== undefined && <p>{problem.advice}</p>}
            {problem?.statement !== undefined && <pre>{problem.statement}</pre>}
            {command !== undefined && <Command text={command} />}
          </>
        ),
      };
    }),
  notes: ({ migrations, problem }) => {
    const count = (...states: MigrationState["state"][]) =>
      migrations.filter(({ state }) => states.includes(state)).length;
    const waiting = count("failed", "not applied", "older than an applied one");
    const failed = migrations.find(({ state }) => state === "failed");
    return (
      <>
        {problem && <Alert text={`${problem.file}${lineOf(problem, " line ")}: ${problem.message}`} />}
        {waiting > 0 && (
          <p className={failed ? "mark shut" : "mark part"}>
            {count("applied", "no file")} applied, {waiting} not
            {failed?.problem &&
              `: ${failed.version}${lineOf(failed.problem, " line ")}: ${failed.problem.message}`}
          </p>
        )}
      </>
    );
  },
  empty: (
    <>
      <p>No migrations yet.</p>
      <Command text="npx homebase migration new NAME" />
    </>
  ),
};

/** The line of a problem that has one. */
function lineOf(problem: MigrationState["problem"], before: string): string {
  return problem?.line === undefined ? "" : `${before}${problem.line}`;
}

function commandOf({ state, version }: MigrationState): string | undefined {
  if (state === "no file") return `npx homebase migration repair ${version} --status reverted`;
  return state === "applied" || state === "skipped" ? undefined : "npx homebase migrate";
}

function Command({ text }: { text: string }) {
  return (
    <div className="links">
      <pre>{text}</pre>
      <Copy text={text} label="Copy" />
    </div>
  );
}

export const CONFIG: ListingOf<"config"> = {
  call: "config",
  title: "Config",
  one: "value",
  columns: ["key", "value", "from"],
  rows: (values) =>
    values.map((one) => ({
      title: one.key,
      cells: [one.key, one.value, originOf(one)],
      facts: [],
      details: (
        <>
          <p className="note">
            A start reads the configuration; what is changed in it is in force after the next. Secrets and
            texts that env() names are never shown here.
          </p>
          <Command text="npx homebase stop && npx homebase start" />
        </>
      ),
    })),
  empty: <p>There are no values.</p>,
};

function originOf({ file, line, variable, moved }: ConfigValue): string {
  const from = [
    ...(variable === undefined ? [] : [line === undefined ? variable : `env(${variable})`]),
    ...(line === undefined ? [] : [`${file}:${line}`]),
  ];
  const place = from.length === 0 ? "default" : from.join(", ");
  return moved === undefined ? place : `${place}, moved by ${moved}`;
}

export const FUNCTIONS: ListingOf<"functions"> = {
  call: "functions",
  title: "Functions",
  one: "function",
  columns: ["function", "state", "token", "last call"],
  rows: (functions) =>
    functions.map((one) => ({
      title: one.name,
      cells: [one.name, one.state, one.verifyJwt ? "required" : "not checked", lastCall(one)],
      marks: one.last && one.last.status >= 500 ? { 3: "shut" } : {},
      facts: [["file", one.file]],
      actions: (
        <Button
          label="Show its calls"
          onClick={() => goTo(pathOfFilter(`service:functions function:${one.name}`))}
        />
      ),
    })),
  empty: (
    <>
      <p>No functions yet.</p>
      <Command text="npx homebase functions new hello" />
    </>
  ),
};

function lastCall({ last }: StackFunction): string {
  if (!last) return "none that is kept";
  return `${last.status}, ${length(last.ms)} ms, ${duration(Date.now() - last.at)} ago`;
}

const CLASSES = {
  real: "the extension itself",
  "stand-in": "reimplemented: the same objects and results, sufficient for development",
  inert: "it can be created, granted on and dropped; its functions fail with an explanation",
  refused: "creating it fails with an explanation",
} as const;

export const EXTENSIONS: ListingOf<"extensions"> = {
  call: "extensions",
  title: "Extensions",
  one: "extension",
  columns: ["extension", "version", "class", "differs"],
  rows: (extensions) =>
    extensions.map(({ name, version, class: kind, differs }) => ({
      title: name,
      cells: [name, version, kind, differs || "–"],
      marks: kind === "real" ? {} : { 2: "part" },
      facts: [["that is", CLASSES[kind]]],
    })),
  empty: <p>The database has no extensions.</p>,
};
