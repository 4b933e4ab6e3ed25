/** Owns the words for what happened to the database: as text for a terminal, and as JSON. */
import type { Notice } from "../backend/project-database.ts";
import { SqlFileError } from "../postgres/migrations.ts";
import { paint } from "./terminal.ts";

export function noticeJson(notice: Notice): unknown {
  return notice.kind === "failed" ? { kind: "failed", description: notice.error.describe() } : notice;
}

export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case "applied":
      return `${paint("green", "Applied")} ${listed(notice.files)}`;
    case "seeded":
      return `${paint("green", "Seeded")} from ${notice.files.join(", ")}`;
    case "failed": {
      const { error } = notice;
      // A file with statements that cannot share a transaction says itself what of it stays.
      const whole = error instanceof SqlFileError && error.partial;
      const state = whole ? "" : "The database is as it was before this file. ";
      return `${paint("red", "Not applied")}\n${error.describe()}\n${state}Save it again to retry.`;
    }
    case "edited":
      return (
        `${paint("yellow", "Edited after it was applied:")} ${notice.files.join(", ")}\n` +
        "  The database still has the earlier version. Ways on: put the change into a new migration; or\n" +
        "  homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "removed":
      return (
        `${paint("yellow", "Applied, but the file is gone:")} ${notice.versions.join(", ")}\n` +
        "  Ways on: bring the file back; homebase reset (your rows are lost); or forget the version with\n" +
        `  npx supabase migration repair --status reverted ${notice.versions.join(" ")} --remote=<database URL>`
      );
    case "other-base":
      return (
        `${paint("yellow", "This database was made by another version of Homebase.")}\n` +
        "  What auth, storage and realtime keep in it may lack something that this version needs. Way on:\n" +
        "  homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "vault-key":
      return (
        `${paint("yellow", `The key of Vault is missing or damaged: ${notice.path}`)}\n` +
        `  ${notice.secrets} ${notice.secrets === 1 ? "secret" : "secrets"} in vault.secrets cannot be read without it, and new ones cannot be stored.\n` +
        "  Ways on: put the file back and start again; or delete from vault.secrets and start again (a new\n" +
        "  key is made); or homebase reset (rebuilds everything from the files, your rows are lost)."
      );
    case "reset-finished":
      return `${paint("yellow", "A reset had broken off;")} it is finished now.`;
    case "restarted":
      return `${paint("yellow", notice.reason)} It was started again.`;
  }
}

/** A few files by name, many by their number and ends. */
function listed(files: readonly string[]): string {
  if (files.length <= 3) return files.join(", ");
  return `${files.length} migrations, ${files[0]} to ${files.at(-1)}`;
}
