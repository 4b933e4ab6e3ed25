/** Owns the form that sends a request again: as it was, changed, or as somebody else. */
import { useId, useState } from "react";
import type { Outgoing, Sent, Who } from "../../server/api.ts";
import { call } from "../app/way-in.ts";
import { Field, optionOf } from "../parts/controls.tsx";
import { Dialog, FormDialog } from "../parts/dialog.tsx";
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

export function Send(props: SendProps) {
  const { id, begun, onClose } = props;
  const { answer: form = begun?.form, failure } = useAnswer("outgoing", begun ? undefined : { id });
  if (form) return <SendForm {...props} form={form} />;
  return (
    <Dialog title="Send again" wide close="Cancel" onClose={onClose}>
      <p role={failure === undefined ? undefined : "alert"}>{failure ?? "Reading the request…"}</p>
    </Dialog>
  );
}

function SendForm({ id, begun, form, onClose, onSent }: SendProps & { form: Outgoing }) {
  const [kind, setKind] = useState<string>(begun?.as ?? (form.same === undefined ? "nobody" : "same"));
  const [email, setEmail] = useState("");
  const [method, setMethod] = useState(form.method);
  const [path, setPath] = useState(form.path);
  const [headers, setHeaders] = useState(() => linesOf(form.headers));
  const [body, setBody] = useState(() => form.body ?? "");
  // Without the list an address can be typed.
  const people = useAnswer("names", kind === "user" ? {} : undefined).answer?.users ?? [];
  const list = useId();
  const writes = method !== "GET" && method !== "HEAD";
  const lost = form.body === undefined && "The stack did not keep the body of this request";
  // An empty file would take the place of the one that is stored.
  const stores = lost && method !== "DELETE" && path.startsWith("/storage/v1/object/");
  const submit = async (signal: AbortSignal) => {
    const as = (kind === "user" ? { kind, email } : { kind }) as Who;
    const ask = { id, as, method, path, headers: headersOf(headers) };
    onSent(await call("send", writes && body !== "" ? { ...ask, body } : ask, signal));
  };
  return (
    <FormDialog
      title={begun?.title ?? "Send again"}
      wide
      verb="Send request"
      busy="Sending…"
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="As"
        value={kind}
        onChange={setKind}
        choices={[
          ...(form.same === undefined ? [] : [["same", `${form.same}, as it was`] as const]),
          ["user", "Another user"],
          ["nobody", "Nobody: the publishable key alone"],
          ["secret", "The secret key"],
        ]}
      />
      {kind === "user" && (
        <>
          <Field label="Email" type="email" required list={list} value={email} onChange={setEmail} />
          <datalist id={list}>{people.map((one) => optionOf([one, one]))}</datalist>
        </>
      )}
      <div className="line">
        <Field label="Method" value={method} onChange={setMethod} choices={METHODS} />
        <Field label="Path" required value={path} onChange={setPath} />
      </div>
      <Field
        label="Headers, one a line"
        rows={Math.min(4, headers.split("\n").length + 1)}
        value={headers}
        onChange={setHeaders}
      />
      {writes && (
        <Field
          label="Body"
          rows={6}
          value={body}
          required={stores}
          placeholder={lost ? `${lost}${stores ? ": write what is stored instead" : ""}.` : ""}
          onChange={setBody}
        />
      )}
    </FormDialog>
  );
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}

function headersOf(lines: string): Record<string, string> {
  const headers = lines.split("\n").map((line) => {
    const [name = "", value = ""] = line.split(/:(.*)/s, 2);
    return [name.trim(), value.trim()];
  });
  return Object.fromEntries(headers.filter((header) => header.join("") !== ""));
}
