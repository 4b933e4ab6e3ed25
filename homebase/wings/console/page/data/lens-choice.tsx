/** Owns the choice as whom rows are looked at: postgres, a role, or a user. */
import { useState } from "react";
import type { DataUser, Lens } from "../../server/api.ts";
import { goTo, withParameters } from "../app/address.ts";
import { optionOf, Plain, Search } from "../parts/controls.tsx";
import { Alert } from "../parts/detail-frame.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { useAnswer } from "../parts/use-answer.ts";

const TYPING_MS = 150;
const OTHER = "other";

/** A lens as the address has it. */
export function lensText(lens: Lens): string {
  if (lens.kind === "postgres") return "";
  return lens.kind === "role" ? `role:${lens.role}` : `user:${lens.id}:${lens.name}`;
}

export function lensOf(text: string | null): Lens {
  const [, kind, value = ""] = /^(role|user):(.+)$/s.exec(text ?? "") ?? [];
  if (kind === "role") return { kind, role: value };
  const at = value.indexOf(":");
  if (kind === "user" && at > 0) return { kind, id: value.slice(0, at), name: value.slice(at + 1) };
  return { kind: "postgres" };
}

export function nameOfLens(lens: Lens): string {
  return lens.kind === "postgres" ? "postgres" : lens.kind === "role" ? lens.role : lens.name;
}

export function nameOfUser({ email, phone, id }: Pick<DataUser, "email" | "phone" | "id">): string {
  return email || phone || id;
}

interface LensPickerProps {
  lens: Lens;
  roles: readonly string[];
  /** Of Storage, which knows no postgres: the role that passes all policies is one of them. */
  withoutPostgres?: boolean;
  /** The lens is in its parameters. */
  url: URL;
}

export function LensPicker({ lens, roles, withoutPostgres = false, url }: LensPickerProps) {
  const onChoose = (chosen: Lens) => goTo(withParameters(url, { as: lensText(chosen) }));
  const [searching, setSearching] = useState(false);
  // A role of the address may not be there, and all of them come later than the page.
  const own = lens.kind === "role" && !roles.includes(lens.role) ? [lens.role] : [];
  return (
    <>
      <select
        className="lens"
        aria-label="Look as"
        value={lensText(lens)}
        onChange={({ currentTarget: { value } }) => {
          if (value === OTHER) setSearching(true);
          else onChoose(lensOf(value));
        }}
      >
        {!withoutPostgres && <option value="">as postgres</option>}
        {[...own, ...roles].map((role) => optionOf([`role:${role}`, `as ${role}`]))}
        {lens.kind === "user" && <option value={lensText(lens)}>as {lens.name}</option>}
        <option value={OTHER}>{lens.kind === "user" ? "as another user…" : "as a user…"}</option>
      </select>
      {searching && <UserSearch onChoose={onChoose} onClose={() => setSearching(false)} />}
    </>
  );
}

function UserSearch({ onChoose, onClose }: { onChoose(lens: Lens): void; onClose(): void }) {
  const [text, setText] = useState("");
  const { answer, failure } = useAnswer("users", { text }, { delay: TYPING_MS });
  const users = answer?.users;
  const choose = (user: DataUser) => {
    onClose();
    onChoose({ kind: "user", id: user.id, name: nameOfUser(user) });
  };
  return (
    <Dialog title="Look as a user" close="Cancel" onClose={onClose}>
      <Search label="Email, phone or id" placeholder="Email, phone or id" value={text} onChange={setText} />
      <ul className="found">
        {users?.slice(0, 20).map((user) => (
          <li key={user.id}>
            <Plain label={nameOfUser(user)} onClick={() => choose(user)} />
          </li>
        ))}
      </ul>
      {users?.length === 0 && <p className="note">No user has this.</p>}
      <Alert text={failure} />
    </Dialog>
  );
}
