/** Owns a mail in the details: its code and links, its HTML in a frame that runs nothing, and its text. */
import { useState } from "react";
import type { Entry } from "../../server/api.ts";
import { Button } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { useAnswer } from "../parts/use-answer.ts";

export function Mail({ mail, inbox }: { mail: NonNullable<Entry["mail"]>; inbox: string | undefined }) {
  const { id, text, code, links, loadsPictures } = mail;
  const [pictures, setPictures] = useState(false);
  const { answer, failure } = useAnswer("frame", { id, pictures });
  const ticket = answer?.ticket;
  return (
    <>
      <p className="links">
        {code !== undefined && <Copy text={code} label={`Copy ${code}`} />}
        {inbox !== undefined && (
          <a href={`${inbox}/#${id}`} target="_blank" rel="noopener noreferrer">
            Open in the inbox ↗
          </a>
        )}
        {loadsPictures && !pictures && <Button label="Show pictures" onClick={() => setPictures(true)} />}
      </p>
      {failure !== undefined && <p className="note">{failure}</p>}
      {ticket !== undefined && (
        <iframe
          key={ticket}
          title="The mail"
          className="mail"
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          src={`/frame/${ticket}`}
        />
      )}
      {links.map((link) => (
        <p key={link} className="links">
          <a href={link} target="_blank" rel="noopener noreferrer">
            {link}
          </a>
        </p>
      ))}
      <details>
        <summary>Text</summary>
        <pre>{text}</pre>
      </details>
    </>
  );
}
