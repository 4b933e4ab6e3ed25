/** Owns the shape of a request's explanation, which `--json` prints. */
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import type { FilterVerdict } from "./asked-tables.ts";
import type { Access, Command } from "./database/before-policies.ts";
import type { Sentence } from "./verdicts.ts";
import type { Explained } from "./why.ts";
import type { WriteExplanation } from "./writes.ts";

/** One table of a request. */
export interface TableExplanation {
  /** The embeds that lead to it, e.g. `plan_members`; undefined for the request's own table. */
  embed?: string;
  /** Which rows, where a request that is not REST's asks a table several questions. */
  about?: string;
  table: QualifiedName;
  /** The columns that name a row: the primary key's, or of a view those of a table that it reads. */
  key?: string[];
  command: Command;
  access: Access;
  /** The row that was asked for by `row`: whether it is there, and which filters it meets. */
  row?: { key: string; exists: boolean; filters: FilterVerdict[] };
  /** Absent where grants refuse the request. */
  explained?: Explained;
  /** Set for a view: the tables that it reads, and as whom. */
  view?: ViewReading;
  /** Set for a write: its rules, one by one. */
  write?: WriteExplanation;
  /** The page that a read asks for. */
  page?: { limit?: number; offset: number };
  /** Whether rows of the table above are left out when they have none of this one. */
  inner?: boolean;
}

/** How changes of a table reach Realtime. */
export interface Delivery {
  /** Whether there is a publication `supabase_realtime`. */
  publication: boolean;
  /** Whether the table is in it. */
  published: boolean;
  actions: string[];
  /** The publication's condition for the table's rows. */
  rowFilter: string | null;
  /** The columns that are published; empty for all. */
  columns: string[];
  replicaIdentity: "default" | "full" | "index" | "nothing";
  /** The columns that identify a row in the log. */
  identity: string[];
  /** The primary key. */
  key: string[];
}

/** The statements that ran inside a function. */
export interface CallExplanation {
  function: QualifiedName;
  /** Whether it runs with its owner's rights. */
  definer: boolean;
  owner: string;
  /** The statements that read tables, in the order of their ends; none where it was not run. */
  inside: InsideStatement[];
}

export interface InsideStatement {
  text: string;
  /** Absent for one that only ran without row security. */
  rows?: number;
  withoutRowSecurity: number;
}

export interface Explanation {
  asked: { method: string; path: string; role: string; user?: string };
  /** What a person can act on; the most important first. */
  sentences: Sentence[];
  tables: TableExplanation[];
  /** Set for an event. */
  delivery?: Delivery;
  /** Set for a function's call. */
  call?: CallExplanation;
  /** How today's rows differ from those of the recorded request. */
  changed?: string;
}

/** The sentences as they are printed. @param named what stands for an option of the command; the option itself by default */
export function sentenceTexts(
  { sentences, changed }: Pick<Explanation, "sentences" | "changed">,
  named: (option: string) => string = (option) => option,
): string[] {
  const told = sentences.map(({ text, further }) =>
    further ? `${text} With ${named(further.option)} ${further.does}` : text,
  );
  return changed === undefined ? told : [...told, changed];
}

/** The rows of a table that were judged, with the words for which they are, and those of tables that a view reads. */
export function judgedRows({ explained, write, view }: TableExplanation): {
  rows?: string;
  table?: QualifiedName;
  explained: Explained;
}[] {
  const { seen, before, after, returned, replaced } = write ?? {};
  const ofWrite: [string, Explained | undefined][] = [
    ["rows as SELECT sees them", seen],
    ["rows before", before],
    ["rows after", after],
    ["rows after, as SELECT sees them", returned],
    ["rows there already, as SELECT sees them", replaced?.seen],
    ["rows there already, as UPDATE sees them", replaced?.before],
    ["what they become", replaced?.after],
    ["what they become, as SELECT sees it", replaced?.returned],
  ];
  return [
    ...(explained ? [{ explained }] : []),
    ...ofWrite.flatMap(([rows, one]) => (one ? [{ rows, explained: one }] : [])),
    ...(view?.tables ?? []),
  ];
}

export interface ViewReading {
  invoker: boolean;
  owner: string;
  /** A table that the role may not read. */
  refused?: { table: QualifiedName; role: string; access: Access };
  /** The error that reading it raises. */
  error?: string;
  /** Why its rows were not counted. */
  cut?: string;
  /** The rows that meet the request, up to 1,000, as the caller and without row security. */
  rows?: number;
  withoutRowSecurity?: number;
  /** The tables, each judged as the role that the view reads with; the first 1,000 rows that the view asks for. */
  tables: { table: QualifiedName; explained: Explained }[];
}
