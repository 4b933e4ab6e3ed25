/** Owns the editor of SQL: CodeMirror in a shadow root, as the page's policy allows no other style sheet than its own. */
import { autocompletion, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { SQLDialect, sql } from "@codemirror/lang-sql";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers, WidgetType } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type RefObject, useEffect, useRef } from "react";
import type { SqlError, Tables } from "../../server/api.ts";

export interface Selected {
  text: string;
  /** Where it begins in the whole text. */
  from: number;
}

/** Reads and focuses an open editor. */
export interface EditorHandle {
  /** The selected text, or the whole one. */
  selected(): Selected;
  focus(): void;
}

interface EditorProps {
  text: string;
  tables: Tables | undefined;
  error: SqlError | undefined;
  handle: RefObject<EditorHandle | undefined>;
  onChange(text: string): void;
}

const LOOKS = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", background: "var(--pane)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { font: "12px / 1.6 var(--mono)" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-gutters": { background: "var(--pane)", color: "var(--ink-faint)", border: "0", paddingLeft: "6px" },
  ".cm-cursor": { borderColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller .cm-selectionBackground, ::selection": { background: "var(--sel)" },
  ".cm-wrong": { textDecoration: "underline wavy var(--shut)", textUnderlineOffset: "3px" },
  ".cm-wrong-text": { padding: "2px 8px 4px 6px", color: "var(--shut)", whiteSpace: "pre-wrap" },
  ".cm-tooltip": {
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    background: "var(--pane)",
    color: "var(--ink)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "12px / 1.6 var(--mono)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--sel)",
    color: "var(--ink)",
  },
  ".cm-completionDetail": { color: "var(--ink-soft)", fontStyle: "normal" },
});
/** PostgreSQL's grammar. The library's own has a thousand keywords, with `id` and `plans`, which are names here. */
const DIALECT = SQLDialect.define({
  doubleDollarQuotedStrings: true,
  operatorChars: "+-*/<>=~!@#%^&|`?",
  keywords: `add all alter analyze and any array as asc begin between by cascade case check column commit constraint copy
    create cross current_date current_timestamp current_user default deferrable delete desc distinct do drop else end except
    execute exists explain extension filter first for foreign from full function grant group having if ilike in index inner
    insert intersect interval into is join lateral left like limit not nulls of offset on only or order outer over partition
    policy primary procedure raise recursive references returning returns revoke right role rollback row rows savepoint schema
    select sequence set show similar some table temporary then to trigger truncate type union unique update using vacuum
    values view when where window with within without`,
  types: `bigint bigserial boolean bytea char date daterange float8 inet int int4 int8 integer json jsonb numeric real serial
    smallint text time timestamp timestamptz tsrange tstzrange uuid varchar xml`,
  builtin: "false null true",
});
/** As everywhere on the page: weight and shade, and no colour for what is well. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: tags.keyword, fontWeight: "600" },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: "var(--ink-soft)" },
  { tag: tags.comment, color: "var(--ink-faint)" },
]);

class ErrorText extends WidgetType {
  readonly #text: string;
  readonly #column: number;
  constructor(text: string, column: number) {
    super();
    this.#text = text;
    this.#column = column;
  }
  override toDOM(): HTMLElement {
    const line = document.createElement("div");
    line.className = "cm-wrong-text";
    // The same is said below the editor, where it is announced.
    line.ariaHidden = "true";
    line.style.marginLeft = `min(${this.#column}ch, 50%)`;
    line.textContent = `↑ ${this.#text}`;
    return line;
  }
}

const setError = StateEffect.define<SqlError | undefined>();
const errorField = StateField.define({
  create: () => Decoration.none,
  update(marks, { effects, docChanged, state, changes }) {
    const set = effects.find((effect) => effect.is(setError));
    if (!set) {
      const { from, to, value } = marks.iter();
      // What it was about is another text.
      if (value && changes.touchesRange(from, to)) return Decoration.none;
      return docChanged ? marks.map(changes) : marks;
    }
    const error = set.value as SqlError | undefined;
    if (error?.at === undefined || error.at >= state.doc.length) return Decoration.none;
    const line = state.doc.lineAt(error.at);
    const column = error.at - line.from;
    const word = /^[\p{L}\p{N}_$."]+/u.exec(line.text.slice(column))?.[0].length ?? 1;
    const to = Math.min(error.at + word, line.to);
    return Decoration.set([
      ...(to > error.at ? [Decoration.mark({ class: "cm-wrong" }).range(error.at, to)] : []),
      Decoration.widget({ widget: new ErrorText(errorText(error), column), block: true, side: 1 }).range(
        line.to,
      ),
    ]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function errorText({ message, code, near }: SqlError): string {
  const said = code === undefined ? message.replace(/\.$/, "") : `${message} (${code})`;
  return `${said}.${near === undefined ? "" : ` ${near}`}`;
}

/** Types over a selection without the browser, which keeps its looks by an inline style: the page's policy blocks that. */
function typeOver(event: InputEvent, view: EditorView): boolean {
  const { data, inputType, isComposing } = event;
  if (inputType !== "insertText" || isComposing || data === null || view.state.selection.main.empty)
    return false;
  view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
  event.preventDefault();
  return true;
}

export function SqlEditor({ text, tables, error, handle, onChange }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text is another component
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const schema: Record<string, Record<string, string[]>> = {};
    for (const { schema: one, name, columns } of tables?.tables ?? [])
      schema[one] = { ...schema[one], [name]: columns.map((column) => column.name) };
    const state = EditorState.create({
      doc: view.current?.state.doc ?? text,
      ...(view.current ? { selection: view.current.state.selection } : {}),
      extensions: [
        LOOKS,
        lineNumbers(),
        history(),
        sql({ dialect: DIALECT, schema, defaultSchema: "public" }),
        syntaxHighlighting(HIGHLIGHT),
        // Enter takes what is shown, also at once.
        autocompletion({ icons: false, interactionDelay: 0 }),
        errorField,
        EditorView.domEventHandlers({ beforeinput: typeOver }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "SQL" }),
        // Tab is left to the page, so that the keyboard leaves the editor.
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed.current(update.state.doc.toString());
        }),
      ],
    });
    if (view.current) view.current.setState(state);
    else view.current = new EditorView({ state, parent: root, root });
    const open = view.current;
    handle.current = {
      selected: () => {
        closeCompletion(open);
        const { main } = open.state.selection;
        const { from, to } = main.empty ? { from: 0, to: open.state.doc.length } : main;
        return { text: open.state.sliceDoc(from, to), from };
      },
      focus: () => open.focus(),
    };
  }, [tables]);
  useEffect(() => () => view.current?.destroy(), []);
  useEffect(() => view.current?.dispatch({ effects: setError.of(error) }), [error]);
  return <div ref={host} className="editor" />;
}
