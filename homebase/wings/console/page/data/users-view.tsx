/** Owns the users of Auth: the list, and the facts and actions of one user. */
import { type FormEvent, useRef, useState } from "react";
import type { DataUser, Lens, UserAct } from "../../server/api.ts";
import { useKeys } from "../app/keys.tsx";
import { call, messageOf } from "../app/session.ts";
import { Copy } from "../parts/copy.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Facts } from "../parts/facts.tsx";
import { Alert, DetailsPane } from "../parts/pane.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { counted } from "../parts/words.ts";
import { Grid, type Place } from "./grid.tsx";
import { nameOfUser } from "./lens.tsx";

const TYPING_MS = 200;
const COLUMNS = ["user", "provider", "state", "sessions", "last sign-in", "created"];

interface UsersViewProps {
  singleKeys: boolean;
  onLookAs(lens: Lens): void;
  onRequests(user: string): void;
  onFind(): void;
  onKeys(): void;
}

type Ask = "make" | "set password" | "delete";

export function UsersView({ singleKeys, onLookAs, onRequests, onFind, onKeys }: UsersViewProps) {
  const [text, setText] = useState("");
  const [refused, setRefused] = useState<string>();
  const [active, setActive] = useState<Place>();
  const [opened, setOpened] = useState(false);
  const [asking, setAsking] = useState<Ask>();
  const [version, setVersion] = useState(0);
  const [link, setLink] = useState<{ user: string; link: string }>();
  const filter = useRef<HTMLInputElement>(null);
  const { answer: found, failure = refused } = useAnswer(
    "users",
    { text },
    { version, delay: text === "" ? 0 : TYPING_MS },
  );
  const user = opened && active ? found?.users[active.row] : undefined;
  useKeys(singleKeys, {
    find: onFind,
    "?": onKeys,
    "/": () => filter.current?.focus(),
    n: () => setAsking("make"),
    Escape: () => setOpened(false),
  });
  const act = async (ask: UserAct) => {
    const answer = await call("userAct", ask);
    if (answer.link !== undefined && user) setLink({ user: user.id, link: answer.link });
    setVersion(version + 1);
    if (ask.do === "delete") setOpened(false);
  };
  const attempt = (ask: UserAct) => {
    setRefused(undefined);
    act(ask).catch((error: unknown) => setRefused(messageOf(error)));
  };
  return (
    <>
      <main className="data">
        <h1 className="unseen">Users</h1>
        <div className="bar">
          <input
            ref={filter}
            type="search"
            aria-label="Filter"
            placeholder="Email, phone or id"
            value={text}
            autoComplete="off"
            onChange={({ currentTarget: { value } }) => {
              setText(value);
              setActive(undefined);
              setOpened(false);
            }}
          />
          <button type="button" onClick={() => setVersion(version + 1)}>
            Refresh
          </button>
          <button type="button" onClick={() => setAsking("make")}>
            Make a user <kbd>n</kbd>
          </button>
        </div>
        {failure !== undefined && (
          <div className="cleared">
            <Alert text={failure} />
          </div>
        )}
        {found?.users.length === 0 ? (
          <div className="empty">
            <p>{text === "" ? "No users yet." : "No user has this."}</p>
            <button type="button" onClick={() => (text === "" ? setAsking("make") : setText(""))}>
              {text === "" ? "Make a user" : "Clear the filter"}
            </button>
          </div>
        ) : (
          <div className="listing" aria-busy={!found}>
            {found && (
              <Grid
                label="Users"
                columns={COLUMNS.map((name) => ({ name, sortable: false }))}
                rows={found.users.map(cellsOf)}
                active={active}
                cell={({ row, column }) => found.users[row] && (cellsOf(found.users[row])[column] ?? "")}
                onActive={(place, clicked) => {
                  setActive(place);
                  if (clicked) setOpened(true);
                }}
                onDetails={() => setOpened(!opened)}
                onOpen={() => setOpened(true)}
              />
            )}
          </div>
        )}
        <footer className="foot">
          {found && (
            <span role="status">
              {found.more
                ? `The newest ${found.users.length} users: filter to see others`
                : counted(found.users.length, "user")}
            </span>
          )}
        </footer>
      </main>
      {user && (
        <UserPane
          user={user}
          link={link?.user === user.id ? link.link : undefined}
          onAct={attempt}
          onAsk={setAsking}
          onLookAs={() => onLookAs({ kind: "user", id: user.id, name: nameOfUser(user) })}
          onRequests={() => onRequests(nameOfUser(user))}
          onClose={() => setOpened(false)}
        />
      )}
      {asking && (asking === "make" || user) && (
        <UserDialog ask={asking} user={user} onAct={act} onClose={() => setAsking(undefined)} />
      )}
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
  if (bannedUntil !== null) return "banned";
  return anonymous ? "anonymous" : confirmed ? "confirmed" : "not confirmed";
}

/** To the minute, in the zone of the database. */
function shortTime(time: string | null): string | undefined {
  return time?.slice(0, 16);
}

interface UserPaneProps {
  user: DataUser;
  link: string | undefined;
  onAct(ask: UserAct): void;
  onAsk(ask: Ask): void;
  onLookAs(): void;
  onRequests(): void;
  onClose(): void;
}

function UserPane({ user, link, onAct, onAsk, onLookAs, onRequests, onClose }: UserPaneProps) {
  const { id, bannedUntil, sessions, factors, role } = user;
  const banned = bannedUntil !== null;
  const facts = [
    ["id", id],
    ["email", user.email ?? "none"],
    ["phone", user.phone || "none"],
    ["role", role || "none"],
    ["state", banned ? `banned until ${shortTime(bannedUntil)}` : stateOf(user)],
    ["providers", user.providers.join(", ") || "none"],
    ["second factors", String(factors)],
    ["sessions", String(sessions)],
    ["last sign-in", shortTime(user.lastSignIn) ?? "never"],
    ["created", shortTime(user.created) ?? "–"],
  ] as const;
  return (
    <DetailsPane
      of="Users"
      title={nameOfUser(user)}
      onClose={onClose}
      actions={
        <>
          <button type="button" onClick={() => onAct({ do: banned ? "unban" : "ban", id })}>
            {banned ? "Lift the ban" : "Ban"}
          </button>
          {sessions > 0 && (
            <button type="button" onClick={() => onAct({ do: "sign out", id })}>
              Sign out
            </button>
          )}
          <button type="button" onClick={() => onAsk("set password")}>
            Set password
          </button>
          <button type="button" onClick={() => onAsk("delete")}>
            Delete
          </button>
        </>
      }
    >
      <p className="links">
        <button type="button" className="first" onClick={onLookAs}>
          Look as
        </button>
        <button type="button" onClick={() => onAct({ do: "open", id })}>
          Open the app as
        </button>
        <button type="button" onClick={onRequests}>
          Show requests
        </button>
      </p>
      {link !== undefined && (
        <div className="reasons">
          <p>
            <a href={link} target="_blank" rel="noopener noreferrer">
              Open the app as {nameOfUser(user)} ↗
            </a>
          </p>
          <p className="note">It signs in once. A private window keeps your own session.</p>
          <p>
            <Copy text={link} label="Copy link" />
          </p>
        </div>
      )}
      <Facts facts={facts} />
    </DetailsPane>
  );
}

const TITLES: Readonly<Record<Ask, string>> = {
  make: "Make a user",
  "set password": "Set password",
  delete: "Delete the user",
};

interface UserDialogProps {
  ask: Ask;
  user: DataUser | undefined;
  onAct(ask: UserAct): Promise<void>;
  onClose(): void;
}

function UserDialog({ ask, user, onAct, onClose }: UserDialogProps) {
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [failure, setFailure] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const id = user?.id ?? "";
    try {
      await onAct(
        ask === "make"
          ? { do: ask, email, password }
          : ask === "delete"
            ? { do: ask, id }
            : { do: ask, id, password },
      );
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title={TITLES[ask]} onClose={onClose}>
      <form className="fields" onSubmit={(event) => void submit(event)}>
        {ask === "make" && (
          <label>
            Email
            <input
              type="email"
              required
              autoComplete="off"
              value={email}
              onChange={({ currentTarget: { value } }) => setEmail(value)}
            />
          </label>
        )}
        {ask !== "delete" && (
          <label>
            Password
            <input
              type="text"
              required
              autoComplete="off"
              spellCheck={false}
              value={password}
              onChange={({ currentTarget: { value } }) => setPassword(value)}
            />
          </label>
        )}
        {ask === "make" && <p className="note">The address counts as confirmed, and no mail is sent.</p>}
        {ask === "delete" && user && (
          <p>
            {nameOfUser(user)} is removed with what your tables delete with a user. This cannot be undone.
          </p>
        )}
        <Alert text={failure} />
        <div className="actions">
          <button type="submit" className="first">
            {ask === "make" ? "Make user" : ask === "delete" ? "Delete user" : "Set password"}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
