/** Owns: the screens for an unknown address and for an unexpected error. */
import { useState } from "react";
import { TableDrawing } from "../../features/table/components/table-drawing.tsx";
import { useTitle } from "../../lib/device/title.ts";
import { toAppError } from "../../lib/errors.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { uiWords } from "../../ui/words.ts";
import { appWords } from "../words.ts";

export function NotFoundScreen() {
  const words = appWords();
  useTitle(words.notFound.title);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col items-center justify-center gap-5 p-6 text-center">
      <TableDrawing seats={[]} label={words.emptyTable} className="w-56" />
      <h1 className="text-xl">{words.notFound.title}</h1>
      <p className="text-ink-soft">{words.notFound.text}</p>
      <ButtonLink to="/home" look="action">
        {words.toYourPlans}
      </ButtonLink>
    </main>
  );
}

export function BrokenScreen({ error, reset }: { error: unknown; reset: () => void }) {
  const words = appWords();
  const known = toAppError(error);
  const [id] = useState(() => crypto.randomUUID().slice(0, 8));
  console.error(`error ${id}`, error);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 p-6">
      <h1 className="text-xl">{words.broken.heading}</h1>
      <p>{known.message}</p>
      <p className="text-ink-soft">
        {known.hint} {words.broken.tellUs(id)}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="action" onPress={reset}>
          {uiWords().tryAgain}
        </Button>
        <ButtonLink to="/home">{words.toYourPlans}</ButtonLink>
      </div>
    </main>
  );
}
