/** Owns the SQL view: the text and its snippet, running it as a lens, and what it has answered. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { Change, Lens, SqlAnswer, Tables } from "../../server/api.ts";
import { goTo } from "../app/address.ts";
import { MODIFIER, useKeys } from "../app/keys.tsx";
import { CallFailed, call, messageOf } from "../app/way-in.ts";
import { ChangesBar } from "../data/changes-bar.tsx";
import { LensPicker, lensOf, lensText, nameOfLens } from "../data/lens-choice.tsx";
import { Button, Empty, Heading } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { counted } from "../parts/words.ts";
import { type Draft, draftOf, keepDraft, keepRun } from "./drafts.ts";
import { emptyText, rowsText, savedText, withSaved } from "./outcome.ts";
import { PlanView, ResultView, tableOf } from "./result-view.tsx";
import { SnippetDialog, type SnippetQuestion } from "./snippet-dialogs.tsx";
import { pathOfSnippet } from "./snippet-path.ts";
import { type EditorHandle, errorText, SqlEditor } from "./statement-editor.tsx";

interface SqlViewProps {
  url: URL;
  /** "" for a text that is not saved. */
  snippet: string;
  tables: Tables | undefined;
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
  /** There is another snippet, or one less. */
  onSnippets(): void;
}

interface Ran extends SqlAnswer {
  lens: Lens;
  explained: boolean;
  /** Tells one run from the next. */
  id: number;
}

