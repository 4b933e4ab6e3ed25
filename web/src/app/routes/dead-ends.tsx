/** Owns: the screens where the way ends: nothing here, and something broke. */
import { useState } from "react";
import { TableDrawing } from "../../features/plans/components/table-drawing.tsx";
import { toAppError } from "../../lib/errors.ts";
import { useTitle } from "../../lib/title.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";

export function NotFoundScreen() {
  useTitle("Nothing here");
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col items-center justify-center gap-5 p-6 text-center">
      <TableDrawing seats={[]} label="An empty table" className="w-56" />
      <h1 className="text-xl">Nobody is sitting here</h1>
      <p className="text-ink-soft">
        The page was moved, taken away, or never set. Check the address, or start over.
      </p>
      <ButtonLink to="/home" look="action">
        To your plans
      </ButtonLink>
    </main>
  );
}

export function BrokenScreen({ error, reset }: { error: unknown; reset: () => void }) {
  const known = toAppError(error);
  const [id] = useState(() => crypto.randomUUID().slice(0, 8));
  console.error(`error ${id}`, error);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-xl">Something fell off the table</h1>
      <p>{known.message}</p>
      <p className="text-ink-soft">
        {known.hint} If you tell us, say <span className="numerals text-ink">{id}</span>.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="action" onPress={reset}>
          Try again
        </Button>
        <ButtonLink to="/home">To your plans</ButtonLink>
      </div>
    </main>
  );
}
