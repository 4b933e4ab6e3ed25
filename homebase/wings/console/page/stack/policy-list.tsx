/** Owns the list of policies: who may what with which rows, and what tests have decided of it. */
import type { Policies, PolicyPart, StackPolicy, StackTable } from "../../server/api.ts";
import { goTo } from "../app/address.ts";
import { pathOfTable } from "../data/table-path.ts";
import { Button, Scrolled } from "../parts/controls.tsx";
import { Copy } from "../parts/copy.tsx";
import { Facts } from "../parts/facts.tsx";
import { counted } from "../parts/words.ts";
import type { ListedRow, ListingOf } from "./listing.tsx";

const COUNT = "HOMEBASE_COVERAGE=1 npx homebase test db";
type Finding = Policies["findings"][number];

export const POLICIES: ListingOf<"policies"> = {
  call: "policies",
  title: "Policies",
  one: "row",
  columns: ["table", "policy", "for", "roles", "parts", "covered"],
  rows: ({ tables, findings }) => tables.flatMap((table) => rowsOf(table, findings)),
  notes: ({ findings, uncounted }) => (
    <>
      {uncounted !== undefined && (
        <p className="links">
          <span>Covered: {uncounted}</span>
          <Copy text={COUNT} label="Copy the command" />
        </p>
      )}
      {findings.length > 0 && <Findings findings={findings} />}
    </>
  ),
  empty: <p>The API serves no table yet.</p>,
};

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <details className="findings">
      <summary>{counted(findings.length, "finding")} of the advisors</summary>
      <Scrolled label="Findings">
        <List findings={findings} />
      </Scrolled>
    </details>
  );
}

function List({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul>
      {findings.map(({ level, title, object }) => (
        <li key={`${title} ${object}`}>
          <span className={level === "ERROR" ? "mark shut" : level === "WARN" ? "mark part" : ""}>
            {level === "ERROR" ? "Error" : level === "WARN" ? "Warning" : "Advice"}
          </span>{" "}
          {title}: <code>{object}</code>
        </li>
      ))}
    </ul>
  );
}

function rowsOf(table: StackTable, findings: readonly Finding[]): ListedRow[] {
  const { schema, name, rowSecurity, readers, policies } = table;
  const label = schema === "public" ? name : `${schema}.${name}`;
  const own = findings.filter(({ object }) => isAbout(object, `${schema}.${name}`));
  const security: [string, string] = ["row security", rowSecurity ? "on" : "off"];
  const off = "row security is off: everybody with the grant";
  if (policies.length === 0)
    return [
      {
        title: label,
        cells: rowSecurity
          ? [label, "no policy: readable by nobody", "", "", "", ""]
          : [label, off, "select", readers.join(", "), "", ""],
        marks: { 1: rowSecurity ? "part" : "shut" },
        details: (
          <>
            <Facts
              facts={[security, ["may select", readers.join(", ") || "neither anon nor authenticated"]]}
            />
            <p>
              {rowSecurity
                ? "Row security is on, and no policy lets anybody through: only the secret key and owners get rows."
                : "Row security is off: whoever has the grant gets all rows."}
            </p>
            <Rest table={table} findings={own} />
          </>
        ),
      },
    ];
  return policies.map((policy) => {
    const { name: title, command, roles, parts, permissive, text } = policy;
    const decided = parts.map(coveredText);
    return {
      title: `${title} on ${label}`,
      cells: [
        label,
        title,
        command,
        roles.join(", ") || "everybody",
        parts.map((part) => part.text).join("; "),
        decided.every((one) => one === decided[0]) ? (decided[0] ?? "") : decided.join("; "),
      ],
      marks: {
        ...(rowSecurity ? {} : { 0: "shut" as const }),
        ...(parts.some(({ decided: one }) => one && one.missing.length > 0) ? { 5: "part" as const } : {}),
      },
      details: (
        <>
          {!rowSecurity && <p className="mark shut">Not in force: {off}.</p>}
          <Facts
            facts={[
              security,
              ["for", command],
              ["roles", roles.join(", ") || "everybody"],
              ["kind", permissive ? "permissive: one of them suffices" : "restrictive: must hold besides"],
              ["may select", readers.join(", ") || "neither anon nor authenticated"],
            ]}
          />
          <Parts parts={parts} />
          <h2>As SQL</h2>
          <pre>{text}</pre>
          <p className="links">
            <Copy text={`${text};`} label="Copy SQL" />
          </p>
          <Rest table={table} findings={own} />
        </>
      ),
    };
  });
}

function Parts({ parts }: Pick<StackPolicy, "parts">) {
  return (
    <>
      <h2>Parts</h2>
      <ul className="parts">
        {parts.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the policy
          <li key={at}>
            <code>{part.text}</code>
            <small className={part.decided && part.decided.missing.length > 0 ? "mark part" : ""}>
              {part.kind === "using" ? "of the rows" : "of what is written"}: {coveredText(part)}
            </small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Rest({ table, findings }: { table: StackTable; findings: readonly Finding[] }) {
  return (
    <>
      {findings.length > 0 && (
        <div className="findings">
          <h2>Advisors</h2>
          <List findings={findings} />
        </div>
      )}
      <p className="links">
        <Button label="Look at the rows as…" onClick={() => goTo(pathOfTable(table))} />
      </p>
    </>
  );
}

/** "12 true, 4 false", or what tests have never had. */
function coveredText({ decided }: PolicyPart): string {
  if (!decided) return "not counted";
  const had = (["true", "false"] as const).filter((one) => decided[one] > 0);
  return [
    ...decided.missing.map((one) => `never ${one}`),
    ...had.map((one) => `${decided[one].toLocaleString()} ${one}`),
  ].join(", ");
}

/** Advisors name a table, a column of it or "table: policy". */
function isAbout(object: string, table: string): boolean {
  const [named = ""] = object.replaceAll('"', "").split(":");
  return named === table || named.startsWith(`${table}.`);
}
