/** Owns the export of a table: all rows of its filter that the lens gets, as a file or in the clipboard. */
import { useState } from "react";
import type { Lens, RowsAsk } from "../../server/api.ts";
import { streamed } from "../app/way-in.ts";
import { Field } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { exported, FORMATS, type Format } from "../parts/rows-as-text.ts";
import { save } from "../parts/save.ts";
import { counted } from "../parts/words.ts";
import { nameOfLens } from "./lens-choice.tsx";

interface ExportProps {
  ask: Omit<RowsAsk, "after">;
  /** Whether changes are staged, which the stack does not know. */
  staged: boolean;
  onClose(): void;
}

export function ExportDialog({ ask, staged, onClose }: ExportProps) {
  const [format, setFormat] = useState<Format>("CSV");
  const [read, setRead] = useState(0);
  const pieces = (signal?: AbortSignal) => exported(streamed("export", ask, signal), format, setRead);
  const download = async (signal: AbortSignal) => {
    setRead(0);
    save(`${ask.table.name}.${format.toLowerCase()}`, await pieces(signal));
    onClose();
  };
  return (
    <FormDialog
      title={`Export ${ask.table.name}`}
      wide
      verb="Download"
      busy={read === 0 ? "Reading…" : `${counted(read, "row")}…`}
      more={<Copy text={async () => (await pieces()).join("")} label="Copy" />}
      onSubmit={download}
      onClose={onClose}
    >
      <Field
        label="Format"
        value={format}
        choices={FORMATS}
        onChange={(chosen) => setFormat(chosen as Format)}
      />
      {notesOf(ask, format, staged).map((note) => (
        <p key={note} className="note">
          {note}
        </p>
      ))}
    </FormDialog>
  );
}

function notesOf({ as: lens, where }: ExportProps["ask"], format: Format, staged: boolean): string[] {
  return [
    `All rows${where.trim() === "" ? "" : " of the filter"}${gotBy(lens)}, on all pages. One that takes longer than 60 s is broken off.`,
    ...(staged ? ["Changes that are staged and not saved are not in it."] : []),
    format === "CSV"
      ? 'Null is an empty field, and an empty text is "". Texts that begin with = + - or @ stay as they are: a spreadsheet may take them for formulas.'
      : "An object a row. Each value is Postgres's text, or null.",
  ];
}

function gotBy(lens: Lens): string {
  return lens.kind === "postgres" ? "" : ` that ${nameOfLens(lens)} gets, with the columns they may select`;
}
