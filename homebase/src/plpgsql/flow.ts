/** Owns where a body ends: which statements are never reached, and whether a path lacks its RETURN. */
import type { Statement, StatementBody } from "./body-tree.ts";

/** Whether what runs returns or raises: on every path, on some, on none; `jumps` leaves a loop or block. */
export type Ending = "always" | "sometimes" | "never" | "jumps";

const ERROR_LEVEL = 21;

/** @param unreachable called with the first statement that nothing reaches. */
export function endingOf(
  statements: readonly Statement[] | undefined,
  unreachable: (statement: Statement) => void,
): Ending {
  let ending: Ending = "never";
  for (const statement of statements ?? []) {
    if (ending === "always" || ending === "jumps") {
      if (Object.values(statement).some(({ lineno }) => lineno !== undefined)) unreachable(statement);
      return ending;
    }
    const one = endingOfOne(statement, unreachable);
    if (one !== "never") ending = one;
  }
  return ending;
}

function endingOfOne(statement: Statement, unreachable: (statement: Statement) => void): Ending {
  const [kind = "", body = {}] = Object.entries(statement)[0] ?? [];
  const of = (statements: Statement[] | undefined) => endingOf(statements, unreachable);
  switch (kind) {
    case "PLpgSQL_stmt_return":
      // The parser adds one at the end, without a line.
      return body.lineno === undefined ? "never" : "always";
    case "PLpgSQL_stmt_raise":
      return (body.elog_level ?? ERROR_LEVEL) >= ERROR_LEVEL ? "always" : "never";
    case "PLpgSQL_stmt_exit":
      return body.cond ? "never" : "jumps";
    case "PLpgSQL_stmt_if":
      return merged([
        of(body.then_body),
        ...(body.elsif_list ?? []).map(({ PLpgSQL_if_elsif: { stmts } }) => of(stmts)),
        of(body.else_body),
      ]);
    case "PLpgSQL_stmt_case":
      // Without ELSE, a value that no WHEN names is an error.
      return merged([
        ...(body.case_when_list ?? []).map(({ PLpgSQL_case_when: { stmts } }) => of(stmts)),
        ...(body.have_else ? [of(body.else_stmts)] : []),
      ]);
    case "PLpgSQL_stmt_block":
      return endingOfBlock(body, of);
    case "PLpgSQL_stmt_loop": {
      const ending = of(body.body);
      if (!leaves(body.body)) return "always";
      return ending === "never" || ending === "jumps" ? "never" : "sometimes";
    }
    case "PLpgSQL_stmt_while":
    case "PLpgSQL_stmt_fori":
    case "PLpgSQL_stmt_fors":
    case "PLpgSQL_stmt_forc":
    case "PLpgSQL_stmt_dynfors":
    case "PLpgSQL_stmt_foreach_a": {
      const ending = of(body.body);
      return ending === "always" || ending === "sometimes" ? "sometimes" : "never";
    }
    default:
      return "never";
  }
}

function endingOfBlock(body: StatementBody, of: (statements: Statement[] | undefined) => Ending): Ending {
  const inner = of(body.body);
  // EXIT leaves a block by its label.
  const own =
    body.label !== undefined && leaves(body.body, body.label) && inner === "always" ? "sometimes" : inner;
  const handlers = (body.exceptions?.PLpgSQL_exception_block.exc_list ?? []).map(
    ({ PLpgSQL_exception: { action } }) => of(action),
  );
  return handlers.length === 0 ? own : merged([own, ...handlers]);
}

function merged(endings: readonly Ending[]): Ending {
  const [first = "never"] = endings;
  if (endings.every((one) => one === first)) return first;
  if (endings.every((one) => one === "always" || one === "jumps")) return "jumps";
  return endings.some((one) => one === "always" || one === "sometimes") ? "sometimes" : "never";
}

/** Whether an EXIT in a loop's statements may leave it, or the block of this label. */
function leaves(statements: readonly Statement[] | undefined, label?: string): boolean {
  return (statements ?? []).some((statement) => {
    const [kind = "", body = {}] = Object.entries(statement)[0] ?? [];
    if (kind === "PLpgSQL_stmt_exit")
      return Boolean(body.is_exit) && (label === undefined || body.label === label);
    return childrenOf(body).some((inner) => leaves(inner, label));
  });
}

/** The lists of statements within a statement. */
export function childrenOf(body: StatementBody): Statement[][] {
  return [
    body.body,
    body.then_body,
    ...(body.elsif_list ?? []).map(({ PLpgSQL_if_elsif: { stmts } }) => stmts),
    body.else_body,
    ...(body.case_when_list ?? []).map(({ PLpgSQL_case_when: { stmts } }) => stmts),
    body.else_stmts,
    ...(body.exceptions?.PLpgSQL_exception_block.exc_list ?? []).map(
      ({ PLpgSQL_exception: { action } }) => action,
    ),
  ].filter((list) => list !== undefined);
}
