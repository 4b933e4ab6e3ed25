/** Owns the way in, the view that the address names, and the dialogs that all views have. */
import { lazy, Suspense, useState, useSyncExternalStore } from "react";
import type { Change } from "../../server/api.ts";
import { Data, itemOf, nameOf } from "../data/data-view.tsx";
import { pathOfFolder } from "../data/file-path.ts";
import { pathOfTable } from "../data/table-path.ts";
import { FeedView } from "../feed/feed-view.tsx";
import { connectionText, Frame, Locked } from "../feed/states.tsx";
import { Button, Empty, Heading } from "../parts/controls.tsx";
import { Replacements, useAnswer } from "../parts/use-answer.ts";
import { pathOfSnippet, snippetOf } from "../sql/snippet-path.ts";
import { Stack, stackItemOf, stackItems, titleOf } from "../stack/stack-view.tsx";
import { goTo, pathOfFilter, useAddress } from "./address.ts";
import type { FeedStore } from "./feed-store.ts";
import { FILTERS } from "./filters.ts";
import { KeysDialog, useKeys } from "./keys.tsx";
import { Menu, type Opened } from "./menu.tsx";
import { Palette } from "./palette.tsx";

/** With its editor a script of its own, which is larger than all others. */
const SqlView = lazy(async () => ({ default: (await import("../sql/sql-view.tsx")).SqlView }));

/** The way in, then the view that the address names. The feed goes on while another view is open. */
export function App({ store }: { store: FeedStore }) {
  const state = useSyncExternalStore(store.subscribe, store.read);
  const url = useAddress();
  const [dialog, setDialog] = useState<"find" | "keys">();
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const { kind } = state.connection;
  const entered = kind !== "entering" && kind !== "locked";
  const [item, snippet, stack] = [itemOf(url), snippetOf(url), stackItemOf(url)];
  const feed = url.pathname === "/";
  // Before the stack has said what it offers, its list waits.
  const listed = stack !== undefined && stackItems(state.about ?? { snapshots: true }).includes(stack);
  const unknown = !feed && item === undefined && snippet === undefined && !listed;
  // Read again when a view is opened, as migrations change them.
  const reads = entered && (item !== undefined || snippet !== undefined);
  const { answer: tables, failure } = useAnswer("tables", reads ? {} : undefined, {
    version: state.replacements,
  });
  const { answer: { names: snippets = [] } = {}, again: readSnippets } = useAnswer(
    "snippets",
    snippet !== undefined && entered ? {} : undefined,
  );
  const lens = url.searchParams.get("as") ?? "";
  const onFind = () => setDialog("find");
  const onKeys = () => setDialog("keys");
  useKeys(entered ? { "Ctrl k": onFind } : {});

  if (kind === "entering" && state.rows.length === 0) return <Frame state={state} />;
  if (state.connection.kind === "locked") return <Locked message={state.connection.message} />;
  const opened: Opened = { filter: feed ? state.filter : undefined, item, snippet, stack };
  const counts = { "is:failed": state.failed, "is:empty": state.empty, "is:mail": state.mails };
  const staged = { changes, onChanges: setChanges };
  const menu = <Menu about={state.about} {...{ opened, counts, snippets, tables, lens, onFind, onKeys }} />;
  const filterBy = (filter: string) => goTo(pathOfFilter(filter));
  return (
    <Replacements value={state.replacements}>
      <div className="frame">
        {menu}
        {feed && <FeedView store={store} state={state} />}
        {unknown && (
          <main className="data">
            <Heading>No such page</Heading>
            <Empty>
              <p>The console has no page {url.pathname}.</p>
              <Button label="Open the Feed" onClick={() => goTo("/")} />
            </Empty>
          </main>
        )}
        {item !== undefined && <Data {...{ url, item, tables, failure }} {...staged} />}
        {listed && <Stack item={stack} about={state.about} url={url} />}
        {snippet !== undefined && (
          <Suspense fallback={<main className="data sql" aria-busy="true" />}>
            <SqlView key={snippet} {...{ url, snippet, tables }} {...staged} onSnippets={readSnippets} />
          </Suspense>
        )}
      </div>
      {!feed && kind !== "live" && (
        <p role="alert" className="foot lost">
          {connectionText(state)}
        </p>
      )}
      {dialog === "keys" && <KeysDialog onClose={() => setDialog(undefined)} />}
      {dialog === "find" && (
        <Palette
          commands={[
            ...FILTERS.map(([name, filter]) => leading("Filter", name, pathOfFilter(filter))),
            leading("Data", "Users", "/data/users"),
            leading("Data", "Files", pathOfFolder(undefined, lens)),
            ...(tables?.tables ?? []).map((one) =>
              leading("Data", nameOf(one), pathOfTable(one, { as: lens })),
            ),
            ...["", ...snippets].map((name) => leading("SQL", name || "New text", pathOfSnippet(name, lens))),
            ...stackItems(state.about).map((name) => leading("Stack", titleOf(name), `/stack/${name}`)),
            { kind: "Command", name: "Clear", run: () => store.clear() },
            { kind: "Command", name: state.paused ? "Resume" : "Pause", run: () => store.pause() },
            { kind: "Command", name: "Keys", run: onKeys },
          ]}
          onFilter={filterBy}
          onRequest={(id) => goTo(`/?open=${encodeURIComponent(id)}`)}
          onClose={() => setDialog(undefined)}
        />
      )}
    </Replacements>
  );
}

function leading(kind: string, name: string, path: string) {
  return { kind, name, run: () => goTo(path) };
}
