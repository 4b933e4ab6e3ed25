/**
 * Owns mapping a view's output columns to base columns, from its parsed query in the catalog
 * (`pg_rewrite.ev_action`, a pg_node_tree in text).
 */

/** The origin of a view's output column. */
export interface ViewColumn {
  /** The view's attribute number. */
  position: number;
  /** Oid of the relation (itself possibly a view) and its attribute number. */
  relation: string;
  attribute: number;
  /** The column is of the side of an outer join that may be missing. */
  optional: boolean;
}

/**
 * The target list of the outermost query: every entry that is a plain column of a relation. Expressions, and
 * all columns of a UNION, have no origin and are omitted.
 */
export function viewColumns(action: string): ViewColumn[] {
  const list = outermostTargetList(action);
  const columns: ViewColumn[] = [];
  for (const entry of list) {
    // The origin follows the expression, at the end of the entry.
    const found = /:resno (\d+)[^{}]*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false\}$/.exec(entry);
    if (!found || found[2] === "0") continue;
    const optional = !/:varnullingrels \(b\) /.test(entry);
    columns.push({
      position: Number(found[1]),
      relation: found[2] ?? "",
      attribute: Number(found[3]),
      optional,
    });
  }
  return columns;
}

/** The texts of the TARGETENTRY nodes of the outermost query. */
function outermostTargetList(action: string): string[] {
  const entries: string[] = [];
  let depth = 0;
  let inList = false;
  let entryFrom = -1;
  for (let at = 0; at < action.length; at++) {
    switch (action[at]) {
      case "\\":
        at += 1;
        break;
      case "{":
        depth += 1;
        // Depth 1 is the query, 2 its direct children.
        if (depth === 2 && inList) entryFrom = at;
        break;
      case "}":
        if (depth === 2 && entryFrom >= 0) {
          entries.push(action.slice(entryFrom, at + 1));
          entryFrom = -1;
        }
        depth -= 1;
        break;
      case ":":
        if (depth === 1) {
          if (inList) return entries;
          inList = action.startsWith(":targetList (", at);
        }
        break;
    }
  }
  return entries;
}
