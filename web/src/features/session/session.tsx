/** Owns: the signed-in user, for the whole tree. */
import type { Session } from "@supabase/supabase-js";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { whenClient } from "../../lib/backend/client.ts";
import { loadClient } from "../../lib/backend/load-client.ts";
import { storedSession } from "../../lib/backend/stored-session.ts";

const Current = createContext<Session | null>(null);

/**
 * Provides its children with the device's signed-in user.
 * @param onLeave called when a person signs out, or another one signs in
 */
export function SessionProvider({ children, onLeave }: { children: ReactNode; onLeave: () => void }) {
  const [session, setSession] = useState<Session | null>(storedSession);
  const queries = useQueryClient();
  const person = useRef(session?.user.id ?? null);

  useEffect(() => {
    let unsubscribe = () => {};
    const stop = whenClient((client) => {
      const { data } = client.auth.onAuthStateChange((event, given) => {
        // No session at the start may mean that the token could not be renewed without a connection.
        const next = given ?? (event === "INITIAL_SESSION" ? storedSession() : null);
        // Cached data of one person must not be shown to the next one on the same device.
        const id = next?.user.id ?? null;
        if (person.current !== null && person.current !== id) {
          queries.clear();
          onLeave();
        }
        person.current = id;
        setSession(next);
      });
      unsubscribe = () => data.subscription.unsubscribe();
    });
    // A stored session, from before or from another tab, needs the client, which renews it. Without a
    // connection it is loaded with the next screen that loads.
    const fetchClient = () => {
      if (storedSession()) loadClient().catch(() => undefined);
    };
    fetchClient();
    addEventListener("storage", fetchClient);
    return () => {
      stop();
      unsubscribe();
      removeEventListener("storage", fetchClient);
    };
  }, [queries, onLeave]);

  return <Current value={session}>{children}</Current>;
}

export function useSession(): Session | null {
  return useContext(Current);
}

/** The signed-in user's id; throws if nobody is signed in, which the routes rule out. */
export function useMyId(): string {
  const session = useContext(Current);
  if (!session) throw new Error("useMyId was called on a screen that nobody signed in to");
  return session.user.id;
}
