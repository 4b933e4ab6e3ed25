/** Owns calls of `format()` with a constant text: whether it has the arguments that it asks for. */

/** @returns the message for the first call that has too few arguments. */
export function formatProblem(tree: unknown): string | undefined {
  for (const { text, given } of callsIn(tree)) {
    let next = 0;
    let needed = 0;
    for (const [all, position, width, widthPosition] of text.matchAll(
      /%(?:%|(?:(\d+)\$)?-?(?:(\*)(?:(\d+)\$)?|\d+)?[sIL])/g,
    )) {
      if (all === "%%") continue;
      if (width === "*") {
        next = widthPosition === undefined ? next + 1 : Number(widthPosition);
        needed = Math.max(needed, next);
      }
      next = position === undefined ? next + 1 : Number(position);
      needed = Math.max(needed, next);
    }
    if (needed > given) return "too few arguments for format()";
  }
  return undefined;
}

interface Call {
  text: string;
  given: number;
}

interface FuncCall {
  funcname?: { String?: { sval?: string } }[];
  args?: { A_Const?: { sval?: { sval?: string } } }[];
  func_variadic?: boolean;
}

function callsIn(node: unknown): Call[] {
  if (Array.isArray(node)) return node.flatMap(callsIn);
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const inner = callsIn(value);
    if (key !== "FuncCall") return inner;
    const { funcname = [], args = [], func_variadic: isVariadic } = value as FuncCall;
    const name = funcname.map(({ String: one }) => one?.sval ?? "");
    const text = args[0]?.A_Const?.sval?.sval;
    const isFormat = name.at(-1) === "format" && (name.length === 1 || name[0] === "pg_catalog");
    return isFormat && text !== undefined && !isVariadic
      ? [{ text, given: args.length - 1 }, ...inner]
      : inner;
  });
}
