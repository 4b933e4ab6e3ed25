/** Owns the way in, the view that the address names, and the dialogs that all views have. */
import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import type { Change } from "../../server/api.ts";
import { Data, itemOf, nameOf, pathOfTable, useTables } from "../data/data-view.tsx";
import { FeedView } from "../feed/feed-view.tsx";
import { Frame, Locked } from "../feed/states.tsx";
import { useAnswer } from "../parts/use-answer.ts";
import { pathOfSnippet, snippetOf } from "../sql/snippet-path.ts";
import { STACK_ITEMS, Stack, stackItemOf, titleOf } from "../stack/stack-view.tsx";
import { goTo, useAddress } from "./address.ts";
import type { FeedStore } from "./feed-store.ts";
import { FILTERS } from "./filters.ts";
import { KeysDialog, useSingleKeys } from "./keys.tsx";
import { Menu } from "./menu.tsx";
import { Palette } from "./palette.tsx";

/** With its editor a script of its own, which is larger than all others. */
const SqlView = lazy(async () => ({ default: (await import("../sql/sql-view.tsx")).SqlView }));

/** The way in, then the view that the address names. The feed goes on while another view is open. */
export function App({ store }: { store: FeedStore }) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  const url = useAddress();
  const singleKeys = useSingleKeys();
  const [dialog, setDialog] = useState<"find" | "keys">();
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const item = itemOf(url);
  const data = item !== undefined;
  const stack = stackItemOf(url);
  const entered = state.connection.kind !== "entering" && state.connection.kind !== "locked";
  const snippet = snippetOf(url);
  const known = useTables((data || snippet !== undefined) && entered);
  const [snippetsVersion, setSnippetsVersion] = useState(0);
  const { answer: { names: snippets = [] } = {} } = useAnswer(
    "snippets",
    snippet !== undefined && entered ? {} : undefined,
    { version: snippetsVersion },
  );
  const lens = url.searchParams.get("as") ?? "";

  if (state.connection.kind === "entering" && state.rows.length === 0) return <Frame state={state} />;
  if (state.connection.kind === "locked") return <Locked message={state.connection.message} />;
  const onFind = () => setDialog("find");
  const onKeys = () => setDialog("keys");
  const filterBy = (filter: string) => goTo(filter === "" ? "/" : `/?q=${encodeURIComponent(filter)}`);
  const menu = (
    <Menu
      about={state.about}
      filter={data || stack !== undefined || snippet !== undefined ? undefined : state.filter}
      counts={{ "is:failed": state.failed, "is:empty": state.empty, "is:mail": state.mails }}
      stack={stack}
      item={item}
      snippet={snippet}
      snippets={snippets}
      tables={known.tables}
      lens={lens}
      onFilter={filterBy}
      onFind={onFind}
      onKeys={onKeys}
    />
  );
  return (
    <>
      {data ? (
        <div className="frame">
          {menu}
          <Data
            url={url}
            {...known}
            singleKeys={singleKeys.on}
            changes={changes}
            onChanges={setChanges}
            onFind={onFind}
            onKeys={onKeys}
          />
        </div>
      ) : snippet !== undefined ? (
        <div className="frame">
          {menu}
          <Suspense fallback={<main className="data sql" aria-busy="true" />}>
            <SqlView
              key={snippet}
              url={url}
              snippet={snippet}
              tables={known.tables}
              singleKeys={singleKeys.on}
              changes={changes}
              onChanges={setChanges}
              onSnippets={() => setSnippetsVersion(snippetsVersion + 1)}
              onFind={onFind}
              onKeys={onKeys}
            />
          </Suspense>
        </div>
      ) : stack !== undefined ? (
        <div className="frame">
          {menu}
          <Stack
            item={stack}
            began={state.about?.began}
            url={url}
            singleKeys={singleKeys.on}
            onFind={onFind}
            onKeys={onKeys}
          />
        </div>
      ) : (
        <FeedView
          store={store}
          state={state}
          menu={menu}
          singleKeys={singleKeys.on}
          onFind={onFind}
          onKeys={onKeys}
        />
      )}
      {dialog === "keys" && <KeysDialog singleKeys={singleKeys} onClose={() => setDialog(undefined)} />}
      {dialog === "find" && (
        <Palette
          commands={[
            ...FILTERS.map(([name, filter]) => ({ kind: "Filter", name, run: () => filterBy(filter) })),
            { kind: "Data", name: "Users", run: () => goTo("/data/users") },
            ...(known.tables?.tables ?? []).map((table) => ({
              kind: "Data",
              name: nameOf(table),
              run: () => goTo(pathOfTable(table, { as: lens })),
            })),
            ...["", ...snippets].map((name) => ({
              kind: "SQL",
              name: name || "New text",
              run: () => goTo(pathOfSnippet(name, lens)),
            })),
            ...STACK_ITEMS.map((name) => ({
              kind: "Stack",
              name: titleOf(name),
              run: () => goTo(`/stack/${name}`),
            })),
            { kind: "Command", name: "Clear", run: () => store.clear() },
            { kind: "Command", name: state.paused ? "Resume" : "Pause", run: () => store.pause() },
            { kind: "Command", name: "Keys", run: onKeys },
          ]}
          onFilter={filterBy}
          onRequest={(id) => goTo(`/?open=${encodeURIComponent(id)}`)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  );
}
