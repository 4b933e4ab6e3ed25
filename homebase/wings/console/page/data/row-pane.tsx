/** Owns the details of a row: whether and why the lens gets it, all of its text, and where its keys lead. */
import type { ReactNode } from "react";
import type { Change, DataTable, Lens, TableName } from "../../server/api.ts";
import { Copy } from "../parts/copy.tsx";
import { Rail } from "../parts/gates.tsx";
import { DetailsPane } from "../parts/pane.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted, shortType } from "../parts/words.ts";
import { nameOfLens } from "./lens.tsx";

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
  onGo(table: TableName, where: string): void;
}

export function RowPane(props: RowPaneProps) {
  const { table, rowKey, lens, hidden, asked, saved, change, editable } = props;
  const { onDelete, onWhy, onClose, onGo, onEdit } = props;
  const { schema, name } = table;
  const { answer, failure, asking } = useAnswer(
    "row",
    { table: { schema, name }, key: [...rowKey] },
    { version: saved },
  );
  const [id, here] = [JSON.stringify(rowKey), asking ? undefined : answer];
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
          {lens.kind !== "postgres" && !hidden && asked === 0 && (
            <button type="button" onClick={onWhy}>
              Say why <kbd>y</kbd>
            </button>
          )}
          {editable && (
            <button type="button" onClick={onDelete}>
              {deleted ? "Keep the row" : "Delete"} <kbd>d</kbd>
            </button>
          )}
          {here?.values && (
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
      {failure !== undefined && <p role="alert">{failure}</p>}
      {here && !here.values && <p className="note">This row is not there any more.</p>}
      {here?.values && lens.kind !== "postgres" && (
        <Reasons
          lens={lens}
          table={table}
          rowKey={rowKey}
          asks={hidden || asked > 0}
          key={`${id} ${JSON.stringify(lens)} ${asked}`}
        />
      )}
      {here?.values && (
        <dl className="values-of">
          {table.columns.map((column, at) => {
            const value = here.values?.[at] ?? null;
            const staged = change?.kind === "update" ? change.values[column.name] : undefined;
            const shown = staged === undefined ? value : staged;
            const reference = table.references.find((one) => one.column === column.name);
            return (
              <div key={column.name} className={staged === undefined ? "" : "changed"}>
                <dt>
                  {column.name} <small>{shortType(column.type)}</small>
                </dt>
                <dd>
                  <Value value={shown} />
                  {reference && shown !== null && (
                    <button
                      type="button"
                      className="plain"
                      onClick={() => onGo(reference.table, `${reference.target}=${given(shown)}`)}
                    >
                      {staged === undefined && here.names[column.name] !== undefined
                        ? `${here.names[column.name]} `
                        : ""}
                      <span aria-hidden="true">↗</span>
                      <span className="unseen">in {reference.table.name}</span>
                    </button>
                  )}
                  {editable && !column.made && !deleted && (
                    <button
                      type="button"
                      className="plain edit"
                      aria-label={`Edit ${column.name}`}
                      onClick={() => onEdit(column.name, value)}
                    >
                      Edit
                    </button>
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
              <li key={`${one.table.schema}.${one.table.name}.${one.column}`}>
                <button
                  type="button"
                  className="plain"
                  onClick={() => onGo(one.table, `${one.column}=${given(one.value)}`)}
                >
                  <b>{one.table.name}</b> {counted(one.count, "row")} by {one.column}{" "}
                  <span aria-hidden="true">↗</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </DetailsPane>
  );
}

/** A value as the filter takes it. */
export function given(value: string): string {
  return /[\s"]/.test(value) || value === "null" ? `"${value.replaceAll('"', "")}"` : value;
}

function Value({ value }: { value: string | null }): ReactNode {
  if (value === null) return <i className="null">null</i>;
  return <span className="value">{value === "" ? <i className="null">empty</i> : value}</span>;
}

function Reasons({
  lens,
  table,
  rowKey,
  asks,
}: Pick<RowPaneProps, "lens" | "table" | "rowKey"> & { asks: boolean }) {
  const { schema, name } = table;
  const { answer: why, failure } = useAnswer(
    "whyRow",
    asks ? { as: lens, table: { schema, name }, key: [...rowKey] } : undefined,
    { delay: STAYS_MS },
  );
  if (!asks) return null;
  return (
    <>
      <div className="reasons" aria-busy={!why && failure === undefined}>
        {!why && failure === undefined && <p className="note">Asking the policies…</p>}
        {failure !== undefined && <p className="note">{failure}</p>}
        {why?.sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
      {why && <Rail gates={why.gates} />}
      {why && (
        <details>
          <summary>All parts of the policies</summary>
          <pre>{why.text}</pre>
        </details>
      )}
    </>
  );
}
