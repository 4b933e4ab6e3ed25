/** Owns the saved states of the stack: their list, saving one, going back to one, and how far that is. */
import { useState } from "react";
import type { Snapshot, SnapshotAct, SnapshotStates } from "../../server/api.ts";
import { filterBy } from "../app/address.ts";
import { call } from "../app/way-in.ts";
import { Button, Field } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted, duration, size } from "../parts/words.ts";
import { RowList } from "./listing.tsx";

export const SNAPSHOTS = "snapshots";
/** The state that the last restore has replaced. */
const BEFORE = "before-restore";
const EVERY_MS = 1_000;
const MOST_NAME = 64;

interface Asking {
  act: SnapshotAct["do"];
  /** Of an act on one that is there. */
  snapshot?: Snapshot;
}

/** @param url its filter is in the address */
export function SnapshotsView({ url }: { url: URL }) {
  const [asking, setAsking] = useState<Asking>();
  const [acts, setActs] = useState(0);
  // Commands make and delete them as well.
  const { answer, failure, again } = useAnswer("snapshots", {}, { every: EVERY_MS });
  const filter = url.searchParams.get("q") ?? "";
  const all = answer?.snapshots ?? [];
  const found = all.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const working = answer?.working;
  return (
    <>
      <RowList
        title="Snapshots"
        columns={["name", "saved", "size", "newest migration", "can be restored"]}
        rows={
          answer &&
          found.map((snapshot) => ({
            title: snapshot.name,
            cells: cellsOf(snapshot),
            marks: snapshot.unfit === null ? {} : { 4: "part" as const },
            facts: [["saved at", new Date(snapshot.made).toLocaleString()]],
            details: snapshot.name === BEFORE && (
              <p>What the last restore has replaced: going back to it undoes that.</p>
            ),
            actions: (
              <>
                <Button
                  label={`Back to ${snapshot.name}`}
                  disabled={working !== undefined || snapshot.unfit !== null}
                  onClick={() => setAsking({ act: "restore", snapshot })}
                />
                <Button
                  label="Delete"
                  shortcut="d"
                  disabled={working !== undefined}
                  onClick={() => setAsking({ act: "delete", snapshot })}
                />
              </>
            ),
          }))
        }
        failure={failure}
        filter={filter}
        placeholder="Filter: name"
        onFilter={filterBy(url)}
        onRefresh={again}
        actions={
          <Button
            label="Save this state"
            shortcut="n"
            disabled={working !== undefined}
            onClick={() => setAsking({ act: "save" })}
          />
        }
        notes={<Progress working={working} last={answer?.last} />}
        acts={acts}
        empty={
          all.length === 0
            ? "No states are saved yet. A saved state is the database, the stored files and the mails together, to go back to."
            : "No name matches."
        }
        count={`${counted(all.length, "snapshot")}, ${size(all.reduce((sum, { bytes }) => sum + bytes, 0))}`}
        hint
      />
      {asking && (
        <ActDialog
          {...asking}
          snapshots={all}
          working={working}
          onBegin={() => setActs(acts + 1)}
          onDone={again}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

function ageOf({ made }: Snapshot): string {
  return `${duration(Date.now() - Date.parse(made))} ago`;
}

function cellsOf(snapshot: Snapshot): string[] {
  const { name, bytes, migration, unfit } = snapshot;
  return [name, ageOf(snapshot), size(bytes), migration ?? "none", unfit === null ? "yes" : `no: ${unfit}`];
}

/** The act that goes on, or how the last one has ended. */
function Progress({ working, last }: Pick<SnapshotStates, "working" | "last">) {
  const text = working && workingText(working);
  return (
    <>
      {working && (
        <p>
          {text} <progress aria-label={text} max={Math.max(working.total, 1)} value={working.done} />
        </p>
      )}
      <Alert text={working ? undefined : last?.failure} />
      {/* There before its text: readers of screens hear what is new in it. */}
      <div role="status">{!working && last && last.failure === undefined && endedText(last)}</div>
    </>
  );
}

function endedText({ do: act, name, applied }: NonNullable<SnapshotStates["last"]>): string {
  return [
    `${WORDS[act][1]} ${name}.`,
    ...(act === "restore" ? [`What it has replaced is ${BEFORE}.`] : []),
    ...(applied.length === 0 ? [] : [`Applied since: ${applied.join(", ")}.`]),
  ].join(" ");
}

/** Of each act: its words while it goes on and afterwards, and the title and verb of its dialog. */
const WORDS = {
  save: ["Saving", "Saved", "Save this state", "Save state"],
  restore: ["Going back to", "Back to", "Back to", "Go back"],
  delete: ["Deleting", "Deleted", "Delete", "Delete snapshot"],
} as const;

function workingText({ act, done, total }: NonNullable<SnapshotStates["working"]>): string {
  const what = act ? `${WORDS[act.do][0]} ${act.name}` : "A command works on the snapshots";
  return total === 0 ? `${what}…` : `${what}: ${size(Math.min(done, total))} of ${size(total)}`;
}

interface ActDialogProps extends Asking {
  snapshots: readonly Snapshot[];
  working: SnapshotStates["working"];
  onBegin(): void;
  onDone(): void;
  onClose(): void;
}

function ActDialog({ act, snapshot, snapshots, working, onBegin, onDone, onClose }: ActDialogProps) {
  const [name, setName] = useState(snapshot?.name ?? nameOfNow);
  const [doing, , title, verb] = WORDS[act];
  return (
    <FormDialog
      {...{ verb, onClose }}
      title={snapshot ? `${title} ${name}` : title}
      wide
      busy={working ? workingText(working) : `${doing} ${name}…`}
      onSubmit={async (signal) => {
        onBegin();
        await call("snapshotAct", { do: act, name }, signal).finally(onDone);
        onClose();
      }}
    >
      {act === "save" && (
        <Field label="Name" required maxLength={MOST_NAME} value={name} onChange={setName} />
      )}
      {textsOf(act, snapshot, snapshots).map((text) => (
        <p key={text}>{text}</p>
      ))}
    </FormDialog>
  );
}

/** "2026-11-29-1530", in the zone of the reader. */
function nameOfNow(): string {
  return new Date().toLocaleString("sv-SE").slice(0, 16).replace(" ", "-").replace(":", "");
}

function textsOf(
  act: SnapshotAct["do"],
  snapshot: Snapshot | undefined,
  snapshots: readonly Snapshot[],
): string[] {
  if (!snapshot)
    return [
      "The database with its roles, the stored files, the mails of the inbox and Vault's key are saved together.",
      "Requests wait meanwhile. Once begun, it goes on when this is closed.",
    ];
  const { name, bytes } = snapshot;
  const described = `${name} (${size(bytes)}, saved ${ageOf(snapshot)})`;
  if (act === "delete")
    return [`${described} is deleted. What the stack holds now is not touched. This cannot be undone.`];
  const before = snapshots.find((one) => one.name === BEFORE);
  const gone = before && name !== BEFORE ? ` The ${BEFORE} of ${ageOf(before)} is deleted for it.` : "";
  return [
    `The whole database with its roles and users, all stored files, the mails of the inbox and Vault's key are replaced by those of ${described}.`,
    `What is there now is kept as ${BEFORE}, until the next restore.${gone}`,
    "Migrations that are newer than the snapshot are applied. Requests wait meanwhile; sockets of Realtime and sessions of psql end. Once begun, it goes on when this is closed.",
  ];
}
