// @vitest-environment jsdom
/** An address, the code mailed to it, and another address after a wrong code. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { CodeForm } from "./code-form.tsx";

// A busy machine needs longer to load a part than a second.
configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);

it("asks for a new code without the old one and its refusal after another address", async () => {
  const user = userEvent.setup();
  const check = vi.fn(() => Promise.reject({ code: "otp_expired" }));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <CodeForm
        className=""
        send={() => Promise.resolve()}
        check={check}
        words={{ send: "Send code", check: "Sign in" }}
      />
    </QueryClientProvider>,
  );
  const digits = () => screen.findByRole<HTMLInputElement>("textbox", { name: "Code from the email" });
  await user.type(screen.getByRole("textbox", { name: "Email" }), "ana@nosh.test{Enter}");
  await user.click(await digits());
  await user.paste("123 456");
  await user.keyboard("{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("That code is wrong or has expired.");
  expect(check).toHaveBeenCalledExactlyOnceWith("ana@nosh.test", "123456");
  await user.click(screen.getByRole("button", { name: "Use another address" }));
  await user.type(screen.getByRole("textbox", { name: "Email" }), "x{Enter}");
  expect((await digits()).value).toBe("");
  expect(screen.queryByRole("alert")).toBeNull();
});
