/** Owns making a bucket, by Storage and its rules. */
import { useState } from "react";
import { call } from "../app/way-in.ts";
import { Field } from "../parts/controls.tsx";
import { FormDialog } from "../parts/dialog.tsx";

const OPEN = "open";
const READERS = [
  ["", "Those whom policies let through"],
  [OPEN, "Everybody who has its address"],
] as const;

interface BucketDialogProps {
  onMade(): void;
  onClose(): void;
}

export function BucketDialog({ onMade, onClose }: BucketDialogProps) {
  const [name, setName] = useState("");
  const [readers, setReaders] = useState("");
  const [limit, setLimit] = useState("");
  const [types, setTypes] = useState("");
  const submit = async () => {
    await call("makeBucket", {
      ...{ name, public: readers === OPEN, limit: limit.replaceAll(" ", "") },
      types: types.split(/[\s,]+/).filter((type) => type !== ""),
    });
    onMade();
  };
  return (
    <FormDialog title="Make a bucket" verb="Make bucket" onSubmit={submit} onClose={onClose}>
      <Field label="Name" required value={name} onChange={setName} />
      <Field label="Who may read its files" value={readers} choices={READERS} onChange={setReaders} />
      <Field
        label="Largest file, e.g. 5MB"
        placeholder="the project's limit"
        value={limit}
        onChange={setLimit}
      />
      <Field
        label="Allowed types, e.g. image/*, application/pdf"
        placeholder="all"
        value={types}
        onChange={setTypes}
      />
      <p className="note">
        A reset does not make it again. A section [storage.buckets.NAME] of config.toml, or a migration, does.
      </p>
    </FormDialog>
  );
}
