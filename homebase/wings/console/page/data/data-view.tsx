/** Owns the Data view: which table or list the address names, as whom it is looked at, and the menu of them. */
import { useCallback } from "react";
import type { Change, DataTable, Lens, TableName, Tables } from "../../server/api.ts";
import { goTo, withParameters } from "../app/address.ts";
import { useAnswer } from "../parts/use-answer.ts";
import { lensOf, lensText } from "./lens.tsx";
import { TableView } from "./table-view.tsx";
import { UsersView } from "./users-view.tsx";

const USERS = "users";

/** The address of a table, with the lens of now. */
export function pathOfTable(
  { schema, name }: TableName,
  parameters: { q?: string; as?: string } = {},
): string {
  const url = new URL(`/data/${encodeURIComponent(`${schema}.${name}`)}`, location.origin);
  return withParameters(url, parameters);
}

/** The table or list that an address names; undefined for that of another view. */
export function itemOf({ pathname }: URL): string | undefined {
  if (!pathname.startsWith("/data/")) return undefined;
  const item = pathname.slice("/data/".length);
  try {
    return decodeURIComponent(item);
  } catch {
    return item;
  }
}

interface DataProps {
  url: URL;
  singleKeys: boolean;
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
  onFind(): void;
  onKeys(): void;
}

/** The tables of the project; read again when the view is opened, as migrations change them. */
export function useTables(reads: boolean): { tables: Tables | undefined; failure: string | undefined } {
  const { answer, failure } = useAnswer("tables", reads ? {} : undefined);
  return { tables: answer, failure };
}

export function Data({
  url,
  tables,
  failure,
  singleKeys,
  changes,
  onChanges,
  onFind,
  onKeys,
}: DataProps & ReturnType<typeof useTables>) {
  const item = itemOf(url) ?? "";
  const lens = lensOf(url.searchParams.get("as"));
  const as = lensText(lens);
  const onGo = (table: TableName, q: string) => {
    if (table.schema === "auth" && table.name === "users") goTo("/data/users");
    else goTo(pathOfTable(table, { q, as }));
  };
  const onWhere = useCallback((q: string) => {
    if (location.pathname.startsWith("/data/"))
      goTo(withParameters(new URL(location.href), { q }), { replace: true });
  }, []);
  const first = tables?.tables[0];
  const onLookAs = (chosen: Lens) => {
    if (first) goTo(pathOfTable(first, { as: lensText(chosen) }));
  };
  if (item === USERS)
    return (
      <UsersView
        singleKeys={singleKeys}
        onLookAs={onLookAs}
        onRequests={(user) => goTo(`/?q=${encodeURIComponent(`user:${user}`)}`)}
        onFind={onFind}
        onKeys={onKeys}
      />
    );
  const table = tables?.tables.find((one) => nameOf(one) === item);
  if (!table || !tables)
    return (
      <main className="data" aria-busy={!tables && failure === undefined}>
        <h1 className="unseen">Data</h1>
        {(tables || failure !== undefined) && (
          <div className="empty">
            <p>{failure ?? `There is no table ${item}.`}</p>
          </div>
        )}
      </main>
    );
  return (
    <TableView
      key={item}
      table={table}
      roles={tables.roles}
      lens={lens}
      where={url.searchParams.get("q") ?? ""}
      singleKeys={singleKeys}
      changes={changes}
      onChanges={onChanges}
      onLens={(chosen) => goTo(withParameters(url, { as: lensText(chosen) }))}
      onWhere={onWhere}
      onGo={onGo}
      onFind={onFind}
      onKeys={onKeys}
    />
  );
}

export function nameOf({ schema, name }: Pick<DataTable, "schema" | "name">): string {
  return `${schema}.${name}`;
}
