/** Owns the files of Storage as a lens gets them: the list of buckets, a folder, and what is done with a file. */
import { type ReactNode, useEffect, useState } from "react";
import type { Bucket, FilePlace, Lens, StoredFile } from "../../server/api.ts";
import { filterBy, goTo } from "../app/address.ts";
import { bytesOf, call } from "../app/way-in.ts";
import { Button, Field, Plain } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { Pages } from "../parts/detail-frame.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { save } from "../parts/save.ts";
import { useAnswer, useAttempt } from "../parts/use-answer.ts";
import { counted, printable, size } from "../parts/words.ts";
import { RowList } from "../stack/listing.tsx";
import { BucketDialog } from "./bucket-dialog.tsx";
import { type Dropped, droppedFiles } from "./dropped-files.ts";
import { FileDetails } from "./file-details.tsx";
import { type Folder, pathOfFolder } from "./file-path.ts";
import { LensPicker, lensOf, nameOfLens } from "./lens-choice.tsx";
import { UploadDialog } from "./upload-dialog.tsx";

const TYPING_MS = 200;
const LASTS: readonly (readonly [seconds: string, text: string])[] = [
  ["3600", "1 hour"],
  ["86400", "1 day"],
  ["604800", "1 week"],
  ["31536000", "1 year"],
];

interface FilesProps {
  url: URL;
  folder: Folder;
  roles: readonly string[];
}

interface ListProps extends Folder {
  url: URL;
  lens: Lens;
  picker: ReactNode;
}

export function FilesView({ url, folder, roles }: FilesProps) {
  const chosen = lensOf(url.searchParams.get("as"));
  // To Storage postgres is no caller.
  const lens: Lens = chosen.kind === "postgres" ? { kind: "role", role: "service_role" } : chosen;
  const picker = <LensPicker {...{ lens, roles, url }} withoutPostgres />;
  const own = { url, lens, picker, ...folder };
  return folder.bucket === "" ? <Buckets {...own} /> : <FolderView key={url.pathname} {...own} />;
}

/** What the lens gets of so many, and why it gets nothing at all. */
function notesOf(lens: Lens, refused: string | undefined) {
  return refused === undefined ? null : <p>{`${nameOfLens(lens)} gets none: ${refused}.`}</p>;
}

/** @param what they are, e.g. "4 files" */
function countText(what: string, all: readonly { hidden: boolean }[] = [], lens: Lens): string {
  const seen = all.filter(({ hidden }) => !hidden).length;
  return seen === all.length ? what : `${what}; ${nameOfLens(lens)} gets ${seen} of these`;
}

function contentsText(all: readonly StoredFile[] = []): string {
  const folders = all.filter(({ folder }) => folder).length;
  const files = counted(all.length - folders, "file");
  return folders === 0 ? files : `${counted(folders, "folder")}, ${files}`;
}

function Buckets({ url, lens, picker }: ListProps) {
  const [making, setMaking] = useState(false);
  const { answer, failure, again } = useAnswer("buckets", { as: lens });
  const filter = url.searchParams.get("q") ?? "";
  const found = answer?.buckets.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
  const make = <Button label="Make a bucket" shortcut="n" onClick={() => setMaking(true)} />;
  return (
    <>
      <RowList
        title="Files"
        columns={["bucket", "readable", "files", "size", "largest file", "types"]}
        rows={found?.map((bucket) => ({
          title: bucket.name,
          cells: cellsOfBucket(bucket),
          hidden: bucket.hidden,
          onEnter: () =>
            goTo(pathOfFolder({ bucket: bucket.name, folder: "" }, url.searchParams.get("as") ?? "")),
        }))}
        failure={failure}
        lens={picker}
        filter={filter}
        placeholder="Filter: bucket"
        onFilter={filterBy(url)}
        onRefresh={again}
        actions={make}
        notes={notesOf(lens, answer?.refused)}
        empty={
          answer?.buckets.length === 0 ? "No buckets yet. Files are stored in buckets." : "No bucket matches."
        }
        count={countText(counted(found?.length ?? 0, "bucket"), found, lens)}
      />
      {making && (
        <BucketDialog
          onMade={() => {
            setMaking(false);
            again();
          }}
          onClose={() => setMaking(false)}
        />
      )}
    </>
  );
}

function cellsOfBucket({ name, public: open, files, bytes, limit, types }: Bucket): string[] {
  return [
    printable(name),
    open ? "by everybody" : "by policies",
    files.toLocaleString(),
    size(bytes),
    limit === null ? "no own limit" : size(limit),
    types.join(", ") || "all",
  ];
}

type Dialogs = { do: "upload"; dropped: Dropped } | { do: "sign" | "delete"; file: StoredFile };

