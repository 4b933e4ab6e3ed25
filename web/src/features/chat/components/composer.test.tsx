// @vitest-environment jsdom
/** Writing a message, a reply and an edit, by keyboard. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Message } from "../../messages/schema.ts";
import { Composer, type Mode } from "./composer.tsx";

// A busy machine needs longer to load a part than a second.
configure({ asyncUtilTimeout: 20_000 });
beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const own = { id: "m1", body: "At eigth", delivery: "sent", revision: 1, author_id: "me" } as Message;
const bens = { id: "m2", body: "Where?", delivery: "sent", revision: 2, author_id: "ben" } as Message;

function composer(first: Mode = { kind: "new" }) {
  const say = vi.fn();
  const edited = vi.fn();
  const setTyping = vi.fn();
  function Page() {
    const [mode, setMode] = useState<Mode>(first);
    return (
      <QueryClientProvider client={new QueryClient()}>
        <Composer
          planId="p"
          me="me"
          mode={mode}
          setMode={setMode}
          nameOf={() => "Ben"}
          say={say}
          lastOwn={() => own}
          current={() => undefined}
          edited={edited}
          setTyping={setTyping}
        />
      </QueryClientProvider>
    );
  }
  render(<Page />);
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message to everyone" });
  return { user: userEvent.setup(), field, say, edited, typing: () => setTyping.mock.calls.flat() };
}

it("sends on Enter without the spaces around, and starts over; Shift and Enter is a new line", async () => {
  const { user, field, say } = composer();
  await user.type(field, " Hi{Shift>}{Enter}{/Shift}all {Enter}");
  expect(say).toHaveBeenCalledExactlyOnceWith({ body: "Hi\nall", reply_to: null, photo_id: null });
  expect(field.value).toBe("");
  await user.keyboard("  {Enter}");
  expect(say).toHaveBeenCalledOnce();
});

it("names the message that a reply is to, and is a new message again afterwards", async () => {
  const { user, field, say } = composer({ kind: "reply", to: bens });
  expect(screen.getByText("Replying to Ben")).toBeDefined();
  expect(document.activeElement).toBe(field);
  await user.keyboard("Here{Enter}There{Enter}");
  expect(say.mock.calls.map(([{ reply_to }]) => reply_to)).toEqual(["m2", null]);
});

it("edits the last own message on ArrowUp in the empty field, and gives the draft back on Escape", async () => {
  const { user, field } = composer();
  await user.type(field, "a{ArrowUp}");
  expect(field.value).toBe("a");
  await user.keyboard("{Backspace}{ArrowUp}");
  expect(field.value).toBe("At eigth");
  await user.keyboard("!{Escape}");
  expect(field.value).toBe("");
  expect(screen.queryByText("Editing a message")).toBeNull();
});

it("keeps the text for the next visit", async () => {
  const first = composer();
  await first.user.type(first.field, "Soon");
  cleanup();
  expect(composer().field.value).toBe("Soon");
});

it("says once that the person types, and once that they stopped", async () => {
  const { user, field, typing } = composer();
  await user.type(field, "Hi");
  expect(typing()).toEqual([true]);
  await user.keyboard("{Enter}");
  expect(typing()).toEqual([true, false]);
});

it("keeps the text of a photo that is uploading as it is", async () => {
  const reading = Promise.withResolvers<never>();
  vi.stubGlobal("createImageBitmap", () => reading.promise);
  const { user, field } = composer();
  const picture = document.querySelector<HTMLInputElement>("input[type=file]") as HTMLInputElement;
  await user.upload(picture, new File(["p"], "p.png", { type: "image/png" }));
  await user.type(field, "Look{Enter} there");
  expect(field.value).toBe("Look");
  reading.reject(new Error("No picture"));
  await screen.findByRole("alert");
  await user.type(field, "!");
  expect(field.value).toBe("Look!");
});

it("reads the conversation again after a refused edit, as soon as after any other change", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const { user, edited } = composer({ kind: "edit", message: own });
  await user.keyboard("!{Enter}");
  await screen.findByRole("alert");
  expect(edited).toHaveBeenCalledExactlyOnceWith();
});
