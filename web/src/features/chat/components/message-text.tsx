/** Owns: the text of a message, with links. */
import { piecesOf } from "../links.ts";

export function MessageText({ text }: { text: string }) {
  return (
    <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
      {piecesOf(text).map((piece, index) =>
        "href" in piece ? (
          <a
            // Pieces are identified by their position in a text that does not change.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            key={index}
            href={piece.href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="underline decoration-1 underline-offset-2 hover:decoration-2"
          >
            {piece.text}
          </a>
        ) : (
          piece.text
        ),
      )}
    </p>
  );
}
