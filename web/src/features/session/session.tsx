/** Owns: who is signed in, for the whole tree. */
import type { Session } from "@supabase/supabase-js";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { whenClient } from "../../lib/backend/client.ts";
import { storedSession } from "../../lib/backend/stored-session.ts";

const Current = createContext<Session | null>(null);

/**
 * Renders its children with whom this device knows to be signed in.
 * @param onLeave called when a person leaves this device, or another one takes their place
 */
export function SessionProvider({ children, onLeave }: { children: ReactNode; onLeave: () => void }) {
  const [session, setSession] = useState<Session | null>(storedSession);
  const queries = useQueryClient();
  const person = useRef(session?.user.id ?? null);

  useEffect(() => {
    let unsubscribe = () => {};
    const stop = whenClient((client) => {
      const { data } = client.auth.onAuthStateChange((event, given) => {
        // None at the start may mean that the token could not be renewed for want of a connection.
        const next = given ?? (event === "INITIAL_SESSION" ? storedSession() : null);
        // What one person read must not be shown to the next one on the same device.
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
    // A session that is kept here, from before or from another tab just now, needs the client that renews it.
    // Without a connection it comes with the first screen that can be had again.
    const fetchClient = () => {
      if (storedSession()) import("../../lib/backend/supabase.ts").catch(() => undefined);
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

/** The signed-in person's id; throws where nobody is, which the routes rule out. */
export function useMyId(): string {
  const session = useContext(Current);
  if (!session) throw new Error("useMyId was called on a screen that nobody signed in to");
  return session.user.id;
}
