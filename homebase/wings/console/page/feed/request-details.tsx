/** Owns the details of a request: where it stopped, why, what it caused, and what ran. */
import { useState } from "react";
import type { About, Entry, Sent } from "../../server/api.ts";
import { call } from "../app/way-in.ts";
import { Button, Plain } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { curlOf } from "../parts/curl.ts";
import { AllParts, DetailsPane, Reasons } from "../parts/detail-frame.tsx";
import { Rail } from "../parts/gate-strip.tsx";
import { supabaseJsOf } from "../parts/supabase-js.ts";
import { type Answered, useAnswer } from "../parts/use-answer.ts";
import { length, timeOfDay } from "../parts/words.ts";
import { Mail } from "./mail.tsx";

/** A selection that moves on sooner asks nothing. */
const STAYS_MS = 150;
/** The time so far, and what a call that runs has caused. */
const RUNNING_MS = 1_000;

interface PaneProps {
  id: string;
  /** Whether it is a call that has not been answered yet. */
  running: boolean;
  /** Counts the reader's own questions for the reasons. */
  asked: number;
  about: About | undefined;
  /** The answer of a request that was sent from here. */
  sent: Sent | undefined;
  onClose(): void;
  onSelect(id: string): void;
  onWhy(): void;
  onSend(): void;
  onTest(): void;
}

export function Pane(props: PaneProps) {
  const { id, running, asked, about, sent, onClose, onSelect, onWhy, onSend, onTest } = props;
  const { answer: entry, failure: missing } = useAnswer(
    "entry",
    { id },
    running ? { every: RUNNING_MS } : {},
  );
  const here = entry?.row.id === id ? entry : undefined;
  const asks = here?.explained === true && (asked > 0 || here.row.mark !== "open");
  const reasons = useAnswer("why", asks ? { id } : undefined, {
    delay: asked > 0 ? 0 : STAYS_MS,
    version: asked,
  });
  return (
    <DetailsPane
      of="Feed"
      title={
        here && (
          <>
            <i>{here.row.kind === "request" ? here.row.verb : here.row.kind} </i>
            {here.path}
          </>
        )
      }
      onClose={onClose}
      actions={
        here && (
          <>
            {here.explained && <Button label={asks ? "Ask again" : "Say why"} shortcut="y" onClick={onWhy} />}
            {here.testable && <Button label="Make a test" shortcut="t" onClick={onTest} />}
            {here.sendable && <Button label="Send again as…" shortcut="r" onClick={onSend} />}
            {about && here.row.kind === "request" && !here.row.running && (
              <Copy
                text={async () => curlOf(await call("outgoing", { id }), about)}
                label="Copy as curl"
                shortcut="c"
              />
            )}
            {about && here.sendable && (
              <Copy
                text={async () => supabaseJsOf(await call("outgoing", { id }))}
                label="Copy as supabase-js"
              />
            )}
            {here.row.kind !== "request" && <Copy text={here.path} label="Copy as text" shortcut="c" />}
            <Copy text={location.href} label="Copy link" />
            {here.explained && here.row.kind === "request" && (
              <Copy text={`npx homebase explain --id ${id}`} label="Copy for the terminal" />
            )}
          </>
        )
      }
    >
      {missing !== undefined && <p className="note">{missing}</p>}
      {here && (
        <Details
          entry={here}
          reasons={asks ? reasons : undefined}
          sent={sent}
          inbox={about?.inbox}
          onSelect={onSelect}
        />
      )}
    </DetailsPane>
  );
}

interface DetailsProps extends Pick<PaneProps, "sent" | "onSelect"> {
  entry: Entry;
  reasons: Answered<"why"> | undefined;
  inbox: string | undefined;
}

