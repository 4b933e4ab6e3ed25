/** Owns the messages about the database's changes: as text for a terminal, and as JSON. */
import type { Notice } from "../../../developer/notices.ts";
import type { WeakExtension } from "../../../postgres/extensions/uses.ts";
import { SqlFileError } from "../../../postgres/files/errors.ts";
import { PartlyApplied, replacementWords } from "../../../postgres/files/squashed-migrations.ts";
import { unmatchedSeed } from "../../kit/project-report.ts";
import { paint } from "../../kit/terminal.ts";

export function noticeJson(notice: Notice): unknown {
  if (notice.kind !== "failed") return notice;
  const { error, later, unprotected } = notice;
  return { kind: "failed", description: error.describe(), ...error.problem(), later, unprotected };
}

export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case "applied":
      return `${paint("green", "Applied")} ${listed(notice.files)}`;
    case "seeded":
      return `${paint("green", "Seeded")} from ${notice.files.join(", ")}`;
    case "failed": {
      const { error } = notice;
      if (error instanceof PartlyApplied) return `${paint("red", "Not applied")}\n${error.describe()}`;
      // For a file with statements that cannot share a transaction, the error says what stays applied.
      const whole = error instanceof SqlFileError && error.partial;
      const state = whole ? "" : "The database is as it was before this file. ";
      const waiting =
        notice.later.length > 0
          ? `Not applied because of it: ${listed(notice.later)}${notice.seed ? ", and the seed" : ""}. Every file that fails: homebase doctor --migrations\n`
          : "";
      const retry = /^supabase.migrations.[^/\\]+$/.test(error.file)
        ? "Save it again to retry."
        : "Fix it, then run: homebase migrate.";
      const open =
        notice.unprotected.length > 0
          ? `\n${paint("yellow", "Open to anyone with the publishable key, without row level security:")} ${listed(notice.unprotected, "tables")}`
          : "";
      return `${paint("red", "Not applied")}\n${error.describe()}\n${waiting}${state}${retry}${open}`;
    }
    case "extensions":
      return notice.uses
        .map(
          ({ name, class: kind, differs, file, line }) =>
            `${paint("yellow", `${file}:${line}: ${name} is ${CLASSES[kind]}`)}${differs ? `: ${differs}` : ""}`,
        )
        .join("\n");
    case "differs":
      return [
        paint("yellow", "Hosted projects treat these statements differently:"),
        ...notice.differences.map(({ file, statement, hosted }) => `  ${file}: ${statement}\n    ${hosted}`),
      ].join("\n");
    case "skipped":
      return [
        paint("yellow", "Not applied, as the Supabase CLI does not apply them:"),
        ...notice.files.map(({ path, reason }) => `  ${path}: ${reason}`),
      ].join("\n");
    case "unmatched":
      return notice.patterns.map((pattern) => paint("yellow", unmatchedSeed(pattern))).join("\n");
    case "exposure":
      return (
        "The API's roles have every privilege on new tables in public, because the configuration does not set\n" +
        "  [api] auto_expose_new_tables. New hosted projects grant none: with false your migrations grant them."
      );
    case "edited":
      return (
        `${paint("yellow", "Edited after it was applied:")} ${notice.files.join(", ")}\n` +
        "  The database still has the earlier version. Either put the change into a new migration, or run\n" +
        "  homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "removed":
      return (
        `${paint("yellow", "Applied, but the file is gone:")} ${notice.versions.join(", ")}\n` +
        "  Restore the file, or run homebase reset (your rows are lost), or remove the version from the history:\n" +
        `  homebase migration repair --status reverted ${notice.versions.join(" ")}`
      );
    case "held":
      return (
        `${paint("yellow", "After the version of the last reset, and not applied:")} ${listed(notice.files)}\n` +
        "  Apply them: homebase migrate"
      );
    case "replaced":
      return `${paint("green", "Recorded")} ${replacementWords(notice.file, notice.versions)}`;
    case "locked-out":
      return (
        `${paint("yellow", "Settings of the database that keep everybody out of it were reset:")}\n` +
        `${notice.statements.map((one) => `  ${one}`).join("\n")}\n` +
        "  Remove these statements from your files: on a hosted project they lock you out as well."
      );
    case "disabled":
      return (
        `${paint("yellow", "These objects of the database would act with rights that the project does not have, and were disabled:")}\n` +
        `${notice.objects.map((one) => `  ${one}`).join("\n")}\n` +
        "  An event trigger on login fires in the stack's own sessions. A wrapper needs the validator of the extension that\n" +
        "  its handler is from: drop it and create it again."
      );
    case "ports":
    case "other-branch":
      return paint("yellow", notice.text);
    case "port-wait":
      return paint(
        "yellow",
        `Port ${notice.port} (${notice.purpose}) is still kept by the system for a closed connection (TIME-WAIT); it is free in ${notice.seconds} s at the latest.`,
      );
    case "objects":
      return (
        `${paint("yellow", `The stored files are missing: ${notice.path}`)}\n` +
        `  ${notice.rows} ${notice.rows === 1 ? "object has a row" : "objects have rows"} in storage.objects and no bytes; a request for them answers that they are missing.\n` +
        "  Restore the folder and start again; or homebase storage check lists them; or homebase reset (rebuilds\n" +
        "  everything from the files, your rows are lost)."
      );
    case "upgraded":
      return `${paint("green", "Brought the database up to date")} (${notice.steps.join(", ")}). Your rows are unchanged.`;
    case "vault-key":
      return (
        `${paint("yellow", `The key of Vault is missing or damaged: ${notice.path}`)}\n` +
        `  ${notice.secrets} ${notice.secrets === 1 ? "secret" : "secrets"} in vault.secrets cannot be read without it, and new ones cannot be stored.\n` +
        "  Restore the file and start again; or delete from vault.secrets and start again (a new\n" +
        "  key is created); or run homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "reset-finished":
      return `${paint("yellow", "A reset had been interrupted;")} it is finished now.`;
    case "restore-undone":
      return `${paint("yellow", `Interrupted: ${notice.by}.`)} Database and files are those from before it.`;
    case "restarted":
      return `${paint("yellow", notice.reason)} It was started again.`;
  }
}

/** Explains the classes of docs/compat/extensions.md in a sentence. */
const CLASSES: Record<WeakExtension["class"], string> = {
  "stand-in": "emulated by Homebase",
  inert: "inert: its library is not available",
  refused: "not part of Homebase",
};

/** Lists a few by name, many by their number and first and last. */
function listed(files: readonly string[], what = "files"): string {
  if (files.length <= 3) return files.join(", ");
  return `${files.length} ${what}, ${files[0]} to ${files.at(-1)}`;
}
