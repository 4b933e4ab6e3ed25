/** Owns the users of Auth: the list, and the facts and actions of one user. */
import { useState } from "react";
import type { DataUser, Lens, UserAct } from "../../server/api.ts";
import { goTo, pathOfFilter } from "../app/address.ts";
import { call } from "../app/way-in.ts";
import { Button, Field } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { FormDialog } from "../parts/dialog.tsx";
import { useAnswer, useAttempt } from "../parts/use-answer.ts";
import { counted } from "../parts/words.ts";
import { RowList } from "../stack/listing.tsx";
import { nameOfUser } from "./lens-choice.tsx";

const TYPING_MS = 200;
const COLUMNS = ["user", "provider", "state", "sessions", "last sign-in", "created"];

type Ask = "make" | "set password" | "delete";

export function UsersView({ onLookAs }: { onLookAs(lens: Lens): void }) {
  const [text, setText] = useState("");
  const [asking, setAsking] = useState<{ ask: Ask; user?: DataUser }>();
  const [link, setLink] = useState<{ user: string; link: string }>();
  const { failure: refused, attempt } = useAttempt();
  const delay = text === "" ? 0 : TYPING_MS;
  const { answer: found, failure = refused, again } = useAnswer("users", { text }, { delay });
  const act = async (ask: UserAct) => {
    const answer = await call("userAct", ask);
    if (answer.link !== undefined && "id" in ask) setLink({ user: ask.id, link: answer.link });
    again();
  };
  const tried = (ask: UserAct) => void attempt(() => act(ask));
  const make = () => setAsking({ ask: "make" });
  return (
    <>
      <RowList
        title="Users"
        columns={COLUMNS}
        rows={found?.users.map((user) => ({
          title: nameOfUser(user),
          cells: cellsOf(user),
          facts: [
            ["id", user.id],
            ["email", user.email ?? "none"],
            ["phone", user.phone || "none"],
            ["role", user.role || "none"],
            ["second factors", String(user.factors)],
          ],
          lead: (
            <UserDetails
              user={user}
              link={link?.user === user.id ? link.link : undefined}
              onOpen={() => tried({ do: "open", id: user.id })}
              onLookAs={() => onLookAs({ kind: "user", id: user.id, name: nameOfUser(user) })}
            />
          ),
          actions: (
            <>
              <Button
                label={user.bannedUntil === null ? "Ban" : "Lift the ban"}
                onClick={() => tried({ do: user.bannedUntil === null ? "ban" : "unban", id: user.id })}
              />
              {user.sessions > 0 && (
                <Button label="Sign out" onClick={() => tried({ do: "sign out", id: user.id })} />
              )}
              <Button label="Set password" onClick={() => setAsking({ ask: "set password", user })} />
              <Button label="Delete" onClick={() => setAsking({ ask: "delete", user })} />
            </>
          ),
        }))}
        failure={failure}
        filter={text}
        placeholder="Email, phone or id"
        onFilter={setText}
        onRefresh={again}
        actions={<Button label="Make a user" shortcut="n" onClick={make} />}
        empty={
          text === "" ? (
            <>
              <p>No users yet.</p>
              <Button label="Make a user" onClick={make} />
            </>
          ) : (
            "No user has this."
          )
        }
        count={
          found?.more
            ? `The newest ${found.users.length} users: filter to see others`
            : counted(found?.users.length ?? 0, "user")
        }
      />
      {asking && <UserDialog {...asking} onAct={act} onClose={() => setAsking(undefined)} />}
    </>
  );
}

function cellsOf(user: DataUser): string[] {
  const { providers, sessions, lastSignIn, created } = user;
  return [
    nameOfUser(user),
    providers.join(", ") || "–",
    stateOf(user),
    String(sessions),
    shortTime(lastSignIn) ?? "never",
    shortTime(created) ?? "–",
  ];
}

function stateOf({ bannedUntil, anonymous, confirmed }: DataUser): string {
  if (bannedUntil !== null) return `banned until ${shortTime(bannedUntil)}`;
  return anonymous ? "anonymous" : confirmed ? "confirmed" : "not confirmed";
}

/** To the minute, in the zone of the database. */
function shortTime(time: string | null): string | undefined {
  return time?.slice(0, 16);
}

interface UserDetailsProps {
  user: DataUser;
  link: string | undefined;
  onOpen(): void;
  onLookAs(): void;
}

function UserDetails({ user, link, onOpen, onLookAs }: UserDetailsProps) {
  const name = nameOfUser(user);
  return (
    <>
      <p className="links">
        <Button label="Look as" className="first" onClick={onLookAs} />
        <Button label="Open the app as" onClick={onOpen} />
        <Button label="Show requests" onClick={() => goTo(pathOfFilter(`user:${name}`))} />
      </p>
      {link !== undefined && (
        <div className="reasons">
          <p>
            <a href={link} target="_blank" rel="noopener noreferrer">
              Open the app as {name} ↗
            </a>
          </p>
          <p className="note">It signs in once. A private window keeps your own session.</p>
          <p>
            <Copy text={link} label="Copy link" />
          </p>
        </div>
      )}
    </>
  );
}

const WORDS: Readonly<Record<Ask, readonly [title: string, verb: string]>> = {
  make: ["Make a user", "Make user"],
  "set password": ["Set password", "Set password"],
  delete: ["Delete the user", "Delete user"],
};

interface UserDialogProps {
  ask: Ask;
  user?: DataUser;
  onAct(ask: UserAct): Promise<void>;
  onClose(): void;
}

function UserDialog({ ask, user, onAct, onClose }: UserDialogProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [title, verb] = WORDS[ask];
  const submit = async () => {
    const id = user?.id ?? "";
    if (ask === "make") await onAct({ do: ask, email, password });
    else await onAct(ask === "delete" ? { do: ask, id } : { do: ask, id, password });
    onClose();
  };
  return (
    <FormDialog title={title} verb={verb} onSubmit={submit} onClose={onClose}>
      {ask === "make" && <Field label="Email" type="email" required value={email} onChange={setEmail} />}
      {ask !== "delete" && <Field label="Password" required value={password} onChange={setPassword} />}
      {ask === "make" && <p className="note">The address counts as confirmed, and no mail is sent.</p>}
      {ask === "set password" && (
        <p className="note">All sessions of the user end. They sign in with the new password.</p>
      )}
      {ask === "delete" && user && (
        <p>{nameOfUser(user)} is removed with what your tables delete with a user. This cannot be undone.</p>
      )}
    </FormDialog>
  );
}
