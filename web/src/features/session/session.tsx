/** Owns: who is signed in, for the whole tree. */
import type { Session } from "@supabase/supabase-js";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { keptSession } from "../../lib/kept-session.ts";
import { supabase } from "../../lib/supabase.ts";

const Current = createContext<Session | null>(null);

/**
 * Renders its children once it is known whether someone is signed in: at once, where the device knows.
 * @param onLeave called when a person leaves this device, or another one takes their place
 */
export function SessionProvider({ children, onLeave }: { children: ReactNode; onLeave: () => void }) {
  const [session, setSession] = useState<Session | null | undefined>(() => keptSession() ?? undefined);
  const queries = useQueryClient();
  const person = useRef(session?.user.id ?? null);

  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((event, given) => {
      // None at the start may mean that the token could not be renewed for want of a connection.
      const next = given ?? (event === "INITIAL_SESSION" ? keptSession() : null);
      // What one person read must not be shown to the next one on the same device.
      const id = next?.user.id ?? null;
      if (person.current !== null && person.current !== id) {
        queries.clear();
        onLeave();
      }
      person.current = id;
      setSession(next);
    });
    return () => data.subscription.unsubscribe();
  }, [queries, onLeave]);

  if (session === undefined) return null;
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
