// @vitest-environment jsdom
/** Typing addresses to invite: they become chips, and what is none stays in the field. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { MailForm } from "./mail-form.tsx";

afterEach(cleanup);

function form() {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MailForm plan="p" />
    </QueryClientProvider>,
  );
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Email addresses" });
  return {
    user: userEvent.setup(),
    field,
    chips: () => screen.queryAllByRole("row").map((row) => row.textContent?.replace("×", "")),
    send: () => screen.getByRole("button", { name: /^Send/ }),
  };
}

it("takes an address over at a comma, a space or Enter, each once", async () => {
  const { user, field, chips, send } = form();
  await user.click(field);
  await user.paste("ana@nosh.test,ben@nosh.test ana@nosh.test");
  await user.keyboard(" ");
  expect(chips()).toEqual(["ana@nosh.test", "ben@nosh.test"]);
  await user.paste("dev@nosh.test");
  await user.keyboard("{Enter}");
  expect(chips()).toEqual(["ana@nosh.test", "ben@nosh.test", "dev@nosh.test"]);
  expect(field.value).toBe("");
  expect(send().textContent).toContain("Send 3 invitations");
});

it("counts the address that is still being typed", async () => {
  const { user, field, send } = form();
  await user.click(field);
  await user.paste("ana@nosh.test,");
  await user.paste("ben@nosh.test");
  expect(send().textContent).toContain("Send 2 invitations");
});

it("keeps text that is no address in the field, and says so when it is to be sent", async () => {
  const { user, field, chips, send } = form();
  await user.click(field);
  await user.paste("ana@nosh.test, ben,");
  expect(chips()).toEqual(["ana@nosh.test"]);
  expect(field.value).toBe("ben");
  expect(screen.queryByText(/isn't a valid/)).toBeNull();
  await user.click(send());
  expect(screen.getByText("ben isn't a valid email address.")).toBeDefined();
  await user.click(field);
  await user.paste("@nosh.test");
  expect(screen.queryByText(/isn't a valid/)).toBeNull();
});

it("removes the last chip with Backspace in the empty field only", async () => {
  const { user, field, chips } = form();
  await user.click(field);
  await user.paste("ana@nosh.test,ben@nosh.test,");
  await user.keyboard("x{Backspace}");
  expect(chips()).toHaveLength(2);
  await user.keyboard("{Backspace}");
  expect(chips()).toEqual(["ana@nosh.test"]);
});
