/** Owns the Data view: which table or list the address names, as whom it is looked at, and the menu of them. */
import { lazy, Suspense } from "react";
import type { Change, DataTable, Tables } from "../../server/api.ts";
import { goTo } from "../app/address.ts";
import { Empty, Heading } from "../parts/controls.tsx";
import { decoded } from "../parts/words.ts";
import { FILES, folderOf } from "./file-path.ts";
import { lensText } from "./lens-choice.tsx";
import { pathOfTable } from "./table-path.ts";
import { TableView } from "./table-view.tsx";
import { UsersView } from "./users-view.tsx";

const USERS = "users";
const FilesView = lazy(async () => ({ default: (await import("./files-view.tsx")).FilesView }));

/** The table or list that an address names; undefined for that of another view. */
export function itemOf(url: URL): string | undefined {
  const { pathname } = url;
  if (!pathname.startsWith("/data/")) return undefined;
  return folderOf(url) ? FILES : decoded(pathname.slice("/data/".length));
}

interface DataProps {
  url: URL;
  item: string;
  tables: Tables | undefined;
  failure: string | undefined;
  changes: readonly Change[];
  onChanges(changes: readonly Change[]): void;
}

export function Data({ url, item, tables, failure, changes, onChanges }: DataProps) {
  const first = tables?.tables[0];
  if (item === USERS)
    return <UsersView onLookAs={(lens) => first && goTo(pathOfTable(first, { as: lensText(lens) }))} />;
  const folder = folderOf(url);
  if (folder)
    return (
      <Suspense fallback={<main className="data" aria-busy="true" />}>
        <FilesView {...{ url, folder }} roles={tables?.roles ?? []} />
      </Suspense>
    );
  const table = tables?.tables.find((one) => nameOf(one) === item);
  if (!table || !tables)
    return (
      <main className="data" aria-busy={!tables && failure === undefined}>
        <Heading>Data</Heading>
        {(tables || failure !== undefined) && <Empty>{failure ?? `There is no table ${item}.`}</Empty>}
      </main>
    );
  return <TableView key={item} roles={tables.roles} {...{ url, table, changes, onChanges }} />;
}

export function nameOf({ schema, name }: Pick<DataTable, "schema" | "name">): string {
  return `${schema}.${name}`;
}
