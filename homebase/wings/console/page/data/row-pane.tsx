/** Owns the details of a row: whether and why the lens gets it, all of its text, and where its keys lead. */
import type { ReactNode } from "react";
import type { Change, DataTable, Lens } from "../../server/api.ts";
import { Button, Plain } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { Alert, AllParts, DetailsPane, Reasons } from "../parts/detail-frame.tsx";
import { Rail } from "../parts/gate-strip.tsx";
import { type Answered, useAnswer } from "../parts/use-answer.ts";
import { counted, readable, shortType } from "../parts/words.ts";
import { lensText, nameOfLens } from "./lens-choice.tsx";
import { goToRows } from "./table-path.ts";

/** A selection that moves on sooner asks nothing. */
const STAYS_MS = 150;

interface RowPaneProps {
  table: DataTable;
  rowKey: readonly string[];
  lens: Lens;
  hidden: boolean;
  /** Counts the reader's own questions for the reasons, and what was saved. */
  asked: number;
  saved: number;
  change: Change | undefined;
  editable: boolean;
  onEdit(column: string, was: string | null): void;
  onDelete(): void;
  onWhy(): void;
  onClose(): void;
}

export function RowPane(props: RowPaneProps) {
  const { table, rowKey, lens, hidden, asked, saved, change, editable } = props;
  const { onDelete, onWhy, onClose, onEdit } = props;
  const as = lensText(lens);
  const { schema, name } = table;
  const { answer, failure, asking } = useAnswer(
    "row",
    { table: { schema, name }, key: [...rowKey] },
    { version: saved },
  );
  const here = asking ? undefined : answer;
  const asks = here?.values !== undefined && lens.kind !== "postgres" && (hidden || asked > 0);
  const reasons = useAnswer(
    "whyRow",
    asks ? { as: lens, table: { schema, name }, key: [...rowKey] } : undefined,
    { delay: STAYS_MS, version: asked },
  );
  const deleted = change?.kind === "delete";
  return (
    <DetailsPane
      of={name}
      title={
        <>
          <i>{name}</i> {table.key.map((key, at) => `${key} ${rowKey[at]}`).join(", ")}
        </>
      }
      aside={
        lens.kind !== "postgres" && (
          <span className={`seen ${hidden ? "mark shut" : ""}`}>
            {hidden ? "hidden from" : "seen by"} {nameOfLens(lens)}
          </span>
        )
      }
      onClose={onClose}
      actions={
        <>
          {lens.kind !== "postgres" && (
            <Button label={hidden || asked > 0 ? "Ask again" : "Say why"} shortcut="y" onClick={onWhy} />
          )}
          {editable && <Button label={deleted ? "Keep the row" : "Delete"} shortcut="d" onClick={onDelete} />}
          {here?.values && here.cut.length === 0 && (
            <Copy
              label="Copy as JSON"
              text={JSON.stringify(
                Object.fromEntries(
                  table.columns.map((column, at) => [column.name, here.values?.[at] ?? null]),
                ),
                null,
                2,
              )}
            />
          )}
        </>
      }
    >
      <Alert text={failure} />
      {here && !here.values && <p className="note">This row is not there any more.</p>}
      {asks && <Verdict {...reasons} />}
      {here?.values && (
        <dl className="values-of">
          {table.columns.map((column, at) => {
            const value = here.values?.[at] ?? null;
            const cut = here.cut.includes(at);
            const staged = change?.kind === "update" ? change.values[column.name] : undefined;
            const shown = staged === undefined ? value : staged;
            // At the last of its columns, where all of them were read.
            const leading = here.references.filter(({ columns }) => columns.at(-1) === column.name);
            return (
              <div key={column.name} className={staged === undefined ? "" : "changed"}>
                <dt>
                  {column.name} <small>{shortType(column.type)}</small>
                </dt>
                <dd>
                  <Value value={shown} />
                  {cut && staged === undefined && (
                    <p className="note">
                      The first {counted(shown?.length ?? 0, "character")} of it. Export has all.
                    </p>
                  )}
                  {staged === undefined &&
                    leading.map(({ table: other, targets, values, name }) => (
                      <Plain
                        key={`${other.schema}.${other.name} ${targets.join()}`}
                        label={
                          <>
                            {name} <span aria-hidden="true">↗</span>
                            <span className="unseen">in {other.name}</span>
                          </>
                        }
                        onClick={() => goToRows(other, conditionOf(targets, values), as)}
                      />
                    ))}
                  {editable && !column.made && !deleted && !cut && (
                    <Plain
                      label="Edit"
                      className="edit"
                      aria-label={`Edit ${column.name}`}
                      onClick={() => onEdit(column.name, value)}
                    />
                  )}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      {here && here.pointsHere.length > 0 && (
        <>
          <h3>Points here</h3>
          <ul className="caused">
            {here.pointsHere.map((one) => (
              <li key={`${one.table.schema}.${one.table.name} ${one.columns.join()}`}>
                <Plain
                  label={
                    <>
                      <b>{one.table.name}</b> {counted(one.count, "row")} by {one.columns.join(", ")}{" "}
                      <span aria-hidden="true">↗</span>
                    </>
                  }
                  onClick={() => goToRows(one.table, conditionOf(one.columns, one.values), as)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </DetailsPane>
  );
}

/** The filter of the rows with these values. */
function conditionOf(columns: readonly string[], values: readonly string[]): string {
  return columns.map((column, at) => `${given(column)}=${given(values[at] ?? "")}`).join(" ");
}

/** A name or a value as the filter takes it. */
function given(text: string): string {
  return /[\s"=<>!~]/.test(text) || text === "null" ? `"${text.replaceAll('"', '""')}"` : text;
}

export function Value({ value }: { value: string | null }): ReactNode {
  if (value === null) return <i className="null">null</i>;
  return <span className="value">{value === "" ? <i className="null">empty</i> : readable(value)}</span>;
}

/** Whether and why a lens gets something: sentences, gates and the parts of policies. */
export function Verdict(reasons: Answered<"whyRow">) {
  const why = reasons.asking ? undefined : reasons.answer;
  return (
    <>
      <Reasons {...reasons} />
      {why && <Rail gates={why.gates} />}
      {why && <AllParts text={why.text} />}
    </>
  );
}
