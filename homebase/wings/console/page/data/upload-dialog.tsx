/** Owns uploading files to a folder, one after the other. */
import { useState } from "react";
import type { FilePlace } from "../../server/api.ts";
import { messageOf, upload } from "../app/way-in.ts";
import { Field } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { counted, printable, size } from "../parts/words.ts";
import type { Dropped, PathFile } from "./dropped-files.ts";
import { nameOfLens } from "./lens-choice.tsx";

const REPLACE = "replace";
const TAKEN = [
  ["keep", "Keep that file"],
  [REPLACE, "Replace it"],
] as const;

interface UploadDialogProps {
  dropped: Dropped;
  /** Its path is that of the folder. */
  place: FilePlace;
  onClose(): void;
}

export function UploadDialog({ dropped, place, onClose }: UploadDialogProps) {
  const [files, setFiles] = useState<readonly PathFile[]>(dropped.files);
  const [taken, setTaken] = useState("keep");
  const [at, setAt] = useState(0);
  const submit = async (signal: AbortSignal) => {
    const refused = new Map<PathFile, string>();
    for (const [index, one] of files.entries()) {
      setAt(index);
      const { file } = one;
      const ask = { ...place, path: place.path + one.path, replace: taken === REPLACE };
      await upload({ ...ask, type: file.type || "application/octet-stream" }, file, signal).catch(
        (error: unknown) => refused.set(one, `${printable(one.path)}: ${messageOf(error)}`),
      );
      signal.throwIfAborted();
    }
    if (refused.size === 0) return onClose();
    // The next attempt is of these alone: the others are there.
    setFiles([...refused.keys()]);
    throw new Error([...refused.values()].join("\n"));
  };
  return (
    <FormDialog
      title="Upload files"
      wide
      verb={files.length > 1 ? `Upload ${files.length} files` : "Upload file"}
      busy={`File ${at + 1} of ${files.length}…`}
      onSubmit={submit}
      onClose={onClose}
    >
      <label>
        <span>{dropped.files.length > 0 ? "Other files instead" : "Files"}</span>
        <input
          type="file"
          multiple
          required={files.length === 0}
          onChange={({ currentTarget }) =>
            setFiles([...(currentTarget.files ?? [])].map((file) => ({ path: file.name, file })))
          }
        />
      </label>
      <ul className="found">
        {files.map(({ path, file }) => (
          <li key={path}>
            {printable(path)} <small>{size(file.size)}</small>
          </li>
        ))}
      </ul>
      <Field label="Where a file has the name" value={taken} choices={TAKEN} onChange={setTaken} />
      <p className="note">
        {counted(files.length, "file")} to {printable(`${place.bucket}/${place.path}`)}, as{" "}
        {nameOfLens(place.as)}.
      </p>
      {dropped.emptyFolders.length > 0 && (
        <p className="note">
          Storage has no empty folders, so nothing is made for{" "}
          {dropped.emptyFolders.map(printable).join(", ")}.
        </p>
      )}
    </FormDialog>
  );
}
