/** Owns: who is signed in, for the whole tree. */
import type { Session } from "@supabase/supabase-js";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { supabase } from "../../lib/supabase.ts";

const Current = createContext<Session | null>(null);

/** Renders its children once it is known whether someone is signed in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session | null | undefined>(undefined);
  const queries = useQueryClient();
  const person = useRef<string | null>(null);

  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => {
      // What one person read must not be shown to the next one on the same device.
      const id = next?.user.id ?? null;
      if (person.current !== null && person.current !== id) queries.clear();
      person.current = id;
      setSession(next);
    });
    return () => data.subscription.unsubscribe();
  }, [queries]);

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
