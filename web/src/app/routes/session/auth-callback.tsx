/** Owns: the return from a link in a mail or from a provider. The client exchanges the code in the address for a session. */
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { sessionWords } from "../../../features/session/words.ts";
import { supabase } from "../../../lib/backend/supabase.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { LoaderIcon } from "../../../ui/icons.ts";

const route = getRouteApi("/auth/callback");

export function AuthCallback() {
  const words = sessionWords().callback;
  const search = route.useSearch();
  const router = useRouter();
  const [failed, setFailed] = useState(search.error_description !== undefined);
  useTitle(failed ? words.failed : words.waiting);

  useEffect(() => {
    let gone = false;
    // getSession waits for the exchange that the client started when the page was loaded.
    void supabase.auth.getSession().then(({ data }) => {
      if (gone) return;
      if (data.session) router.history.replace(search.next ?? "/home");
      else setFailed(true);
    });
    return () => {
      gone = true;
    };
  }, [router, search.next]);

  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col items-start justify-center gap-4 p-6">
      {failed ? (
        <>
          <h1 className="text-xl">{words.failed}</h1>
          <p className="text-ink-soft">{search.error_description ?? words.why}</p>
          <ButtonLink to="/sign-in" search={{ next: search.next, why: "expired" }} look="action">
            {words.askAgain}
          </ButtonLink>
        </>
      ) : (
        <p role="status" className="flex items-center gap-3 text-lg">
          <LoaderIcon aria-hidden className="spinning size-6" /> {words.waiting}
        </p>
      )}
    </main>
  );
}
