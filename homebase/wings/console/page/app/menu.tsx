/** Owns the menu: the views, and what the view that is open has: saved filters, or tables. */
import { useEffect } from "react";
import type { About, Tables } from "../../server/api.ts";
import { nameOf, pathOfTable } from "../data/data-view.tsx";
import { useNow } from "../feed/states.tsx";
import { duration } from "../parts/words.ts";
import { pathOfSnippet } from "../sql/snippet-path.ts";
import { STACK_ITEMS, titleOf } from "../stack/stack-view.tsx";
import { goTo } from "./address.ts";
import { FILTERS } from "./filters.ts";

const MINUTE_MS = 60_000;
const MODIFIER = navigator.platform.startsWith("Mac") ? "⌘" : "Ctrl ";

interface MenuProps {
  about: About | undefined;
  /** Of the Feed: the filter that is set, and how many rows some of them have. */
  filter: string | undefined;
  counts: Readonly<Record<string, number>>;
  /** Of Stack: the list that is open. */
  stack: string | undefined;
  /** Of Data: the table or list that is open. */
  item: string | undefined;
  /** Of SQL: the snippet that is open, "" for none, and all of them. */
  snippet: string | undefined;
  snippets: readonly string[];
  tables: Tables | undefined;
  lens: string;
  onFilter(filter: string): void;
  onFind(): void;
  onKeys(): void;
}

export function Menu({
  about,
  filter,
  counts,
  stack,
  item,
  snippet,
  snippets,
  tables,
  lens,
  onFilter,
  onFind,
  onKeys,
}: MenuProps) {
  const now = useNow(MINUTE_MS);
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
        <li>
          <button type="button" aria-pressed={filter !== undefined} onClick={() => goTo("/")}>
            Feed
          </button>
        </li>
        <li>
          <button type="button" aria-pressed={item !== undefined} onClick={() => goTo("/data/users")}>
            Data
          </button>
        </li>
        <li>
          <button
            type="button"
            aria-pressed={snippet !== undefined}
            onClick={() => goTo(pathOfSnippet("", lens))}
          >
            SQL
          </button>
        </li>
        <li>
          <button type="button" aria-pressed={stack !== undefined} onClick={() => goTo("/stack/policies")}>
            Stack
          </button>
        </li>
      </ul>
      {stack !== undefined && (
        <ul>
          {STACK_ITEMS.map((name) => (
            <li key={name}>
              <button type="button" aria-pressed={stack === name} onClick={() => goTo(`/stack/${name}`)}>
                {titleOf(name)}
              </button>
            </li>
          ))}
        </ul>
      )}
      {filter !== undefined && (
        <ul>
          {FILTERS.map(([name, text]) => (
            <li key={name}>
              <button type="button" aria-pressed={filter === text} onClick={() => onFilter(text)}>
                {name}
                {(counts[text] ?? 0) > 0 && <small>{counts[text]?.toLocaleString()}</small>}
              </button>
            </li>
          ))}
        </ul>
      )}
      {snippet !== undefined && (
        <ul className="tables">
          {["", ...snippets].map((name) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={snippet === name}
                title={name}
                onClick={() => goTo(pathOfSnippet(name, lens))}
              >
                {name || "New text"}
              </button>
            </li>
          ))}
        </ul>
      )}
      {item !== undefined && (
        <ul className="tables">
          <li>
            <button type="button" aria-pressed={item === "users"} onClick={() => goTo("/data/users")}>
              Users
            </button>
          </li>
          {tables?.tables
            .filter(({ schema }) => schema !== "auth")
            .map((table) => (
              <li key={nameOf(table)}>
                <button
                  type="button"
                  aria-pressed={item === nameOf(table)}
                  title={nameOf(table)}
                  onClick={() => goTo(pathOfTable(table, { as: lens }))}
                >
                  {table.schema === "public" ? table.name : nameOf(table)}
                </button>
              </li>
            ))}
        </ul>
      )}
      <button type="button" className="plain keys" onClick={onFind}>
        Find <kbd>{MODIFIER}K</kbd>
      </button>
      <button type="button" className="plain" onClick={onKeys}>
        Keys <kbd>?</kbd>
      </button>
    </nav>
  );
}
