/** Owns helpers of the tests of broadcast and presence: policies that a topic's name decides, and members of rooms. */
import { expect } from "vitest";
import type { TestBackend } from "../../src/testing/index.ts";
import { ANA, ChangeRig } from "./change-rig.ts";
import { PhoenixSocket } from "./phoenix-socket.ts";

/** Creates the policies. */
export async function createRoomPolicies(backend: TestBackend): Promise<void> {
  // What a topic allows is in its name: r and w for broadcasts, R and W for presence; sub must be in it if it has one.
  await backend.sql(`
    create function public.allows(what text) returns boolean language sql stable as
      $$ select split_part(realtime.topic(), ':', 1) like '%' || what || '%' collate "C"
         and (realtime.topic() not like '%:own:%' or realtime.topic() like '%' || (auth.jwt() ->> 'sub')) $$;
    create policy reading on realtime.messages for select to authenticated
      using ((extension = 'broadcast' and allows('r')) or (extension = 'presence' and allows('R')));
    create policy writing on realtime.messages for insert to authenticated
      with check ((extension = 'broadcast' and allows('w')) or (extension = 'presence' and allows('W')));
    create function public.works() returns boolean language plpgsql stable as
      $$ begin if realtime.topic() like 'fail%' then raise 'broken'; end if; return true; end $$;
    create policy failing on realtime.messages as restrictive for insert to authenticated with check (works())`);
}

export const say = (event: string, payload: unknown = {}) => ({ type: "broadcast", event, payload });
export const present = (event: string, payload?: unknown) => ({ type: "presence", event, payload });

/** How a person joins a room of a Backend. */
export function memberOf(backend: TestBackend) {
  const rig = new ChangeRig(backend);
  return async (name: string, config: Record<string, unknown> = {}, sub = ANA) => {
    const socket = await PhoenixSocket.open(backend);
    const joined = await socket.join(name, config, { access_token: await rig.token(sub) });
    expect(joined.response).toEqual({ postgres_changes: [] });
    return { socket, ...joined, [Symbol.dispose]: () => socket.close() };
  };
}