function FolderView({ url, lens, picker, bucket, folder }: ListProps) {
  /** The cursors of the pages up to this one; none for the first. */
  const [pages, setPages] = useState<readonly string[]>([]);
  const [dialog, setDialog] = useState<Dialogs>();
  const [after] = pages.slice(-1);
  const filter = url.searchParams.get("q") ?? "";
  const as = url.searchParams.get("as") ?? "";
  const { failure: refused, busy, attempt } = useAttempt();
  const {
    answer,
    failure = refused,
    again,
    times,
  } = useAnswer(
    "files",
    { as: lens, bucket, prefix: folder + filter, ...(after === undefined ? {} : { after }) },
    { delay: filter === "" ? 0 : TYPING_MS },
  );
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      // An open dialog keeps its files.
      const transfer = event.dataTransfer;
      if (!transfer?.types.includes("Files") || document.querySelector("dialog[open]")) return;
      const reading = droppedFiles(transfer);
      void attempt(async () => setDialog({ do: "upload", dropped: await reading }));
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  });
  const placeOf = ({ path }: StoredFile): FilePlace => ({ as: lens, bucket, path });
  const done = () => {
    setDialog(undefined);
    again();
  };
  const upload = () => setDialog({ do: "upload", dropped: { files: [], emptyFolders: [] } });
  const download = (file: StoredFile) =>
    attempt(async (signal) => {
      const response = await bytesOf(placeOf(file), signal);
      save(file.path.slice(folder.length), [await response.blob()]);
    });
  return (
    <>
      <RowList
        title={printable(folder.split("/").at(-2) ?? bucket)}
        columns={["name", "size", "type", "changed", "owner"]}
        rows={answer?.files.map((file) => ({
          title: printable(file.path.slice(folder.length)),
          cells: cellsOf(file, folder),
          hidden: file.hidden,
          ...(file.folder
            ? { onEnter: () => goTo(pathOfFolder({ bucket, folder: file.path }, as)) }
            : {
                details: <FileDetails file={file} place={placeOf(file)} version={times} />,
                actions: (
                  <>
                    <Button label="Download" disabled={busy} onClick={() => void download(file)} />
                    <Button label="Signed link" onClick={() => setDialog({ do: "sign", file })} />
                    <Button label="Delete" shortcut="d" onClick={() => setDialog({ do: "delete", file })} />
                  </>
                ),
              }),
        }))}
        failure={failure}
        lens={picker}
        filter={filter}
        placeholder="Filter: the beginning of a name"
        onFilter={(text) => {
          setPages([]);
          filterBy(url)(text);
        }}
        onRefresh={again}
        actions={<Button label="Upload" shortcut="n" onClick={upload} />}
        notes={
          <>
            <Trail {...{ bucket, folder, as }} />
            {notesOf(lens, answer?.refused)}
          </>
        }
        empty={filter === "" ? "No files here yet. Drop some, or press Upload." : "No name begins with this."}
        count={countText(contentsText(answer?.files), answer?.files, lens)}
        pages={<Pages pages={pages} next={answer?.next} onPages={setPages} />}
      />
      {dialog?.do === "upload" && (
        <UploadDialog dropped={dialog.dropped} place={{ as: lens, bucket, path: folder }} onClose={done} />
      )}
      {dialog?.do === "delete" && (
        <FormDialog
          title="Delete the file"
          verb="Delete file"
          onSubmit={async () => {
            await call("fileAct", { ...placeOf(dialog.file), do: "delete" });
            done();
          }}
          onClose={() => setDialog(undefined)}
        >
          <p>
            {printable(dialog.file.path)} is deleted as {nameOfLens(lens)}. This cannot be undone.
          </p>
        </FormDialog>
      )}
      {dialog?.do === "sign" && (
        <SignDialog place={placeOf(dialog.file)} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
}

/** The folders above this one. */
function Trail({ bucket, folder, as }: Folder & { as: string }) {
  const names = folder.split("/").slice(0, -1);
  const trail: [name: string, place?: Folder][] = [
    ["Files"],
    [bucket, { bucket, folder: "" }],
    ...names.map((name, at): [string, Folder] => [
      name || "(no name)",
      { bucket, folder: `${names.slice(0, at + 1).join("/")}/` },
    ]),
  ];
  return (
    <nav className="links" aria-label="Folders">
      {trail.map(([name, place], at) => (
        <span key={place ? `${place.folder}/` : ""}>
          {at > 0 && "/ "}
          <Plain
            label={printable(name)}
            aria-current={at === trail.length - 1 ? "page" : undefined}
            onClick={() => goTo(pathOfFolder(place, as))}
          />
        </span>
      ))}
    </nav>
  );
}

function SignDialog({ place, onClose }: { place: FilePlace; onClose(): void }) {
  const [seconds, setSeconds] = useState("3600");
  const [link, setLink] = useState<string>();
  const choose = (one: string) => {
    setSeconds(one);
    setLink(undefined);
  };
  const submit = async () => {
    setLink((await call("fileAct", { ...place, do: "sign", seconds: Number(seconds) })).link);
  };
  return (
    <FormDialog
      title="Make a signed link"
      wide
      verb="Make link"
      more={link && <Copy text={link} label="Copy link" />}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="Good for" value={seconds} choices={LASTS} onChange={choose} />
      <p className="note">
        Who has the link reads the file until then. It is signed as {nameOfLens(place.as)}.
      </p>
      {link && <pre>{link}</pre>}
    </FormDialog>
  );
}

function cellsOf(
  { path, folder: leads, size: bytes, type, changed, owner }: StoredFile,
  folder: string,
): string[] {
  const name = printable(path.slice(folder.length));
  if (leads) return [name, "", "folder", "", ""];
  return [
    name,
    bytes === undefined ? "–" : size(bytes),
    type ?? "–",
    changed?.slice(0, 16).replace("T", " ") ?? "–",
    owner ?? "–",
  ];
}
