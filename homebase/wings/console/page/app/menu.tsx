/** Owns the menu: the views, and what the view that is open has: saved filters, tables, snippets or lists. */
import { useEffect } from "react";
import type { About, Tables } from "../../server/api.ts";
import { nameOf } from "../data/data-view.tsx";
import { FILES, pathOfFolder } from "../data/file-path.ts";
import { pathOfTable } from "../data/table-path.ts";
import { useNow } from "../feed/states.tsx";
import { Button, Plain } from "../parts/controls.tsx";
import { amount, duration } from "../parts/words.ts";
import { pathOfSnippet } from "../sql/snippet-path.ts";
import { stackItems, titleOf } from "../stack/stack-view.tsx";
import { goTo, pathOfFilter } from "./address.ts";
import { FILTERS } from "./filters.ts";
import { MODIFIER } from "./keys.tsx";

const MINUTE_MS = 60_000;

/** The open view, which the address names: one member is set. */
export interface Opened {
  /** Of the Feed: the filter that is set. */
  filter?: string | undefined;
  /** Of Data: the table or list. */
  item?: string | undefined;
  /** Of SQL: the snippet, "" for none. */
  snippet?: string | undefined;
  /** Of Stack: the list. */
  stack?: string | undefined;
}

interface MenuProps {
  about: About | undefined;
  opened: Opened;
  /** How many rows some filters have. */
  counts: Readonly<Record<string, number>>;
  snippets: readonly string[];
  tables: Tables | undefined;
  lens: string;
  onFind(): void;
  onKeys(): void;
}

export function Menu({ about, opened, counts, snippets, tables, lens, onFind, onKeys }: MenuProps) {
  const now = useNow(MINUTE_MS);
  const { filter, item, snippet, stack } = opened;
  // Where the window is narrow, the menu is one line that scrolls.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice comes into sight
  useEffect(() => {
    const chosen = document.querySelector(".menu ul:not(.views) [aria-pressed='true']");
    chosen?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [filter, item, stack]);
  const items: ItemProps[] = [];
  const add = (label: string, path: string, pressed: boolean, count = 0) =>
    items.push({ label, path, pressed, count });
  if (stack !== undefined)
    for (const name of stackItems(about)) add(titleOf(name), `/stack/${name}`, stack === name);
  if (filter !== undefined)
    for (const [name, text] of FILTERS) add(name, pathOfFilter(text), filter === text, counts[text]);
  if (snippet !== undefined)
    for (const name of ["", ...snippets])
      add(name || "New text", pathOfSnippet(name, lens), snippet === name);
  if (item !== undefined) {
    add("Users", "/data/users", item === "users");
    add("Files", pathOfFolder(undefined, lens), item === FILES);
    for (const table of tables?.tables ?? []) {
      const name = nameOf(table);
      const label = table.schema === "public" ? table.name : name;
      if (table.schema !== "auth") add(label, pathOfTable(table, { as: lens }), item === name);
    }
  }
  return (
    <nav className="menu" aria-label="Views">
      <p className="project">
        <b>{about?.project}</b>
        {about && (
          <small>
            {new URL(about.url).port}, up {duration(now - about.began)}
          </small>
        )}
      </p>
      <ul className="views">
        <Item label="Feed" path="/" pressed={filter !== undefined} />
        <Item label="Data" path="/data/users" pressed={item !== undefined} />
        <Item label="SQL" path={pathOfSnippet("", lens)} pressed={snippet !== undefined} />
        <Item label="Stack" path="/stack/policies" pressed={stack !== undefined} />
      </ul>
      <ul className={filter === undefined && stack === undefined ? "tables" : undefined}>
        {items.map((one) => (
          <Item key={one.path} {...one} />
        ))}
      </ul>
      <Plain className="keys" label="Find" shortcut={`${MODIFIER}K`} onClick={onFind} />
      <Plain label="Keys" shortcut="?" onClick={onKeys} />
    </nav>
  );
}

interface ItemProps {
  label: string;
  path: string;
  pressed: boolean;
  /** At its right; none is not shown. */
  count?: number;
}

function Item({ label, path, pressed, count = 0 }: ItemProps) {
  const text = (
    <>
      {label}
      {count > 0 && <small>{amount(count)}</small>}
    </>
  );
  return (
    <li>
      <Button label={text} title={label} aria-pressed={pressed} onClick={() => goTo(path)} />
    </li>
  );
}
