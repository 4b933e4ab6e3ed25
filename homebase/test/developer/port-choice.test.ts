/** Ports that are moved for a stack beside another one: addresses of the API in the vault follow, others stay. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { moveConfigPorts } from "../../src/developer/port-choice.ts";

const PROVIDER = {
  enabled: true,
  client_id: "x",
  secret: "y",
  url: "",
  skip_nonce_check: false,
  email_optional: false,
};

test("an address of the project's own API in the vault moves with the port, and no other value does", () => {
  const config = loadConfig({ from: join(import.meta.dirname, "..", "..", "..") });
  expect(config.db.vault.project_url).toBe("http://127.0.0.1:54321");
  Object.assign(config.db.vault, {
    path: "http://localhost:54321/functions/v1",
    longer: "http://127.0.0.1:543210",
    elsewhere: "https://example.org:54321",
    inside: "see http://127.0.0.1:54321",
  });
  moveConfigPorts(config, 100);
  moveConfigPorts(config, 100);
  expect(config.api.port).toBe(54521);
  expect(config.db.vault).toEqual({
    project_url: "http://127.0.0.1:54521",
    path: "http://localhost:54521/functions/v1",
    longer: "http://127.0.0.1:543210",
    elsewhere: "https://example.org:54321",
    inside: "see http://127.0.0.1:54321",
  });
});

test("addresses that are printed or sent to a browser move with the port, unless they are a proxy's", () => {
  const moved = (address: string) => {
    const config = loadConfig({ from: join(import.meta.dirname, "..", "..", "..") });
    config.api.external_url = address;
    config.auth.external_url = `${address}/auth/v1`;
    config.auth.external.github = { ...PROVIDER, redirect_uri: `${address}/auth/v1/callback` };
    moveConfigPorts(config, 100);
    const { api, auth } = config;
    expect([auth.external_url, auth.external.github?.redirect_uri]).toEqual([
      `${api.external_url}/auth/v1`,
      `${api.external_url}/auth/v1/callback`,
    ]);
    return api.external_url;
  };
  expect(moved("http://127.0.0.1:54321")).toBe("http://127.0.0.1:54421");
  expect(moved("http://192.168.1.20:54321")).toBe("http://192.168.1.20:54421");
  expect(moved("http://[::1]:54321")).toBe("http://[::1]:54421");
  for (const other of [
    "https://example.org:54321",
    "https://example.org",
    "http://127.0.0.1:8000",
    "http://127.0.0.1:543210",
  ])
    expect(moved(other)).toBe(other);
});