export function SqlView(props: SqlViewProps) {
  const { url, snippet, tables, changes, onChanges, onSnippets } = props;
  const lens = lensOf(url.searchParams.get("as"));
  const as = lensText(lens);
  const [draft, setDraft] = useState<Draft | undefined>(
    () => draftOf(snippet) ?? (snippet === "" ? { text: "", saved: "" } : undefined),
  );
  /** Another one shows another text in the editor. */
  const [edition, setEdition] = useState(0);
  const [ran, setRan] = useState<Ran>();
  const [shown, setShown] = useState(0);
  const [running, setRunning] = useState<AbortController>();
  const [failure, setFailure] = useState<string>();
  const [question, setQuestion] = useState<SnippetQuestion>();
  const editor = useRef<EditorHandle>(undefined);

  const replace = (next: Draft) => {
    keepDraft(snippet, next);
    setDraft(next);
    setEdition((before) => before + 1);
  };
  const reload = useCallback(async () => {
    const { text, version } = await call("snippet", { name: snippet });
    setDraft({ text, version, saved: text });
    setEdition((before) => before + 1);
    keepDraft(snippet, undefined);
  }, [snippet]);
  const missing = draft === undefined;
  useEffect(() => {
    if (missing) reload().catch((error: unknown) => setFailure(messageOf(error)));
  }, [missing, reload]);
  useEffect(() => () => running?.abort(), [running]);

  const run = async (explain: boolean) => {
    const selected = editor.current?.selected();
    if (!selected || running) return;
    const stop = new AbortController();
    setRunning(stop);
    setFailure(undefined);
    keepRun(selected.text);
    try {
      const answer = await call("sql", { as: lens, text: selected.text, explain }, stop.signal);
      const { error } = answer;
      const placed = error?.at === undefined ? error : { ...error, at: error.at + selected.from };
      setRan({ ...answer, ...(placed ? { error: placed } : {}), lens, explained: explain, id: Date.now() });
      setShown(
        Math.max(
          0,
          answer.results.findLastIndex(({ columns }) => columns.length > 0),
        ),
      );
    } catch (error) {
      setFailure(stop.signal.aborted ? "Cancelled. What was not saved before is undone." : messageOf(error));
      setRan(undefined);
    } finally {
      setRunning(undefined);
    }
  };
  const write = async (name: string, version: string | undefined) => {
    const text = draft?.text ?? "";
    const saved = await call("snippetAct", {
      ...{ do: "save", name, text },
      ...(version === undefined ? {} : { version }),
    });
    keepDraft(snippet, undefined);
    if (name === snippet) setDraft({ text, saved: text, ...saved });
    else {
      onSnippets();
      goTo(pathOfSnippet(name, as));
    }
  };
  const save = () => {
    if (snippet === "") return setQuestion("name");
    write(snippet, draft?.version).catch((error: unknown) => {
      if (error instanceof CallFailed && error.status === 409) setQuestion("changed");
      else setFailure(messageOf(error));
    });
  };
  const answer = async (value: string) => {
    const version = draft?.version;
    switch (question) {
      case "history":
        return replace({ ...draft, saved: draft?.saved ?? "", text: value });
      case "name":
        return write(value, undefined);
      case "changed": {
        // The reader has chosen to replace the file of now; a file that is gone is made again.
        const now = await call("snippet", { name: snippet }).catch(() => undefined);
        return write(snippet, now?.version);
      }
      case "rename":
        await call("snippetAct", { do: "rename", name: snippet, to: value });
        if (draft) keepDraft(value, draft);
        break;
      default:
        await call("snippetAct", { do: "delete", name: snippet, version: version ?? "" });
    }
    keepDraft(snippet, undefined);
    onSnippets();
    goTo(pathOfSnippet(question === "rename" ? value : "", as));
  };

  useKeys({
    "/": () => editor.current?.focus(),
    "Ctrl Enter": () => run(false),
    // Staged changes are saved first: their bar has the key.
    ...(changes.length === 0 ? { "Ctrl s": save } : {}),
  });

  const isSaved = snippet !== "" && draft?.text === draft?.saved;
  const result = ran?.results[shown];
  return (
    <>
      <main className="data sql">
        <Heading>{snippet === "" ? "SQL" : snippet}</Heading>
        <div className="bar">
          <LensPicker {...{ lens, url }} roles={tables?.roles ?? []} />
          {running ? (
            <Button label="Cancel" className="first" onClick={() => running.abort()} />
          ) : (
            <Button label="Run" shortcut={`${MODIFIER}↵`} className="first" onClick={() => void run(false)} />
          )}
          <Button label="Explain" disabled={running !== undefined} onClick={() => void run(true)} />
          <span className="gap" />
          <Button label="History" onClick={() => setQuestion("history")} />
          <Button label={isSaved ? "Saved" : "Save"} disabled={isSaved} onClick={save} />
          {snippet !== "" && <Button label="Rename" onClick={() => setQuestion("rename")} />}
          {snippet !== "" && <Button label="Delete" onClick={() => setQuestion("delete")} />}
        </div>
        <div className="editing">
          {draft && (
            <SqlEditor
              key={edition}
              text={draft.text}
              tables={tables}
              error={ran?.error}
              handle={editor}
              onChange={(text) => {
                const next = { ...draft, text };
                keepDraft(snippet, text === draft.saved ? undefined : next);
                setDraft(next);
              }}
            />
          )}
        </div>
        <div className="cleared">
          <p>
            Run commits.{" "}
            {lens.kind === "postgres"
              ? "Several statements are one transaction, unless the text has its own."
              : `${nameOfLens(lens)} runs in REST's transaction, with its login, claims and settings; REST's own limits (exposed schemas, max_rows) do not apply.`}
          </p>
          <Alert text={failure} />
          {ran?.error && (
            <div role="alert" className="wrong">
              <p className="mark shut">{errorText(ran.error)}</p>
              {[ran.error.detail, ran.error.hint].map((one) => one && <p key={one}>{one}</p>)}
            </div>
          )}
          {ran?.notices.map((notice, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a notice is its place
            <p key={at}>{notice}</p>
          ))}
        </div>
        {ran && ran.results.length > 1 && !ran.explained && (
          <div className="results" role="group" aria-label="Results">
            {ran.results.map((one, at) => (
              <Button
                // biome-ignore lint/suspicious/noArrayIndexKey: a result is its place in the text
                key={at}
                label={
                  <>
                    {at + 1} <code>{one.command.toLowerCase()}</code>{" "}
                    {one.count !== undefined && <small>{counted(one.count, "row")}</small>}
                  </>
                }
                aria-pressed={at === shown}
                onClick={() => setShown(at)}
              />
            ))}
          </div>
        )}
        {ran?.explained && ran.results.length > 0 && <PlanView results={ran.results} />}
        {!(ran?.explained && ran.results.length > 0) && (!result || result.rows.length === 0) && (
          <Empty>{running ? "Running…" : emptyText(result, ran)}</Empty>
        )}
        {result && !ran.explained && result.rows.length > 0 && (
          <ResultView
            key={`${ran.id} ${shown}`}
            result={result}
            tables={tables}
            lens={ran.lens}
            changes={changes}
            onChanges={onChanges}
          />
        )}
        <ChangesBar
          changes={changes}
          lens={lens}
          onDiscard={() => onChanges([])}
          onSaved={() => {
            if (ran)
              setRan({
                ...ran,
                results: ran.results.map((one) =>
                  withSaved(one, changes, tableOf(tables, one.table)?.key ?? []),
                ),
              });
            onChanges([]);
          }}
        />
        <footer className="foot">
          {(running || ran) && <span role="status">{running || !ran ? "Running…" : savedText(ran)}</span>}
          {!running && result && !ran.explained && <span>{rowsText(result)}</span>}
          {!running && ran && <span>{ran.milliseconds.toLocaleString()} ms</span>}
          {result?.table && <span className="hint">Double-click a value to edit it</span>}
        </footer>
      </main>
      {question && (
        <SnippetDialog
          question={question}
          snippet={snippet}
          onDone={answer}
          onReload={reload}
          onClose={() => setQuestion(undefined)}
        />
      )}
    </>
  );
}
