/** Owns the details of a file: what it shows of its bytes, its facts, and who may read it. */
import { useEffect, useState } from "react";
import type { FilePlace, StoredFile } from "../../server/api.ts";
import { bytesOf, messageOf } from "../app/way-in.ts";
import { Facts } from "../parts/facts.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { printable, size } from "../parts/words.ts";
import { nameOfLens } from "./lens-choice.tsx";
import { Verdict } from "./row-pane.tsx";

/** A selection that moves on sooner asks nothing. */
const STAYS_MS = 150;
const MOST_TEXT = 64 * 1024;
const MOST_PICTURE = 20 * 1024 ** 2;
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)$/;
const TEXT = /^(?:text\/|application\/(?:json|xml|javascript|sql|yaml|toml)\b)/;

interface FileDetailsProps {
  file: StoredFile;
  place: FilePlace;
  /** Counts what was changed and asked for again. */
  version: number;
}

export function FileDetails({ file, place, version }: FileDetailsProps) {
  const { path, type = "", changed, owner } = file;
  const lens = nameOfLens(place.as);
  const listed = file.hidden ? <span className="mark shut">not for {lens}</span> : `for ${lens}`;
  const why = useAnswer("whyFile", place, { delay: STAYS_MS, version });
  return (
    <>
      <Preview key={`${JSON.stringify(place)} ${version}`} {...{ file, place }} />
      <Facts
        facts={[
          ["path", printable(path)],
          ["size", file.size === undefined ? "not known" : sizeText(file.size)],
          ["type", printable(type) || "not known"],
          ["changed", changed ?? "not known"],
          ["owner", owner ?? "none"],
          ["listed", listed],
        ]}
      />
      <h3>Who may read it</h3>
      <Verdict {...why} />
    </>
  );
}

function sizeText(bytes: number): string {
  return bytes < 1024 ? size(bytes) : `${size(bytes)}, ${bytes.toLocaleString()} bytes`;
}

/** Never in a frame: a picture runs no script as an image, and a text is text, whatever the file says that it is. */
function Preview({ file, place }: Pick<FileDetailsProps, "file" | "place">) {
  const { path, type = "", size: length = 0 } = file;
  const [shown, setShown] = useState<{ picture?: string; text?: string; note?: string }>({});
  const picture = PICTURE.test(type) && length <= MOST_PICTURE;
  const text = !picture && TEXT.test(type);
  const reads = length > 0 && (picture || text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: its key is the file, so that another file has a Preview of its own
  useEffect(() => {
    if (!reads) return;
    const stop = new AbortController();
    let url: string | undefined;
    const read = async () => {
      const response = await bytesOf(text ? { ...place, most: MOST_TEXT } : place, stop.signal);
      const bytes = await response.arrayBuffer();
      if (stop.signal.aborted) return;
      if (picture) url = URL.createObjectURL(new Blob([bytes], { type }));
      setShown(url === undefined ? { text: new TextDecoder().decode(bytes) } : { picture: url });
    };
    read().catch((error: unknown) => stop.signal.aborted || setShown({ note: messageOf(error) }));
    return () => {
      stop.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, []);
  if (!reads)
    return <p className="note">{file.size === 0 ? "The file is empty." : "No preview: download it."}</p>;
  if (shown.note !== undefined) return <p className="note">No preview: {shown.note}.</p>;
  if (shown.picture !== undefined)
    return (
      <img
        className="preview"
        src={shown.picture}
        alt={printable(path)}
        onError={() =>
          setShown({ note: `the browser shows no picture of these bytes, though the type is ${type}` })
        }
      />
    );
  if (shown.text === undefined) return <div className="preview" aria-busy="true" />;
  return (
    <div>
      <pre className="preview">{shown.text}</pre>
      {length > MOST_TEXT && <p className="note">The first {size(MOST_TEXT)} of it.</p>}
    </div>
  );
}
