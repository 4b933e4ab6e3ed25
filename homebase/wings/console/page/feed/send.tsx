/** Owns the form that sends a request again: as it was, changed, or as somebody else. */
import { type FormEvent, useEffect, useId, useState } from "react";
import type { Outgoing, Sent, Who } from "../../server/api.ts";
import { call, messageOf } from "../app/session.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Alert } from "../parts/pane.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import type { Begun } from "./chips.tsx";

const METHODS = ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"];

interface SendProps {
  /** Of the request that is sent again; "" for a new one. */
  id: string;
  begun?: Begun | undefined;
  onClose(): void;
  onSent(sent: Sent): void;
}

export function Send({ id, begun, onClose, onSent }: SendProps) {
  const { answer: form = begun?.form, failure } = useAnswer("outgoing", begun ? undefined : { id });
  return (
    <Dialog title={begun?.title ?? "Send again"} wide onClose={onClose}>
      {form ? (
        <Fields id={id} begun={begun} form={form} onClose={onClose} onSent={onSent} />
      ) : (
        <>
          <p role={failure === undefined ? undefined : "alert"}>{failure ?? "Reading the request…"}</p>
          <div className="actions">
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

function Fields({ id, begun, form, onClose, onSent }: SendProps & { form: Outgoing }) {
  const [kind, setKind] = useState<Who["kind"]>(begun?.as ?? (form.same === undefined ? "nobody" : "same"));
  const [email, setEmail] = useState("");
  const [method, setMethod] = useState(form.method);
  const [path, setPath] = useState(form.path);
  const [headers, setHeaders] = useState(() => linesOf(form.headers));
  const [body, setBody] = useState(() => form.body ?? "");
  // Without the list an address can be typed.
  const people = useAnswer("names", kind === "user" ? {} : undefined).answer?.users ?? [];
  const [sending, setSending] = useState<AbortController>();
  const [failure, setFailure] = useState<string>();
  const list = useId();
  const writes = method !== "GET" && method !== "HEAD";

  useEffect(() => () => sending?.abort(), [sending]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const stop = new AbortController();
    setSending(stop);
    setFailure(undefined);
    try {
      const as: Who = kind === "user" ? { kind, email } : { kind };
      const ask = { id, as, method, path, headers: headersOf(headers) };
      onSent(await call("send", writes && body !== "" ? { ...ask, body } : ask, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) setFailure(messageOf(error));
      setSending(undefined);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="fields">
      <label>
        As
        <select value={kind} onChange={({ currentTarget: { value } }) => setKind(value as Who["kind"])}>
          {form.same !== undefined && <option value="same">{form.same}, as it was</option>}
          <option value="user">Another user</option>
          <option value="nobody">Nobody: the publishable key alone</option>
          <option value="secret">The secret key</option>
        </select>
      </label>
      {kind === "user" && (
        <label>
          Email
          <input
            type="email"
            required
            list={list}
            value={email}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => setEmail(value)}
          />
          <datalist id={list}>
            {people.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </label>
      )}
      <div className="line">
        <label>
          Method
          <select value={method} onChange={({ currentTarget: { value } }) => setMethod(value)}>
            {METHODS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          Path
          <input
            required
            value={path}
            spellCheck={false}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => setPath(value)}
          />
        </label>
      </div>
      <label>
        Headers, one a line
        <textarea
          rows={Math.min(4, headers.split("\n").length + 1)}
          value={headers}
          spellCheck={false}
          onChange={({ currentTarget: { value } }) => setHeaders(value)}
        />
      </label>
      {writes && (
        <label>
          Body
          <textarea
            rows={6}
            value={body}
            spellCheck={false}
            placeholder={form.body === undefined ? "The stack did not keep the body of this request." : ""}
            onChange={({ currentTarget: { value } }) => setBody(value)}
          />
        </label>
      )}
      <Alert text={failure} />
      <div className="actions">
        <button type="submit" className="first" disabled={sending !== undefined}>
          {sending ? "Sending…" : "Send request"}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function headersOf(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .map((line) => {
        const at = line.indexOf(":");
        return at < 0 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      }),
  );
}