function Details({ entry, reasons, sent, inbox, onSelect }: DetailsProps) {
  const { row, role, user, code, error, statement, caused, mail, missed = [] } = entry;
  const why = reasons?.asking ? undefined : reasons?.answer;
  const who = [user, role].filter((part) => part !== undefined).join(", ");
  const answer = [row.status, row.outcome].filter((part) => part !== undefined && part !== "").join(" ");
  const hidden = why?.gates.find(({ name }) => name === "Policy")?.hidden ?? 0;
  return (
    <>
      <p className="facts">
        {who !== "" && <span>{who}</span>}
        {answer !== "" && <span className={row.mark === "open" ? "" : `mark ${row.mark}`}>{answer}</span>}
        {row.ms !== undefined && <span>{length(row.ms)} ms</span>}
        <span>{timeOfDay(row.at)}</span>
      </p>
      {error && (
        <p className="error">
          {error.message}
          {code !== undefined && <code>{code}</code>}
          {error.hint !== undefined && <small>{error.hint}</small>}
        </p>
      )}
      {reasons && (
        <Reasons {...reasons}>
          {hidden > 0 && (
            <p className="figure" aria-hidden="true">
              {hidden}
            </p>
          )}
        </Reasons>
      )}
      <Rail gates={why?.gates ?? entry.gates} />
      {mail && <Mail key={mail.id} mail={mail} inbox={inbox} />}
      {missed.length > 0 && (
        <>
          <h3>Did not get it</h3>
          <ul className="caused">
            {missed.map(({ who: one, gate }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a person may have two channels
              <li key={at}>
                {one} <span className="mark part">{gate}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {entry.note !== undefined && <p className="reasons">{entry.note}</p>}
      {caused.length > 0 && (
        <>
          <h3>What it caused</h3>
          <ul className="caused">
            {caused.map((one) => (
              <li key={one.id}>
                <Plain
                  label={
                    <>
                      {one.verb} <b>{one.name}</b> {one.status} {one.outcome}
                    </>
                  }
                  onClick={() => onSelect(one.id)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
      {row.parent !== undefined && (
        <p className="note">
          A request caused this. <Plain label="Show it" onClick={() => onSelect(row.parent ?? "")} />
        </p>
      )}
      {sent && (
        <details open>
          <summary>Answer</summary>
          <pre>{readable(sent.body) || "Its body is empty."}</pre>
          {sent.cut && <p className="note">The beginning: the body is longer.</p>}
        </details>
      )}
      {entry.answerKept && !sent && <KeptAnswer key={row.id} id={row.id} />}
      {statement && (
        <details>
          <summary>SQL</summary>
          <pre>{statement.text}</pre>
          {statement.values.length > 0 && (
            <ol className="values" start={1}>
              {statement.values.map((value, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a value is its place
                <li key={at}>
                  <code>{value ?? "null"}</code>
                </li>
              ))}
            </ol>
          )}
          <p className="note">
            As {statement.role}, search path {statement.searchPath}
          </p>
        </details>
      )}
      {why && <AllParts text={why.text} />}
      {entry.notKept && <p className="note">The values were not kept: they are larger than 16 KB.</p>}
      {row.running && <p className="note">It has not answered yet.</p>}
      {row.kind === "request" && !row.running && (row.status ?? 0) < 400 && !sent && (
        <p className="note">
          The answer's body was not kept
          {row.verb === "GET" && entry.sendable ? ": send it again to see one" : ""}.
        </p>
      )}
      {row.kind === "request" && (
        <p className="note">
          Request <code>{row.id}</code>
        </p>
      )}
    </>
  );
}

/** The body of an answer of 400 and more, which the stack has kept; asked for when it is opened, as it may quote values. */
function KeptAnswer({ id }: { id: string }) {
  const [opened, setOpened] = useState(false);
  const { answer, failure } = useAnswer("answer", opened ? { id } : undefined);
  const body = answer ? readable(answer.body) : failure;
  return (
    <details onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>Answer</summary>
      {body !== undefined && <pre>{body || "Its body is empty."}</pre>}
    </details>
  );
}

/** JSON in lines. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
