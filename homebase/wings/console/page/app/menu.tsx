/** Owns the menu: the views, and what the view that is open has: saved filters, tables, snippets or lists. */
import { type ReactNode, useEffect } from "react";
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
        {stack !== undefined &&
          stackItems(about).map((name) => (
            <Item key={name} label={titleOf(name)} path={`/stack/${name}`} pressed={stack === name} />
          ))}
        {filter !== undefined &&
          FILTERS.map(([name, text]) => (
            <Item key={name} label={name} path={pathOfFilter(text)} pressed={filter === text}>
              {(counts[text] ?? 0) > 0 && <small>{amount(counts[text] ?? 0)}</small>}
            </Item>
          ))}
        {snippet !== undefined &&
          ["", ...snippets].map((name) => (
            <Item
              key={name}
              label={name || "New text"}
              path={pathOfSnippet(name, lens)}
              pressed={snippet === name}
            />
          ))}
        {item !== undefined && <Item label="Users" path="/data/users" pressed={item === "users"} />}
        {item !== undefined && (
          <Item label="Files" path={pathOfFolder(undefined, lens)} pressed={item === FILES} />
        )}
        {item !== undefined &&
          tables?.tables
            .filter(({ schema }) => schema !== "auth")
            .map((table) => (
              <Item
                key={nameOf(table)}
                label={table.schema === "public" ? table.name : nameOf(table)}
                path={pathOfTable(table, { as: lens })}
                pressed={item === nameOf(table)}
              />
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
  /** At its right. */
  children?: ReactNode;
}

function Item({ label, path, pressed, children }: ItemProps) {
  return (
    <li>
      <Button
        label={
          <>
            {label}
            {children}
          </>
        }
        title={label}
        aria-pressed={pressed}
        onClick={() => goTo(path)}
      />
    </li>
  );
}
